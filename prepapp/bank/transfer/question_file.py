"""Reads one question file, or a folder of them, into typed values.

Here: YAML text to a `QuestionFile`, or to `FileProblem`s that say what is wrong, where, and what
to do; and the content hash. Not here: YAML syntax (`yaml_tree`), the schema
(`schema_problems`), rules about counts, lengths and wording (`bank.lint`), models and the
database (the importer), the clock.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prepapp.bank.transfer.schema_problems import schema_problems
from prepapp.bank.transfer.yaml_tree import FileProblem, Tree, line_of, read_tree

__all__ = [
    "CodeFile",
    "DifficultyFile",
    "FileProblem",
    "FollowUpFile",
    "QuestionFile",
    "ReferenceFile",
    "ReviewFile",
    "RubricPointFile",
    "build_question",
    "read_bank",
    "read_question",
    "read_question_tree",
]

SUFFIX = ".yaml"
# Stand beside question files and are read by `samples_file`.
SAMPLES_SUFFIX = ".samples.yaml"

# What a candidate reads or is graded by. Identity, filing (tags, packs, covers) and review dates
# may change without making a new version of the question.
_HASHED = (
    "title",
    "level",
    "kind",
    "minutes",
    "prompt",
    "context",
    "data",
    "model_answer",
    "deeper",
    "code",
    "rubric",
    "weights_note",
    "pitfalls",
    "followups",
    "references",
    "difficulty",
)


@dataclass(frozen=True)
class RubricPointFile:
    """One observable act; `weight` is its share of 10 marks."""

    id: str
    weight: int
    must: bool
    criterion: str
    met: str
    partial: str


@dataclass(frozen=True)
class FollowUpFile:
    """A changed condition with its answer and its own rubric."""

    id: str
    minutes: int
    prompt: str
    answer: str
    rubric: tuple[RubricPointFile, ...]


@dataclass(frozen=True)
class CodeFile:
    """A runnable answer. `check` is Python whatever `language` is; `timeout_s` holds for one run."""

    language: str
    timeout_s: int
    solution: str
    check: str
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class ReferenceFile:
    """A source and the ids of the rubric points that rest on it."""

    title: str
    url: str
    supports: tuple[str, ...]


@dataclass(frozen=True)
class DifficultyFile:
    """Why the level holds, and what would move it."""

    rationale: str
    easier: str
    harder: str


@dataclass(frozen=True)
class ReviewFile:
    """When the facts were last checked and for how many months that holds."""

    reviewed: date
    recheck_months: int


@dataclass(frozen=True)
class QuestionFile:
    """One question as its file states it. Absent optional text is '', absent code is None.

    `file` is the name the file was read under; `lines` maps dotted field paths to line numbers.
    Neither takes part in comparison.
    """

    schema: int
    id: str
    slug: str
    title: str
    level: str
    kind: str
    minutes: int
    tags: tuple[str, ...]
    packs: tuple[str, ...]
    covers: tuple[str, ...]
    prompt: str
    context: str
    data: str
    model_answer: str
    deeper: str
    code: CodeFile | None
    rubric: tuple[RubricPointFile, ...]
    weights_note: str
    pitfalls: tuple[str, ...]
    followups: tuple[FollowUpFile, ...]
    references: tuple[ReferenceFile, ...]
    difficulty: DifficultyFile
    review: ReviewFile
    file: str = field(compare=False)
    lines: Mapping[str, int] = field(compare=False, repr=False, hash=False)

    @property
    def topic(self) -> str:
        """Topic code, for example `gpu.memory`."""
        return self.id.rpartition("-")[0]

    @property
    def track(self) -> str:
        """Track code, for example `gpu`."""
        return self.id.partition(".")[0]

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hex over canonical JSON of all that is asked, shown as the answer, or graded."""
        content = {name: getattr(self, name) for name in _HASHED}
        canonical = json.dumps(
            content, default=asdict, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
        return hashlib.sha256(canonical.encode()).hexdigest()

    def line_of(self, field_path: str) -> int:
        """Line of a dotted field path, or of the nearest enclosing field that the file has."""
        return line_of(self.lines, field_path)


def read_question(source: bytes | str, file: str) -> QuestionFile | list[FileProblem]:
    """Read one file's content. `file` is only a name, carried into the result and the problems."""
    tree = read_tree(source, file)
    return tree if isinstance(tree, list) else read_question_tree(tree, file)


def read_question_tree(tree: Tree, file: str) -> QuestionFile | list[FileProblem]:
    """The question of these values, or every way in which they break the schema."""
    problems = list(schema_problems(tree, file))
    if problems:
        return sorted(problems, key=lambda problem: (problem.line, problem.field))
    return build_question(tree, file)


def read_bank(path: Path) -> tuple[list[QuestionFile], list[FileProblem]]:
    """Read every `<track>/<topic>/<slug>.yaml` below `path`, in sorted order of their names. Sample answers
    beside them are left to `samples_file`.

    Questions and problems name files relative to `path`. Raises NotADirectoryError when `path`
    is no folder and OSError when a file cannot be opened.
    """
    if not path.is_dir():
        raise NotADirectoryError(path)
    questions: list[QuestionFile] = []
    problems: list[FileProblem] = []
    for file_path in sorted(path.rglob("*"), key=lambda item: item.relative_to(path).parts):
        if not file_path.is_file() or file_path.name.startswith("."):
            continue
        if file_path.name.endswith(SAMPLES_SUFFIX):
            continue
        name = file_path.relative_to(path).as_posix()
        if file_path.suffix != SUFFIX:
            message = f"not a question file; rename it to *{SUFFIX} or move it"
            problems.append(FileProblem(name, 1, "", message))
            continue
        result = read_question(file_path.read_bytes(), name)
        if isinstance(result, list):
            problems.extend(result)
        else:
            questions.append(result)
    return questions, problems


def build_question(tree: Tree, file: str) -> QuestionFile:
    """The question of a tree that keeps the schema."""
    raw = tree.value
    code = raw.get("code")
    return QuestionFile(
        schema=raw["schema"],
        id=raw["id"],
        slug=raw["slug"],
        title=raw["title"].strip(),
        level=raw["level"],
        kind=raw["kind"],
        minutes=raw["minutes"],
        tags=tuple(raw["tags"]),
        packs=tuple(raw["packs"]),
        covers=tuple(raw["covers"]),
        prompt=raw["prompt"].strip(),
        context=raw["context"].strip(),
        data=raw.get("data", "").strip("\n"),
        model_answer=raw["model_answer"].strip(),
        deeper=raw.get("deeper", "").strip(),
        code=CodeFile(**{**code, "wrong": tuple(code["wrong"])}) if code else None,
        rubric=_rubric(raw["rubric"]),
        weights_note=raw.get("weights_note", "").strip(),
        pitfalls=tuple(text.strip() for text in raw["pitfalls"]),
        followups=tuple(_follow_up(item) for item in raw["followups"]),
        references=tuple(
            ReferenceFile(item["title"].strip(), item["url"], tuple(item["supports"]))
            for item in raw["references"]
        ),
        difficulty=DifficultyFile(**{key: text.strip() for key, text in raw["difficulty"].items()}),
        review=ReviewFile(date.fromisoformat(raw["review"]["reviewed"]), raw["review"]["recheck_months"]),
        file=file,
        lines=MappingProxyType(dict(tree.lines)),
    )


def _rubric(raw: list[dict[str, Any]]) -> tuple[RubricPointFile, ...]:
    return tuple(
        RubricPointFile(
            id=item["id"],
            weight=item["weight"],
            must=item["must"],
            criterion=item["criterion"].strip(),
            met=item["met"].strip(),
            partial=item["partial"].strip(),
        )
        for item in raw
    )


def _follow_up(raw: dict[str, Any]) -> FollowUpFile:
    return FollowUpFile(
        id=raw["id"],
        minutes=raw["minutes"],
        prompt=raw["prompt"].strip(),
        answer=raw["answer"].strip(),
        rubric=_rubric(raw["rubric"]),
    )

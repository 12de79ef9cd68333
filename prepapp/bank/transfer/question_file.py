"""Reads one question file, or a folder of them, into typed values.

Here: YAML text to a `QuestionFile`, or to `FileProblem`s that say what is wrong, where, and what
to do; and the content hash. Not here: YAML syntax (`yaml_tree`), rules about counts, lengths and
wording (`bank.lint`), models and the database (the importer), the clock.
"""

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cache, cached_property
from importlib.resources import files as package_files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from prepapp.bank.transfer.yaml_tree import FileProblem, Tree, line_of, read_tree

SUFFIX = ".yaml"

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
_WORD_FOR_TYPE = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a block of keys",
}


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
    if isinstance(tree, list):
        return tree
    problems = list(_schema_problems(tree, file))
    if problems:
        return sorted(problems, key=lambda problem: (problem.line, problem.field))
    return _build(tree, file)


def read_bank(path: Path) -> tuple[list[QuestionFile], list[FileProblem]]:
    """Read every `<track>/<topic>/<slug>.yaml` below `path`, in sorted order of their names.

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


@cache
def _validator() -> Any:
    schema = json.loads(package_files(__package__).joinpath("question.schema.json").read_text("utf-8"))
    # JSON Schema counts 3.0 as an integer; a question file means the digits it shows.
    whole = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    validator = extend(Draft202012Validator, type_checker=whole)
    return validator(schema, format_checker=FormatChecker(formats=["date"]))


def _schema_problems(tree: Tree, file: str) -> Iterator[FileProblem]:
    review = tree.value.get("review")
    if isinstance(review, dict) and type(review.get("reviewed")) is date:
        review["reviewed"] = review["reviewed"].isoformat()
    seen: set[tuple[str, str]] = set()
    for error in _validator().iter_errors(tree.value):
        parent = _dotted(error.absolute_path)
        for key, message in _explain(error):
            path = ".".join(part for part in (parent, key) if part)
            if (path, message) not in seen:
                seen.add((path, message))
                yield FileProblem(file, line_of(tree.lines, path), path, message)


def _explain(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield (key below the failing value or '', message) for one schema error."""
    value, rule, limit = error.instance, str(error.validator), error.validator_value
    described = str(error.schema.get("description", "")) if isinstance(error.schema, Mapping) else ""
    if rule == "additionalProperties":
        known = list(error.schema["properties"])
        for key in [key for key in value if key not in known]:
            near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.7)
            hint = f"did you mean {near[0]!r}?" if near else "remove it"
            yield str(key), f"unknown key {key!r}; {hint}"
    elif rule == "required":
        for key in [key for key in limit if key not in value]:
            yield key, f"the required key {key!r} is missing; add it"
    elif rule == "type":
        yield "", _type_message(value, str(limit))
    elif rule == "enum":
        yield "", f"{_show(value)} is not one of {', '.join(map(str, limit))}; choose one of them"
    elif rule == "const":
        yield "", f"{_show(value)} is not supported; write {limit}"
    elif rule == "pattern" and not str(value).strip():
        yield "", "is empty; write some text"
    elif rule in {"pattern", "format"}:
        yield "", f"{_show(value)} does not fit; write {described}"
    elif rule == "maxLength":
        yield "", f"is {len(value)} characters long; keep it to {limit}"
    elif rule in {"minimum", "maximum"}:
        yield "", f"{value} is out of range; the {rule} is {limit}"
    elif rule == "uniqueItems":
        yield "", "holds the same item twice; keep one of them"
    else:
        yield "", error.message


def _type_message(value: Any, wanted: str) -> str:
    if value is None:
        return f"is empty where {_WORD_FOR_TYPE[wanted]} is expected; write a value"
    if wanted != "string" or isinstance(value, (dict, list)):
        return f"is {_show(value)} where {_WORD_FOR_TYPE[wanted]} is expected; correct the value"
    if isinstance(value, bool):
        found = f"the yes/no value {str(value).lower()}"
    elif isinstance(value, (int, float)):
        found = f"the number {value}"
    else:
        found = f"the date {value}"
    return f"is {found} where text is expected; put it in quotes"


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return "a block of keys"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _dotted(parts: Any) -> str:
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _build(tree: Tree, file: str) -> QuestionFile:
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

"""Reads files of packs into typed values.

Here: YAML text to a `PackFile`, or to `FileProblem`s that say what is wrong, where, and what to do; and the
content hash. Not here: YAML syntax (`yaml_tree`), the schema (`schema_problems`), whether questions, topics
and formats exist and claims have sources (`lint.packs`), models and the database.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prepapp.bank.packs import PackRule, read_rule
from prepapp.bank.transfer.question_file import SUFFIX, QuestionFile
from prepapp.bank.transfer.schema_problems import schema_problems
from prepapp.bank.transfer.yaml_tree import FileProblem, Tree, line_of, read_tree

PACK_SCHEMA = "pack.schema.json"


@dataclass(frozen=True)
class ClaimFile:
    """A tip or a mistake. `source` is '' where it is advice."""

    text: str
    source: str = ""
    advice: bool = False


@dataclass(frozen=True)
class RoundFile:
    """A round to expect; `minutes` in words. `source` is '' where it is advice."""

    name: str
    minutes: str
    what: str
    source: str = ""
    advice: bool = False


@dataclass(frozen=True)
class ReadingFile:
    """A source to read and what to take from it."""

    title: str
    url: str
    note: str


@dataclass(frozen=True)
class PackFile:
    """A pack as its file states it. `file` is the name it was read under; `lines` maps dotted field paths to
    line numbers. Neither takes part in comparison."""

    id: str
    title: str
    disclaimer: str
    summary: str
    include: PackRule
    weights: Mapping[str, int]
    pinned: tuple[str, ...]
    context_notes: Mapping[str, str]
    blueprints: tuple[str, ...]
    rounds: tuple[RoundFile, ...]
    tips: tuple[ClaimFile, ...]
    mistakes: tuple[ClaimFile, ...]
    reading: tuple[ReadingFile, ...]
    reviewed: date
    recheck_months: int
    file: str = field(compare=False)
    lines: Mapping[str, int] = field(compare=False, repr=False)

    @cached_property
    def content(self) -> dict[str, Any]:
        """Everything but the identity, as plain values that JSON can hold, by the names of the file."""
        raw = asdict(replace(self, lines={}))
        named = {name: raw[name] for name in raw if name not in ("id", "file", "lines")}
        plain: dict[str, Any] = json.loads(json.dumps({**named, "reviewed": self.reviewed.isoformat()}))
        return plain

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hex over canonical JSON of all that is shown or decides what is drawn."""
        canonical = json.dumps(self.content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def problem(self, field_path: str, message: str) -> FileProblem:
        """A problem at the line of that field."""
        return FileProblem(self.file, line_of(self.lines, field_path), field_path, message)

    def members(self, questions: Collection[QuestionFile]) -> list[QuestionFile]:
        """Those of the questions that are in by the rule, or by their own file."""
        return [
            question
            for question in questions
            if self.id in question.packs
            or self.include.holds(
                ref=question.id,
                topic=question.topic,
                tags=question.tags,
                level=question.level,
                kind=question.kind,
            )
        ]


def read_pack(source: bytes | str, file: str) -> PackFile | list[FileProblem]:
    """Read one file's content. `file` is only a name, carried into the result and the problems."""
    tree = read_tree(source, file)
    if isinstance(tree, list):
        return tree
    # YAML reads an unquoted date as a date; JSON Schema knows dates as text only.
    if type(tree.value.get("reviewed")) is date:
        tree.value["reviewed"] = tree.value["reviewed"].isoformat()
    problems = list(schema_problems(tree, file, PACK_SCHEMA))
    if problems:
        return sorted(problems, key=lambda problem: (problem.line, problem.field))
    return _build(tree, file)


def read_packs(path: Path) -> tuple[list[PackFile], list[FileProblem]]:
    """Read every `*.yaml` in the folder, in the order of their names, which are relative to it. A second pack
    of one id is a problem.

    Raises NotADirectoryError when `path` is no folder and OSError when a file cannot be opened.
    """
    if not path.is_dir():
        raise NotADirectoryError(path)
    found: dict[str, PackFile] = {}
    problems: list[FileProblem] = []
    for file_path in sorted(path.glob(f"*{SUFFIX}")):
        if not file_path.is_file() or file_path.name.startswith("."):
            continue
        result = read_pack(file_path.read_bytes(), file_path.name)
        if isinstance(result, list):
            problems.extend(result)
        elif (other := found.setdefault(result.id, result)) is not result:
            problems.append(result.problem("id", f"{result.id!r} is already used by {other.file}"))
    return list(found.values()), problems


def _build(tree: Tree, file: str) -> PackFile:
    """The pack of a tree that keeps the schema."""
    raw = tree.value
    return PackFile(
        id=raw["id"],
        title=raw["title"].strip(),
        disclaimer=raw["disclaimer"].strip(),
        summary=raw["summary"].strip(),
        include=read_rule(raw["include"]),
        weights=raw.get("weights", {}),
        pinned=tuple(raw.get("pinned", ())),
        context_notes={key: text.strip() for key, text in raw.get("context_notes", {}).items()},
        blueprints=tuple(raw["blueprints"]),
        rounds=tuple(RoundFile(**_stripped(item)) for item in raw["rounds"]),
        tips=tuple(ClaimFile(**_stripped(item)) for item in raw["tips"]),
        mistakes=tuple(ClaimFile(**_stripped(item)) for item in raw["mistakes"]),
        reading=tuple(ReadingFile(**_stripped(item)) for item in raw["reading"]),
        reviewed=date.fromisoformat(raw["reviewed"]),
        recheck_months=raw["recheck_months"],
        file=file,
        lines=MappingProxyType(dict(tree.lines)),
    )


def _stripped(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value.strip() if isinstance(value, str) else value for key, value in item.items()}

"""Reads files of sample answers, which stand beside question files, into typed values.

Here: YAML text to a `SamplesFile`, or to `FileProblem`s that say what is wrong, where, and what to do; and
the content hash. Not here: YAML syntax (`yaml_tree`), the schema (`schema_problems`), whether the answers fit
their question (`samples_integrity`), models and the database.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from prepapp.bank.transfer.question_file import SAMPLES_SUFFIX
from prepapp.bank.transfer.schema_problems import SAMPLES_SCHEMA, schema_problems
from prepapp.bank.transfer.yaml_tree import FileProblem, Tree, line_of, read_tree


@dataclass(frozen=True)
class SampleMarkFile:
    """What an answer earns on one point: `mark` is met, partly or missed; `quote` the words that earn it."""

    point: str
    mark: str
    quote: str
    why: str


@dataclass(frozen=True)
class SampleFile:
    """One answer; `level` is strong, middling or weak."""

    level: str
    answer: str
    marks: tuple[SampleMarkFile, ...]

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hex over canonical JSON of all that is shown."""
        content = {"level": self.level, "answer": self.answer, "marks": [asdict(mark) for mark in self.marks]}
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True)
class SamplesFile:
    """The sample answers to one question as their file states them. `file` is the name it was read under;
    `lines` maps dotted field paths to line numbers. Neither takes part in comparison."""

    question: str
    samples: tuple[SampleFile, ...]
    file: str = field(compare=False)
    lines: Mapping[str, int] = field(compare=False, repr=False, hash=False)

    def problem(self, field_path: str, message: str) -> FileProblem:
        """A problem at the line of that field."""
        return FileProblem(self.file, line_of(self.lines, field_path), field_path, message)


def read_samples(source: bytes | str, file: str) -> SamplesFile | list[FileProblem]:
    """Read one file's content. `file` is only a name, carried into the result and the problems."""
    tree = read_tree(source, file)
    if isinstance(tree, list):
        return tree
    problems = list(schema_problems(tree, file, SAMPLES_SCHEMA))
    if problems:
        return sorted(problems, key=lambda problem: (problem.line, problem.field))
    return _build(tree, file)


def read_sample_files(path: Path) -> tuple[list[SamplesFile], list[FileProblem]]:
    """Read every `*.samples.yaml` below `path`, in sorted order of their names, which are relative to `path`.

    Raises NotADirectoryError when `path` is no folder and OSError when a file cannot be opened.
    """
    if not path.is_dir():
        raise NotADirectoryError(path)
    found: list[SamplesFile] = []
    problems: list[FileProblem] = []
    for file_path in sorted(path.rglob(f"*{SAMPLES_SUFFIX}"), key=lambda item: item.relative_to(path).parts):
        if not file_path.is_file() or file_path.name.startswith("."):
            continue
        result = read_samples(file_path.read_bytes(), file_path.relative_to(path).as_posix())
        if isinstance(result, list):
            problems.extend(result)
        else:
            found.append(result)
    return found, problems


def _build(tree: Tree, file: str) -> SamplesFile:
    return SamplesFile(
        question=tree.value["question"],
        samples=tuple(_sample(item) for item in tree.value["samples"]),
        file=file,
        lines=MappingProxyType(dict(tree.lines)),
    )


def _sample(raw: dict[str, Any]) -> SampleFile:
    return SampleFile(
        level=raw["level"],
        answer=raw["answer"].strip(),
        marks=tuple(
            SampleMarkFile(item["point"], item["mark"], item["quote"].strip(), item["why"].strip())
            for item in raw["marks"]
        ),
    )

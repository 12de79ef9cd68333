"""Question files in a folder of their own, and a count of what a piece of code wrote."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

QUESTION = """\
schema: 1
id: {id}
slug: {slug}
title: "Title of {slug}"
level: {level}
kind: {kind}
minutes: 5
tags: [{tags}]
packs: [{packs}]
covers: [{covers}]
prompt: "{prompt}"
context: ""
model_answer: "Model answer of {slug}"
{more}rubric:
  - {{id: r1, weight: 6, must: true, criterion: "States one", met: "One.", partial: "Half of one."}}
  - {{id: r2, weight: {weight}, must: false, criterion: "Names two", met: "Two.", partial: "Half of two."}}
pitfalls: ["Pitfall of {slug}"]
followups:
  - id: f1
    minutes: 3
    prompt: "Then?"
    answer: "Thus."
    rubric:
      - {{id: f1a, weight: 10, must: true, criterion: "States three", met: "Three.", partial: "Half of three."}}
references: [{{title: "A source", url: "https://example.test/source", supports: [r1]}}]
difficulty: {{rationale: "One step.", easier: "Give more.", harder: "Give less."}}
review: {{reviewed: 2026-11-01, recheck_months: {recheck}}}
"""
DEFAULTS = {
    "level": "intermediate",
    "kind": "concept",
    "tags": "one, two",
    "packs": "nvidia",
    "covers": "",
    "prompt": "Explain it.",
    "more": "",
    "weight": 4,
    "recheck": 12,
}


SAMPLES = """\
schema: 1
question: gpu.memory-001
samples:
  - level: strong
    answer: "One of them, and then two more."
    marks:
      - {point: r1, mark: met, quote: "One of them", why: "It states one."}
      - {point: r2, mark: met, quote: "two more", why: "It names two."}
  - level: middling
    answer: "One half, and nothing else."
    marks:
      - {point: r1, mark: partly, quote: "One half", why: "Half of one."}
      - {point: r2, mark: missed, quote: "", why: "None is named."}
  - level: weak
    answer: "Only this."
    marks:
      - {point: r1, mark: missed, quote: "", why: "Nothing of it."}
      - {point: r2, mark: missed, quote: "", why: "Neither of two."}
"""


class Folder:
    """Writes question files; what is not named has a default."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, slug: str, ref: str, **changes: object) -> Path:
        file = self.path / f"{slug}.yaml"
        file.write_text(QUESTION.format(id=ref, slug=slug, **{**DEFAULTS, **changes}), encoding="utf-8")
        return file

    def write_samples(self, slug: str, ref: str, old: str = "", new: str = "") -> Path:
        """Three sample answers to that question, with one text changed."""
        file = self.path / f"{slug}.samples.yaml"
        text = SAMPLES.replace("gpu.memory-001", ref)
        file.write_text(text.replace(old, new) if old else text, encoding="utf-8")
        return file


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Two sound questions: `first` (gpu.memory-001) and `second` (gpu.memory-002)."""
    made = Folder(tmp_path)
    made.write("first", "gpu.memory-001")
    made.write("second", "gpu.memory-002")
    return made


@pytest.fixture
def writes() -> Callable[[], Iterator[list[str]]]:
    """`with writes() as found:` collects the statements that changed something."""

    @contextmanager
    def collect() -> Iterator[list[str]]:
        found: list[str] = []
        with CaptureQueriesContext(connection) as queries:
            yield found
        verbs = ("INSERT", "UPDATE", "DELETE")
        found.extend(query["sql"] for query in queries if query["sql"].lstrip().upper().startswith(verbs))

    return collect

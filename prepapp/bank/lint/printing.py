"""The forms in which the lint says what it found: text, JSON, annotations of GitHub.

Here: an outcome to lines. Not here: any rule, writing to a stream.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from prepapp.bank.lint.finding import FAIL, Finding
from prepapp.bank.lint.resemblance import Pair


@dataclass(frozen=True)
class Outcome:
    """What one run of the lint looked at and found, in the order it is printed in; pairs by their heading."""

    questions: int
    unreadable: int
    milestone: str | None
    sources: int
    code_run: bool
    findings: Sequence[Finding]
    samples: int = 0
    packs: int = 0
    pairs: Mapping[str, Sequence[Pair]] = field(default_factory=dict)

    @property
    def failures(self) -> int:
        """Findings that keep the questions out of the bank."""
        return sum(finding.severity == FAIL for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Findings for a person to weigh."""
        return len(self.findings) - self.failures


def as_text(outcome: Outcome) -> Iterator[str]:
    """A finding a line, the pairs asked for, what was not judged, the counts."""
    yield from map(str, outcome.findings)
    for heading, pairs in outcome.pairs.items():
        yield f"Most alike, {heading}: cosine, shared word triples, questions"
        yield from (f"  {pair.cosine:.2f}  {pair.jaccard:.2f}  {pair.left}  {pair.right}" for pair in pairs)
    if not outcome.code_run:
        yield "Code checks (L13) were not run, as asked."
    if not outcome.milestone:
        yield "Balance and coverage (L17, L18) were not judged: these files are not taken for a whole bank."
    if not outcome.sources:
        yield "Originality (L11) was not judged: no source texts were named."
    if outcome.samples:
        yield f"{outcome.samples} files of sample answers read (S1)."
    if outcome.packs:
        yield f"Packs read (P1 to P4): {outcome.packs}."
    yield _counts(outcome)


def as_json(outcome: Outcome) -> Iterator[str]:
    """One object; a finding about the whole bank has neither file nor line."""
    findings = [
        {**asdict(finding), "file": finding.file or None, "line": finding.line or None}
        for finding in outcome.findings
    ]
    counts = {"failures": outcome.failures, "warnings": outcome.warnings}
    yield json.dumps({**asdict(outcome), **counts, "findings": findings}, indent=2)


def as_github(outcome: Outcome) -> Iterator[str]:
    """Workflow commands: an annotation for each finding, and the counts as a plain line of the log."""
    for finding in outcome.findings:
        title = f"{finding.check} {finding.field}".rstrip()
        place = {"file": finding.file, "line": str(finding.line)} if finding.file else {}
        properties = ",".join(
            f"{key}={_escape(value, ':,')}" for key, value in {**place, "title": title}.items()
        )
        command = "error" if finding.severity == FAIL else "warning"
        yield f"::{command} {properties}::{_escape(finding.message)}"
    yield _counts(outcome)


FORMATS: dict[str, Callable[[Outcome], Iterator[str]]] = {
    "text": as_text,
    "json": as_json,
    "github": as_github,
}


def _counts(outcome: Outcome) -> str:
    return (
        f"{outcome.questions} questions read, {outcome.unreadable} files unreadable: "
        f"{outcome.failures} failures (F), {outcome.warnings} warnings (W)"
    )


def _escape(text: str, more: str = "") -> str:
    """The text with what ends a command or a property written as percent codes; percent comes first."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text

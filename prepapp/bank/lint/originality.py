"""Rule L11: no run of eight words is shared with a source text at hand.

Here: reading source texts, finding shared runs. The texts belong to others and are no part of the project,
so whoever has them names their folder. Not here: sentences two questions share (`bank_rules`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from django.utils.html import strip_tags

from prepapp.bank.lint import words
from prepapp.bank.lint.finding import Finding, fail
from prepapp.bank.lint.parts import texts
from prepapp.bank.transfer.question_file import QuestionFile

RUN = 8
PLAIN = frozenset({".txt", ".md", ".rst", ".py", ".sql"})
MARKED_UP = frozenset({".html", ".htm"})

# Names and their parameters are given by what a function does; so are the modules a program needs.
_SIGNATURES = re.compile(
    r"^[ \t]*(?:async[ \t]+)?(?:def|class)\b.*?:[ \t]*(?:#[^\n]*)?$|^[ \t]*(?:from|import)\b[^\n]*$",
    re.MULTILINE | re.DOTALL,
)

Run = tuple[str, ...]


@dataclass(frozen=True)
class Sources:
    """Source texts as the runs of words that stand in them, each with the name of one text it stands in."""

    texts: int
    runs: dict[Run, str]


def read_sources(folder: Path) -> Sources:
    """Every text below the folder. Raises ValueError when there is none."""
    runs: dict[Run, str] = {}
    count = 0
    for path in sorted(folder.rglob("*")):
        suffix = path.suffix.lower()
        if not path.is_file() or suffix not in PLAIN | MARKED_UP:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if suffix in MARKED_UP:
            text = unescape(strip_tags(text.replace("<", " <")))
        count += 1
        for run in _runs(words.terms(text)):
            runs.setdefault(run, path.relative_to(folder).as_posix())
    if not count:
        raise ValueError(f"there is no text below {folder}; a source is one of {_suffixes()}")
    return Sources(count, runs)


def check_originality(question: QuestionFile, sources: Sources) -> Iterator[Finding]:
    """L11: one finding for each passage, however many runs it is made of. Titles may be quoted."""
    titles = {run for reference in question.references for run in _runs(words.terms(reference.title))}
    for field, text in _written(question):
        terms = words.terms(text)
        shared = [
            index for index, run in enumerate(_runs(terms)) if run in sources.runs and run not in titles
        ]
        for first, last in _stretches(shared):
            passage = terms[first : last + RUN]
            source = sources.runs[tuple(passage[:RUN])]
            message = f"shares {len(passage)} words with {source} ({' '.join(passage)[:60]!r}); write it anew"
            yield fail(question, "L11", field, message)


def _written(question: QuestionFile) -> Iterator[tuple[str, str]]:
    yield from ((field, _without_signatures(text)) for field, text in texts(question))
    yield "data", _without_signatures(question.data)
    yield "weights_note", question.weights_note
    for name in ("rationale", "easier", "harder"):
        yield f"difficulty.{name}", getattr(question.difficulty, name)
    if question.code is None:
        return
    yield "code.solution", _SIGNATURES.sub("", question.code.solution)
    yield "code.check", _SIGNATURES.sub("", question.code.check)
    for index, wrong in enumerate(question.code.wrong):
        yield f"code.wrong[{index}]", _SIGNATURES.sub("", wrong)


def _without_signatures(text: str) -> str:
    """The text with signatures taken out of its code blocks; a line of prose may well open with `from`."""
    return words.in_code_blocks(text, lambda block: _SIGNATURES.sub("", block))


def _runs(terms: Sequence[str]) -> Iterator[Run]:
    return zip(*(terms[start:] for start in range(RUN)), strict=False)


def _stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of each unbroken series of ascending numbers."""
    for index, number in enumerate(numbers):
        if index == 0 or numbers[index - 1] != number - 1:
            first = number
        if index + 1 == len(numbers) or numbers[index + 1] != number + 1:
            yield first, number


def _suffixes() -> str:
    return ", ".join(sorted(PLAIN | MARKED_UP))

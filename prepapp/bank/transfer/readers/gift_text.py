"""The marks of GIFT: escapes, titles, braces, formats, weights.

A backslash before `\\ : # = { } ~` makes that sign plain text, before `n` it is a line break; before
anything else it is a backslash. Here: cutting text at signs that are not escaped. Not here: what the parts
are (`gift`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prepapp.bank.transfer.readers.moodle_text import AUTO, HTML, MARKDOWN, PLAIN

_ESCAPE = re.compile(r"\\([\\:#={}~n])")
# A backslash is taken in one way only: with two, a row of forty is tried for years.
_TITLE = re.compile(r"::((?:\\.|(?!::)[^\\])*+)::", re.DOTALL)
_FORMAT = re.compile(r"\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
_FORMATS = {"html": HTML, "moodle": AUTO, "plain": PLAIN, "markdown": MARKDOWN}
_WEIGHT = re.compile(r"%(-?\d{1,3}(?:\.\d{1,5})?)%")
BLANK = "_____"
_ONE_BRACE = (
    "has one brace without the other; write braces that are text as \\{ and \\}, and leave no blank line "
    "inside a question"
)


@dataclass(frozen=True)
class Parts:
    """A question without its title: `stem` has a blank where the answers were, unless they end it.
    `answers` is None without braces. `trouble` says why the braces cannot be read."""

    stem: str
    answers: str | None = None
    feedback: str = ""
    trouble: str = ""


def unescape(text: str) -> str:
    """The text that is meant."""
    return _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], text)


def split_title(text: str) -> tuple[str, str]:
    """The title, unescaped, and what follows it."""
    match = _TITLE.match(text)
    return (unescape(match[1]).strip(), text[match.end() :].strip()) if match else ("", text)


def split_braces(text: str) -> Parts:
    """The parts of a question; all of them still escaped."""
    opening = next(_find(text, r"[{}]"), None)
    if opening is None:
        return Parts(text)
    closing = next(_find(text[opening:], "}"), None)
    if text[opening] == "}" or closing is None:
        return Parts(text, trouble=_ONE_BRACE)
    before, inside, after = (
        text[:opening],
        text[opening + 1 : opening + closing],
        text[opening + closing + 1 :],
    )
    stem = f"{before}{BLANK}{after}" if after.strip() else before
    ends = list(_find(inside, "####"))
    if not ends:
        return Parts(stem.strip(), inside.strip())
    return Parts(stem.strip(), inside[: ends[-1]].strip(), inside[ends[-1] + 4 :].strip())


def split_format(text: str, default: str = AUTO) -> tuple[str, str]:
    """The text, unescaped, and the format it states in brackets in front."""
    match = _FORMAT.match(text)
    if match is None:
        return unescape(text).strip(), default
    return unescape(text[match.end() :]).strip(), _FORMATS[match[1].lower()]


def split_weight(answer: str) -> tuple[float | None, str]:
    """The percentage an answer states in front, and the answer without it."""
    match = _WEIGHT.match(answer)
    return (float(match[1]), answer[match.end() :]) if match else (None, answer)


def split_at(text: str, sign: str, limit: int = 0) -> list[str]:
    """The text cut at a sign that is not escaped, at most `limit` times."""
    places = list(_find(text, re.escape(sign)))
    places = places[:limit] if limit else places
    starts = [0, *(place + len(sign) for place in places)]
    return [text[start:end] for start, end in zip(starts, [*places, len(text)], strict=True)]


def holds(text: str, sign: str) -> bool:
    """Whether the sign occurs without an escape."""
    return any(True for _ in _find(text, re.escape(sign)))


def _find(text: str, pattern: str) -> Iterator[int]:
    for match in re.finditer(rf"\\.|({pattern})", text, re.DOTALL):
        if match[1] is not None:
            yield match.start()

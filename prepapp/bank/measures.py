"""How long the texts of a document are against the clock, and what its weights come to: for whoever writes.

Here: what to count and against what. Not here: judgement (`lint`), which needs a whole question.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from prepapp.bank.lint import words
from prepapp.bank.lint.text_rules import MINUTES, WORDS, answer_words
from prepapp.bank.transfer.document import Document

POINTS_SUM = 10


def measures(document: Document) -> dict[str, str]:
    """What there is to say by the path of a field or list: "34 words of 20 to 90", "weights 9 of 10"."""
    return dict(_measures(document))


def _measures(document: Document) -> Iterator[tuple[str, str]]:
    for key in ("prompt", "context", "deeper"):
        if text := document.get(key):
            yield key, _length(text, *WORDS[key])
    kind, minutes = str(document.get("kind") or ""), document.get("minutes", 0)
    if kind in MINUTES:
        yield "minutes", f"{kind} takes {MINUTES[kind]}"
    if answer := document.get("model_answer"):
        has_clock = kind in MINUTES and isinstance(minutes, int) and minutes > 0
        yield "model_answer", _length(answer, *(answer_words(kind, int(minutes)) if has_clock else (0, 0)))
    yield from _rubric("rubric", document.get("rubric"), minutes)
    for place, text in enumerate(_listed(document.get("pitfalls"))):
        yield f"pitfalls[{place}]", _length(text, *WORDS["pitfall"])
    for place, part in enumerate(_listed(document.get("followups"))):
        if not isinstance(part, Mapping):
            continue
        if answer := part.get("answer"):
            yield f"followups[{place}].answer", _length(answer, *WORDS["answer"])
        yield from _rubric(f"followups[{place}].rubric", part.get("rubric"), part.get("minutes"))


def _rubric(path: str, rubric: Any, minutes: Any) -> Iterator[tuple[str, str]]:
    points = [point for point in _listed(rubric) if isinstance(point, Mapping)]
    if not points:
        return
    total = sum(point["weight"] for point in points if isinstance(point.get("weight"), int))
    said = f"weights {total} of {POINTS_SUM}"
    if isinstance(minutes, int) and minutes:
        most = minutes * 10 // 6
        said += f" · {len(points)} point{'' if len(points) == 1 else 's'}, {most} fit {minutes} min"
    yield path, said


def _length(text: Any, low: int, high: int) -> str:
    length = words.count(str(text))
    said = f"{length} word{'' if length == 1 else 's'}"
    if not high:
        return said
    return f"{said} of {low} to {high}" if low else f"{said} of at most {high}"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

"""Rubrics as plain paragraphs, the form in which other programs keep notes for whoever grades.

A paragraph is one point: `3 points, must have: Names the leak.` Lines after the first that begin with `Met:`
or `Partial:` are those texts. Points are read in several spellings, in any language's decimal sign;
a paragraph without a number is a point without a weight. Here: text both ways. Not here: HTML (`html_text`).
"""

import re
from collections.abc import Iterable
from typing import Any

Point = dict[str, Any]

_NUMBER = r"(?P<number>\d{1,3}(?:[.,]\d{1,3})?)"
_UNIT = r"(?:points?|pts?\.?|marks?|p\.?)"
# Opening: 2 points, must have: ...; 2 | ...; (2 points) ...; 2p - ... A bare number with a colon or in
# brackets numbers the points more often than it weighs them, and "2 points of failure" weighs nothing.
_OPENING = re.compile(
    rf"""\s*(?:
        {_NUMBER}\s*{_UNIT}(?P<must>,\s*must(?:\s+have)?)?\s*[:|–—-]
        | {_NUMBER.replace("number", "bare")}\s*\|
        | [(\[]\s*{_NUMBER.replace("number", "enclosed")}\s*{_UNIT}\s*[)\]]\s*[:–—-]?
    )[ ]?(?=.*\S)""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = re.compile(rf"[(\[]\s*{_NUMBER}\s*{_UNIT}\s*[)\]]\s*\Z", re.IGNORECASE)
_PARTS = re.compile(r"\s*(met|partial):\s*", re.IGNORECASE)
MAX_WEIGHT = 100


def points_of(paragraphs: Iterable[str]) -> list[Point]:
    """Each paragraph that is not blank as a rubric point: `id` r1, r2, ...; `weight` if it states one above 0
    and at most 100, whole if it has no fraction; `must` if any of them says so; `criterion`; `met` and
    `partial` if it has them."""
    points = [_point(paragraph) for paragraph in paragraphs if paragraph.strip()]
    if any("must" in point for point in points):
        points = [{"must": False, **point} for point in points]
    return [{"id": f"r{number}", **point} for number, point in enumerate(points, 1)]


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of plain text: each line is one, with the indented lines below it."""
    found: list[str] = []
    for line in text.split("\n"):
        if line[:1] in {" ", "\t"} and found and line.strip():
            found[-1] += "\n" + line.strip()
        elif line.strip():
            found.append(line.rstrip("\r"))
    return found


def lines_of(point: Point) -> list[str]:
    """A point in the lines `points_of` reads: the criterion with its weight, then what is met and partial."""
    weight = point.get("weight")
    opening = ""
    if weight is not None:
        unit = "point" if weight == 1 else "points"
        opening = f"{weight:g} {unit}{', must have' if point.get('must') else ''}: "
    lines = [opening + str(point.get("criterion", ""))]
    lines += [f"{key.capitalize()}: {point[key]}" for key in ("met", "partial") if point.get(key)]
    return [line for text in lines for line in text.split("\n")]


def _point(paragraph: str) -> Point:
    lines = paragraph.split("\n")
    point: Point = {}
    texts: dict[str, list[str]] = {"criterion": [_opened(lines[0], point)]}
    current = "criterion"
    for line in lines[1:]:
        if match := _PARTS.match(line):
            current = match[1].lower()
        texts.setdefault(current, []).append(line[match.end() :] if match else line)
    return point | {key: "\n".join(value) for key, value in texts.items()}


def _opened(line: str, point: Point) -> str:
    """The line without its weight, which is put into the point."""
    match = _OPENING.match(line)
    if match and (weight := _weight(match["number"] or match["bare"] or match["enclosed"])):
        point["weight"] = weight
        if match["must"]:
            point["must"] = True
        return line[match.end() :]
    match = _CLOSING.search(line)
    if match and line[: match.start()].strip() and (weight := _weight(match["number"])):
        point["weight"] = weight
        return line[: match.start()].rstrip()
    return line


def _weight(number: str) -> float | int | None:
    value = float(number.replace(",", "."))
    if not 0 < value <= MAX_WEIGHT:
        return None
    return int(value) if value == int(value) else value

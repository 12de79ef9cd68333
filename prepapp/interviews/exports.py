"""How an export is written down: CSV for spreadsheets, JSON for everything else. Values in, text out; what
they are is decided in `logbook.exporting`."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

Entry = dict[str, Any]

# A spreadsheet runs a cell that starts like this; the last two are taken off before it looks.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

_ATTEMPT = (
    *("id", "interview", "track", "mode", "level", "state", "minutes", "time_allowance"),
    *("started_at", "deadline_at", "finished_at", "ended", "graded_at", "score"),
)
_ANSWER = (
    *("position", "topic", "question", "version", "follow_up", "title", "prompt", "asked_at", "text"),
    *("is_skipped", "minutes", "seconds_spent"),
)
COLUMNS = (
    *(f"attempt_{name}" if name in {"id", "score"} else name for name in _ATTEMPT),
    *({"text": "answer", "minutes": "answer_minutes"}.get(name, name) for name in _ANSWER),
    *("late_text", "grading", "grading_closed_at", "confidence", "answer_score"),
    *("marks", "weights", "first_marks", "quotes", "fix_next"),
)


def csv_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """A header, then one line for each answer, or for each grading of it. Lines end with CR LF."""
    yield _csv_line(COLUMNS)
    for entry in entries:
        for row in csv_rows(entry):
            yield _csv_line(row)


def csv_rows(entry: Entry) -> Iterator[list[Any]]:
    """The rows of one attempt in the order of COLUMNS; one row even if nothing was asked."""
    about = [entry[name] for name in _ATTEMPT]
    for answer in entry["answers"] or [{}]:
        grades = [
            (grading, grade)
            for grading in entry["gradings"]
            for grade in grading["answers"]
            if grade["position"] == answer.get("position")
        ]
        for grading, grade in grades or [({}, {})]:
            yield [
                *about,
                *(answer.get(name) for name in _ANSWER),
                "\n\n".join(late["text"] for late in answer.get("late_texts", ())),
                grading.get("number"),
                grading.get("closed_at"),
                grade.get("confidence"),
                grade.get("score"),
                *_mark_cells(grade.get("marks", ())),
                grade.get("fix_next"),
            ]


def json_parts(entries: Iterable[Entry], samples: Iterable[Entry], exported_at: datetime) -> Iterator[str]:
    """One JSON document in parts: `{"exported_at", "attempts": [...], "samples": [...]}`. Texts as they are
    stored."""
    yield f'{{"exported_at": {_json(exported_at)}, "attempts": ['
    yield from _json_items(entries)
    yield '\n], "samples": ['
    yield from _json_items(samples)
    yield "\n]}\n"


def cell(value: Any) -> Any:
    """A value as a cell. Numbers stay numbers, negative ones too; text that a spreadsheet would run gets an
    apostrophe in front."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def instant(value: datetime) -> str:
    """ISO 8601 in UTC: 2026-11-12T14:03:00Z."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _mark_cells(marks: Iterable[Entry]) -> tuple[str, str, str, str]:
    """Marks, weights, first marks and quotes, one point a line: `r1: 0.5`. Weights are those of points whose
    rubric may be seen."""
    given = list(marks)
    return (
        "\n".join(f"{mark['point']}: {mark['value']:g}" for mark in given),
        "\n".join(f"{mark['point']}: {mark['weight']}" for mark in given if mark["weight"] is not None),
        "\n".join(f"{mark['point']}: {mark['first_value']:g}" for mark in given),
        "\n".join(f"{mark['point']}: {mark['quote']}" for mark in given if mark["quote"]),
    )


def _csv_line(values: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([cell(value) for value in values])
    return line.getvalue()


def _json_items(entries: Iterable[Entry]) -> Iterator[str]:
    for number, entry in enumerate(entries):
        yield f"{',' if number else ''}\n{_json(entry)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no form in an export")

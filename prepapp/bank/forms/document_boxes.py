"""What a page needs to show the form of a question: boxes, rows, and what is said beside each.

Here: from a form that was read to nested values a template walks over. Not here: reading (`document_form`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from prepapp.bank.forms.document_fields import QUESTION, Field, Part, Shape
from prepapp.bank.forms.document_form import DocumentForm
from prepapp.bank.lint.finding import FAIL, Finding

# How many rows a list shows at least; one empty row more than is filled in any case.
_LEAST = {"rubric": 4, "pitfalls": 2, "wrong": 2}
_INNER_LEAST = 2
# How a reader of files says it; a form has fields, not keys.
_MISSING = "the required key"

# Choices in groups, (title of the group, choices); a group without a title stands alone.
Grouped = Sequence[tuple[str, Sequence[tuple[str, str]]]]


@dataclass(frozen=True)
class Box:
    """One field: what it is, what stands in it, what is wrong with it, what the lint and the count say."""

    field: Field
    name: str
    value: str
    error: str = ""
    choices: Grouped = ()
    findings: tuple[Finding, ...] = ()
    measure: str = ""

    @property
    def widget(self) -> str:
        return self.field.shape.value

    @property
    def is_unlisted(self) -> bool:
        """A value that is not among the choices still stands there."""
        return bool(self.value) and self.value not in {value for _, part in self.choices for value, _ in part}


@dataclass(frozen=True)
class Row:
    """One object: of a list, or the question itself."""

    name: str
    boxes: Mapping[str, Box]
    lists: Mapping[str, "Rows"]
    parts: Mapping[str, "Row"]
    number: int = 0
    was: str = ""
    position: str = ""
    is_removed: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def is_filled(self) -> bool:
        return any(box.value for box in self.boxes.values()) or any(
            rows.is_filled for rows in self.lists.values()
        )


@dataclass(frozen=True)
class Rows:
    """A list with its rows, the empty ones among them."""

    name: str
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...] = ()
    measure: str = ""

    @property
    def is_filled(self) -> bool:
        return any(row.is_filled for row in self.rows)

    @property
    def filled(self) -> int:
        return sum(row.is_filled for row in self.rows)


@dataclass(frozen=True)
class Said:
    """What is said beside the fields, by their names: findings of the lint, and counts."""

    findings: Mapping[str, tuple[Finding, ...]]
    measures: Mapping[str, str]

    @property
    def failing(self) -> int:
        return sum(found.severity == FAIL for part in self.findings.values() for found in part)

    @property
    def warning(self) -> int:
        return sum(found.severity != FAIL for part in self.findings.values() for found in part)


def said_of(form: DocumentForm, findings: Sequence[Finding], measures: Mapping[str, str]) -> Said:
    """Findings and counts under the names of the fields they belong to; '' for the question as a whole."""
    by_name: dict[str, tuple[Finding, ...]] = {}
    for finding in findings:
        name = form.name_of(finding.field)
        is_missing = finding.message.startswith(_MISSING)
        said = replace(finding, message="is still missing") if is_missing else finding
        by_name[name] = (*by_name.get(name, ()), said)
    return Said(by_name, {form.name_of(path): text for path, text in measures.items()})


def boxes_of(form: DocumentForm, said: Said, topics: Grouped) -> Row:
    """The whole form."""
    return _row(form, said, topics, QUESTION, "")


def _row(form: DocumentForm, said: Said, topics: Grouped, part: Part, name: str, number: int = 0) -> Row:
    prefix = f"{name}-" if name else ""
    rows = {key: _rows(form, said, topics, inner, f"{prefix}{key}") for key, inner in part.lists.items()}
    rows |= {
        key: _rows(form, said, topics, Part(fields=(field,)), f"{prefix}{key}")
        for key, field in part.texts.items()
    }
    return Row(
        name=name,
        boxes={field.key: _box(form, said, topics, field, f"{prefix}{field.key}") for field in part.fields},
        lists=rows,
        parts={key: _row(form, said, topics, inner, f"{prefix}{key}") for key, inner in part.parts.items()},
        number=number,
        was=form.data.get(f"{prefix}was", ""),
        position=form.data.get(f"{prefix}position", ""),
        is_removed=bool(form.data.get(f"{prefix}remove")),
        findings=said.findings.get(name, ()) if name else (),
    )


def _rows(form: DocumentForm, said: Said, topics: Grouped, part: Part, name: str) -> Rows:
    pattern = re.compile(rf"{re.escape(name)}-([0-9]{{1,3}})-")
    numbers = sorted({int(match[1]) for key in form.data if (match := pattern.match(key))})
    rows = [
        _row(form, said, topics, part, f"{name}-{number}", place) for place, number in enumerate(numbers, 1)
    ]
    rows = [row for row in rows if row.is_filled or row.was]
    key = name.rpartition("-")[2]
    least = _INNER_LEAST if name.startswith("followups-") else _LEAST.get(key, 1)
    first = max(numbers, default=-1) + 1
    for place in range(max(least - len(rows), 1)):
        rows.append(_row(form, said, topics, part, f"{name}-{first + place}", len(rows) + 1))
    return Rows(name, tuple(rows), said.findings.get(name, ()), said.measures.get(name, ""))


def _box(form: DocumentForm, said: Said, topics: Grouped, field: Field, name: str) -> Box:
    choices: Grouped = (("", field.choices),) if field.choices else ()
    if field.shape is Shape.CHOICE and not choices:
        choices = (("", (("", "Not chosen yet"),)), *topics)
    return Box(
        field=field,
        name=name,
        value=form.data.get(name, ""),
        error=form.errors.get(name, ""),
        choices=choices,
        findings=said.findings.get(name, ()),
        measure=said.measures.get(name, ""),
    )

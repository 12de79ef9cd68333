"""Spreadsheets: what is no text becomes text and is said, formulas are never computed, limits hold."""

import io
import re
import zipfile
from datetime import date, datetime, time
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from prepapp.bank.transfer.item import Entry, Item, Reading
from prepapp.bank.transfer.readers import read_file
from prepapp.bank.transfer.writers import Unwritable, write_file
from tests.bank.transfer.case_files import noted, refused
from tests.bank.transfer.entries import cased, reread, shipped, there_and_back

pytestmark = pytest.mark.embedded


def book(*rows: list[Any], sheet: str = "Sheet1", others: tuple[str, ...] = ()) -> bytes:
    """A spreadsheet with these rows on one sheet behind the others."""
    made = Workbook()
    made.remove(made.active)
    for title in others:
        made.create_sheet(title).append(["nothing"])
    target = made.create_sheet(sheet)
    for row in rows:
        target.append(row)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def read(*rows: list[Any]) -> list[Item]:
    reading = read_file("book.xlsx", book(*rows))
    assert reading.refusals == ()
    return list(reading.items)


def reading_of(files: dict[str, bytes]) -> Reading:
    """The reading of a zip with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return read_file("book.xlsx", out.getvalue())


def test_rows_are_read_by_their_numbers() -> None:
    items = read(["title", "prompt"], ["A", "one\ntwo"], [None, None], ["B", "x"])
    assert [(item.place, item.document) for item in items] == [
        ("row 2", {"title": "A", "prompt": "one\ntwo"}),
        ("row 4", {"title": "B", "prompt": "x"}),
    ]
    assert [item.notices + item.faults for item in items] == [(), ()]


def test_the_sheet_named_questions_comes_before_the_first() -> None:
    reading = read_file(
        "b.xlsx", book(["title", "prompt"], ["A", "b"], sheet=" Questions", others=("Notes",))
    )
    assert (reading.detected, len(reading.items)) == ("XLSX, sheet ' Questions' of 2", 1)
    first = read_file("b.xlsx", book(["title", "prompt"], ["A", "b"]))
    assert (first.detected, len(first.items)) == ("XLSX, sheet 'Sheet1' of 1", 1)


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        (1.1, "1.1", "holds a number, taken as the text '1.1'; format the cell as text to be sure"),
        (12.0, "12", "holds a number, taken as the text '12'; format the cell as text to be sure"),
        (date(2026, 3, 29), "2026-03-29", "holds a date, taken as the text '2026-03-29'; format the cell as text to be sure"),
        (datetime(2026, 3, 29, 12, 30), "2026-03-29 12:30:00", "holds a date, taken as the text '2026-03-29 12:30:00'; format the cell as text to be sure"),
        (time(12, 30), "12:30:00", "holds a time, taken as the text '12:30:00'; format the cell as text to be sure"),
        (True, "true", "holds a yes/no value, taken as the text 'true'; format the cell as text to be sure"),
        ("=1+1", "=1+1", "holds a formula, taken as the text '=1+1'; its value is not computed"),
        ("#N/A", "#N/A", "holds a fault of the spreadsheet, taken as the text '#N/A'; format the cell as text to be sure"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_taken_as_text_and_said(value: Any, text: str, said: str) -> None:
    (item,) = read(["title", "prompt"], ["A", value])
    assert item.document == {"title": "A", "prompt": text}
    assert noted(item) == [("prompt", said)]


def test_a_number_where_one_is_wanted_is_nothing_to_say() -> None:
    (item,) = read(["title", "minutes", "review.reviewed"], ["A", 6, date(2026, 11, 30)])
    assert item.document == {"title": "A", "minutes": 6, "review": {"reviewed": "2026-11-30"}}
    assert item.notices == ()


def test_spelt_out_signs_are_those_signs() -> None:
    (item,) = read(["title", "prompt"], ["A", "one_x000D_\ntwo"])
    assert item.document["prompt"] == "one\r\ntwo"
    (zero,) = read(["title", "prompt"], ["A", "one_x0000_two"])
    assert [fault.field for fault in zero.faults] == ["prompt"]


def test_no_cell_of_an_export_is_a_formula() -> None:
    for entries in (cased("f10_formula_cells.csv"), shipped()[:5]):
        sheet = load_workbook(io.BytesIO(write_file("xlsx", entries))).active
        assert sheet is not None and sheet.title == "questions"
        kinds = {cell.data_type for row in sheet.iter_rows() for cell in row if cell.value is not None}
        assert kinds == {"s", "n"}
        texts = [cell.value for row in sheet.iter_rows() for cell in row if cell.data_type == "s"]
        assert [text for text in texts if re.match(r"\s*[=+@-]", text)] == []


@pytest.mark.parametrize("text", ["_x000D_", "a\rb", " blank around ", "\n", "_x005F_x000D_", "'=1", "#N/A"])
def test_signs_a_sheet_has_its_own_meaning_for_come_back(text: str) -> None:
    entry = Entry("", "draft", {"slug": "s", "prompt": text})
    assert there_and_back("xlsx", [entry]) == [entry]
    assert [item.notices for item in reread("xlsx", [entry]).items] == [()]


def test_what_fits_into_no_cell_is_refused_by_name() -> None:
    long = Entry("", "draft", {"slug": "long", "pitfalls": ["a" * 20_000, "b" * 20_000]})
    with pytest.raises(
        Unwritable, match=r"^long: pitfalls is 40,001 characters long and a cell holds 32,767; "
    ):
        write_file("xlsx", [long])


def test_no_more_rows_than_are_taken() -> None:
    rows = [["title", "prompt"], *[["A", "b"]] * 10_001]
    assert refused(read_file("b.xlsx", book(*rows))) == [
        "holds more than 10,000 questions; split it into files of 10,000"
    ]


def test_a_row_number_that_no_sheet_has_ends_the_reading() -> None:
    with zipfile.ZipFile(io.BytesIO(book(["title", "prompt"], ["A", "b"]))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    files[sheet] = files[sheet].replace(b'<row r="2"', b'<row r="999999999"')
    reading = reading_of(files)
    assert (reading.items, reading.refusals) == ((), ())


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("xl/workbook.xml", b"not xml"),
        ("xl/worksheets/sheet1.xml", b"<worksheet>"),
        ("xl/worksheets/sheet1.xml", b'<!DOCTYPE a [<!ENTITY e "x">]><worksheet>&e;</worksheet>'),
        ("[Content_Types].xml", b""),
    ],
)
def test_a_damaged_spreadsheet_is_refused(part: str, content: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(book(["title"], ["A"]))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert refused(reading_of({**files, part: content})) == [
        "the spreadsheet cannot be read; open it, save it as .xlsx and try again"
    ]


def test_a_sheet_that_grows_too_much_is_refused_unread() -> None:
    reading = reading_of({"xl/workbook.xml": b"<a/>", "xl/worksheets/sheet1.xml": b" " * 10_000_000})
    (message,) = refused(reading)
    assert "the zip unpacks to more than 100 times its size; pack plain files only" in message

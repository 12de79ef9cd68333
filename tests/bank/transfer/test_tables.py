"""Tables as text: the case files, dialects, notations of cells, and the guard before formulas."""

import csv
import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.bank.transfer.item import Entry, Item
from prepapp.bank.transfer.readers import read_file
from prepapp.bank.transfer.readers.columns import unguarded
from prepapp.bank.transfer.writers import write_file
from prepapp.bank.transfer.writers.cells import COLUMNS, guarded
from tests.bank.transfer.case_files import by_label, noted, read_case, refused, said
from tests.bank.transfer.entries import cased, shipped, there_and_back

pytestmark = pytest.mark.embedded

HEAD = "slug,title,category,prompt,rubric,tags"


def rows(text: str, name: str = "table.csv") -> list[Item]:
    """The items of a table in UTF-8."""
    reading = read_file(name, text.encode())
    assert reading.refusals == ()
    return list(reading.items)


def cell(column: str, text: str) -> Item:
    """The item of a table whose only other column is the title."""
    target = io.StringIO()
    csv.writer(target).writerows([["title", column], ["T", text]])
    (item,) = rows(target.getvalue())
    return item


def test_semicolons_and_windows_letters() -> None:
    reading = read_case("f08_excel_semicolon_cp1252.csv")
    assert reading.format == "csv"
    assert reading.detected == ("CSV, Windows-1252 (a guess: look at the accents), separated by semicolons")
    assert [item.place for item in reading.items] == ["row 2", "row 3", "row 4", "row 5"]
    found = by_label(reading)
    assert found["net-201"].document == {
        "slug": "net-201",
        "title": "What is a “socket”?",
        "level": "intermediate",
        "tags": ["tcp", "basics"],
        "prompt": "Explain a socket to a junior – in two sentences.",
        "model_answer": "It’s one end of a two-way link.",
        "rubric": [
            {"id": "r1", "weight": 1, "criterion": "address and port"},
            {"id": "r2", "weight": 1, "criterion": "an endpoint of a connection"},
        ],
        "category": ["Interview", "Réseaux"],
    }
    appel = found["net-202"].document
    assert appel["prompt"] == "Un appel coûte 0,05 €. Combien pour 1,5 million d’appels ?"
    assert [point["criterion"] for point in appel["rubric"]] == [
        "75\xa0000 € est juste",
        "montre le calcul; pas seulement le résultat",
    ]
    assert found["net-203"].document["title"] == "Straße, größer, œuvre"
    assert found["net-203"].document["prompt"] == 'Why does "Straße" have 6 letters but 7 bytes in UTF-8?'
    halves = found["net-204"]
    assert [point["weight"] for point in halves.document["rubric"]] == [1.5, 1.5]
    assert noted(halves)[:2] == [("rubric", "1,5 points are taken as 1.5")] * 2


def test_the_text_of_formulas_is_kept() -> None:
    items = by_label(read_case("f10_formula_cells.csv"))
    assert [(item.faults, item.notices) for item in items.values()] == [((), ())] * 7
    assert {slug: item.document["title"] for slug, item in items.items()} == {
        "fx-1": "=1+1",
        "fx-2": "+49 30 000000",
        "fx-3": "-5 degrees",
        "fx-4": "@SUM(1,1)",
        "fx-5": "\t=1+1",
        "fx-6": '=HYPERLINK("https://example.test/?x="&A1,"click me")',
        "fx-7": "plain title",
    }
    assert items["fx-3"].document["prompt"] == "- first bullet\n- second bullet"
    assert items["fx-7"].document["prompt"] == "=2*3"


@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_no_exported_cell_is_run_and_a_second_round_adds_nothing(name: str) -> None:
    entries = cased("f10_formula_cells.csv")
    written = write_file(name, entries)
    cells = [
        text
        for row in csv.reader(
            io.StringIO(written.decode("utf-8-sig"), newline=""), delimiter=",\t"[name == "tsv"]
        )
        for text in row
    ]
    assert [text for text in cells if text.lstrip()[:1] in set("=+-@") or text[:1] in set("\t\r\n")] == []
    assert [text for text in cells if text.startswith("'")] == [
        *("'=1+1", "'+49 30 000000", "'-5 degrees", "'- first bullet\n- second bullet", "'@SUM(1,1)", "'\t=1+1"),
        *("'=HYPERLINK(\"https://example.test/?x=\"&A1,\"click me\")", "'=2*3"),
    ]  # fmt: skip
    assert write_file(name, there_and_back(name, entries)) == written


@given(st.text(st.sampled_from("'=+-@\t\r\n =＋ab")))
def test_a_guard_can_always_be_taken_off(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text).lstrip()[:1] not in set("=+-@＝＋－＠")


def test_an_apostrophe_of_another_table_is_text() -> None:
    item = cell("prompt", "'=1+1")
    assert item.document["prompt"] == "'=1+1"
    assert noted(item) == [("prompt", "begins with an apostrophe, which is kept as part of the text")]


def test_two_columns_of_one_name_refuse_the_table() -> None:
    assert refused(read_case("f11_duplicate_headers.csv")) == [
        "the columns 'title' and 'Title ' are the same field; keep one of them and rename the other",
        "the columns 'prompt' and 'prompt' are the same field; keep one of them and rename the other",
    ]
    assert refused(read_file("t.csv", b"question,answer,Prompt\na,b,c\n")) == [
        "the columns 'question' and 'Prompt' are the same field; keep one of them and rename the other"
    ]


def test_an_empty_file_and_a_heading_alone_are_told_apart() -> None:
    assert refused(read_case("f19_empty.csv")) == ["the file is empty"]
    assert refused(read_file("t.csv", b"\xef\xbb\xbf\r\n \r\n")) == ["the file is empty"]
    reading = read_case("f20_header_only.csv")
    assert (reading.items, reading.refusals) == ((), ())


def test_unicode_text_of_a_spreadsheet() -> None:
    reading = read_case("f24_excel_unicode_text.txt")
    assert (reading.format, reading.detected) == ("tsv", "TSV, UTF-16, separated by tabs")
    assert [item.document["title"] for item in reading.items] == [
        "What is a cache?",
        "Qu’est-ce qu’un cache\xa0?",
        "キャッシュとは？",
    ]
    assert reading.items[2].document["prompt"] == "二文で説明してください。"
    assert [item.faults for item in reading.items] == [()] * 3


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_every_separator_in_every_unicode_encoding(separator: str, codec: str) -> None:
    text = separator.join(["slug", "title", "prompt"]) + "\r\n"
    text += separator.join(["a-1", "größer, weiter; höher", '"zwei\r\nZeilen"']) + "\r\n"
    text = text.replace("größer, weiter; höher", '"größer, weiter; höher"')
    reading = read_file("table.csv", text.encode(codec))
    assert [item.document for item in reading.items] == [
        {"slug": "a-1", "title": "größer, weiter; höher", "prompt": "zwei\r\nZeilen"}
    ]


def test_a_named_separator_counts_as_a_row() -> None:
    (item,) = rows("sep=;\r\ntitle;prompt\r\nA;B\r\n")
    assert (item.place, item.document) == ("row 3", {"title": "A", "prompt": "B"})


def test_rows_are_counted_as_a_spreadsheet_does() -> None:
    items = rows('title,prompt\nA,"one\ntwo\nthree"\n\n,\nB,x\n')
    assert [(item.place, item.document["title"]) for item in items] == [("row 2", "A"), ("row 5", "B")]


def test_a_row_that_is_too_long_or_too_short() -> None:
    long, short = rows("title,prompt\nA,b,c\nB\n")
    assert said(long) == [("", "has 3 cells under 2 columns; put text with separators in quotes")]
    assert noted(short) == [("", "has 1 cells under 2 columns; the others count as empty")]
    assert short.document == {"title": "B"}


def test_a_column_we_do_not_know_is_named_where_it_says_something() -> None:
    first, second = rows("title,colour,\nA,red,\nB,,note\n")
    assert noted(first) == [("colour", "'colour' is no field of a question and is left out")]
    assert noted(second) == [("column 3", "'column 3' is no field of a question and is left out")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'title,prompt\nA,"never closed\nB,c\n', "row 2: a quotation mark is not closed or stands inside a cell; double each mark inside a quoted cell"),
        (b'title,prompt\nA,b\nB,"c"d\n', "row 3: a quotation mark is not closed or stands inside a cell; double each mark inside a quoted cell"),
        (b"colour,shape\nred,round\n", "row 1 names neither a column title nor a column prompt; it reads 'colour', 'shape'"),
        (b"title," + b"a," * 200 + b"b\n", "has 202 columns; keep it to 200"),
        (b"title,prompt\n" + b"a,b\n" * 10_001, "holds more than 10,000 questions; split it into files of 10,000"),
        (b"title,prompt\nA," + b"x" * 140_000, "row 2: a cell is longer than 131,072 characters; perhaps a quotation mark is not closed"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_told_apart_is_refused_whole(data: bytes, message: str) -> None:
    assert refused(read_file("table.csv", data)) == [message]


def test_rows_beyond_those_that_are_taken_are_not_held_in_memory() -> None:
    data = b"title,prompt\n" + b"a,b\n" * 300_000
    tracemalloc.start()
    reading = read_file("table.csv", data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused(reading) == ["holds more than 10,000 questions; split it into files of 10,000"]
    assert most < 30_000_000


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("1 | one\n2|two\r\n\n0.5 |  three ", [(1, "one"), (2, "two"), (0.5, " three ")]),
        ("1,50 | a", [(1.5, "a")]),
        ("a | b", [(None, "a | b")]),
        ("no points at all", [(None, "no points at all")]),
        ("1 | a | b", [(1, "a | b")]),
        ('[{"points": 2, "text": "x\\ny"}]', [(2, "x\ny")]),
    ],
)
def test_rubric_cells(text: str, points: list[tuple[float | None, str]]) -> None:
    item = cell("rubric", text)
    assert item.faults == ()
    assert [(point.get("weight"), point["criterion"]) for point in item.document["rubric"]] == points
    assert [point["id"] for point in item.document["rubric"]] == [f"r{n + 1}" for n in range(len(points))]


@pytest.mark.parametrize("number", ["-1", "0", "1e308", "101", "1,500", "1.2.3"])
def test_odd_points_in_a_cell_are_named(number: str) -> None:
    item = cell("rubric", f"{number} | text")
    assert said(item) == [
        ("rubric[0].points", f"'{number}' is no number of points; write a number above 0 and at most 100")
    ]


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("tags", "a, b,,c", ["a", "b", "c"]),
        ("tags", "a;b", ["a", "b"]),
        ("tags", "a, b\nc;d", ["a, b", "c;d"]),
        ("tags", '["c,d", "e;f"]', ["c,d", "e;f"]),
        ("Common mistakes", "one\n\ntwo", ["one", "two"]),
        ("follow-ups", "What if?\nAnd then?", [{"id": "f1", "prompt": "What if?"}, {"id": "f2", "prompt": "And then?"}]),
        ("references", "A book\nPaper <https://a.test/x>\nhttps://b.test", [{"title": "A book"}, {"title": "Paper", "url": "https://a.test/x"}, {"url": "https://b.test"}]),
        ("difficulty.easier", "less", {"easier": "less"}),
        ("review", '{"reviewed": "2026-11-30"}', {"reviewed": "2026-11-30"}),
    ],
)  # fmt: skip
def test_cells_of_lists_and_blocks(column: str, text: str, value: object) -> None:
    item = cell(column, text)
    assert item.faults == ()
    assert [found for key, found in item.document.items() if key != "title"] == [value]


@pytest.mark.parametrize(
    ("column", "text", "faults"),
    [
        ("references", '[{"title": ]', [("references", "begins like JSON and cannot be read as such: Expecting value: line 1 column 12 (char 11)")]),
        ("more", "[1]", [("more", "is a list where a JSON object is expected")]),
        ("minutes", "ten", [("minutes", "'ten' is no number of minutes; write a whole number above 0 and at most 600")]),
        ("prompt", "a\0b", [("prompt", "holds the control character NUL; delete it")]),
    ],
)  # fmt: skip
def test_a_cell_that_does_not_fit_is_named(column: str, text: str, faults: list[tuple[str, str]]) -> None:
    assert said(cell(column, text)) == faults


def test_a_block_in_one_column_and_in_several_is_a_fault() -> None:
    (item,) = rows('title,difficulty,difficulty.easier\nA,"{""harder"": ""x""}",less\n')
    message = "is stated both in a column of its own and in columns difficulty.…; keep one of them"
    assert said(item) == [("difficulty", message)]


def test_a_filled_cell_counts_before_what_stands_under_more() -> None:
    (item,) = rows('title,packs,more\nA,nvidia,"{""packs"": [], ""context"": """"}"\n')
    assert item.document == {"title": "A", "packs": ["nvidia"], "context": ""}


def test_a_cell_is_written_for_people_where_that_says_all() -> None:
    document = {
        "slug": "s",
        "tags": ["a", "b"],
        "rubric": [{"id": "r1", "weight": 0.5, "criterion": " x | y"}],
        "pitfalls": ["one", "two"],
        "packs": [],
        "context": "",
        "category": ["A", "TCP/IP"],
    }
    text = write_file("csv", [Entry("", "draft", document)]).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert {column: value for column, value in row.items() if value} == {
        "schema": "1",
        "status": "draft",
        "category": "A / TCP//IP",
        "slug": "s",
        "tags": "a, b",
        "rubric": "0.5 |  x | y",
        "pitfalls": "one\ntwo",
        "packs": "[]",
        "more": '{"context": ""}',
    }


def test_the_columns_of_an_export() -> None:
    text = write_file("tsv", shipped()[:1]).decode("utf-8-sig")
    assert text.split("\r\n")[0].split("\t") == [f'"{column}"' for column in COLUMNS]
    assert COLUMNS[:6] == ("schema", "id", "status", "topic", "category", "slug")

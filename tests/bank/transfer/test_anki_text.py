"""Notes of Anki as text: headers, quotes, columns, clozes."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.anki_text import read_anki_text

EXPORT = (
    "#separator:tab\r\n"
    "#html:true\r\n"
    "#guid column:1\r\n"
    "#notetype column:2\r\n"
    "#deck column:3\r\n"
    "#tags column:6\r\n"
    'kQ#9\tBasic\tInterview::Shell\tWhat does <b>set -e</b> do?\t"It stops at a failure,<br>""mostly""."\tshell c&a\r\n'
    "# a comment\r\n"
    'aa\tBasic\tMemory hierarchy\t"Two\r\nlines"\tx\t\r\n'
    "\r\n"
    "bb\tCloze\tDefault\t{{c1::Paris}} is in {{c2::France::a country}}.\tEurope [sound:paris.mp3]\t\r\n"
)


def read(text: str) -> Reading:
    return read_anki_text(text.encode(), "notes.txt")


def documents(text: str) -> list[dict[str, Any]]:
    reading = read(text)
    assert reading.refusals == ()
    assert [item.faults for item in reading.items] == [()] * len(reading.items)
    return [item.document for item in reading.items]


def test_a_whole_export() -> None:
    reading = read(EXPORT)

    assert (reading.format, reading.detected) == ("anki-text", "Anki text, separated by tabs, UTF-8")
    assert reading.items == (
        Item(
            "line 7",
            {
                "tags": ["shell", "c&a"],
                "prompt": "What does **set -e** do?",
                "model_answer": 'It stops at a failure,\\\n"mostly".',
                "category": ["Interview", "Shell"],
                "source": "Anki note id: kQ#9",
            },
        ),
        Item(
            "lines 9-10",
            {
                "prompt": "Two lines",
                "model_answer": "x",
                "topic": "gpu.memory",
                "source": "Anki note id: aa",
            },
        ),
        Item(
            "line 12",
            {
                "prompt": "[...] is in [a country].",
                "model_answer": "Paris is in France.\n\nEurope",
                "category": ["Default"],
                "source": "Anki note id: bb",
            },
            notices=(
                Notice("prompt", "a cloze note: the prompt has its gaps, the model answer has them filled"),
                Notice("model_answer", 'the sound "paris.mp3" is not kept; put it into words'),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("front;back", [{"prompt": "front", "model_answer": "back"}]),
        ("#separator:Pipe\na;b|c", [{"prompt": "a;b", "model_answer": "c"}]),
        ("#separator:,\na,b", [{"prompt": "a", "model_answer": "b"}]),
        ("#separator:\t\na\tb", [{"prompt": "a", "model_answer": "b"}]),
        ("tags:one two\n#deck:A::B\na\tb", [{"tags": ["one", "two"], "prompt": "a", "model_answer": "b", "category": ["A", "B"]}]),
        (
            "#tags:level:senior x\n#columns:Back\tFront\tTitle\tHint\nb\ta\tT\th",
            [
                {
                    "title": "T",
                    "level": "senior",
                    "tags": ["x"],
                    "prompt": "a",
                    "model_answer": "b",
                    "deeper": "Hint: h",
                }
            ],
        ),
        ("#html:false\na <b>\t&amp;", [{"prompt": "a <b>", "model_answer": "&amp;"}]),
        ("a <b>b</b>\tx &amp; y", [{"prompt": "a **b**", "model_answer": "x & y"}]),
        ("1 < 2\tx & y", [{"prompt": "1 < 2", "model_answer": "x & y"}]),
        ("only a front", [{"prompt": "only a front"}]),
        ("a\tb\tc\td", [{"prompt": "a", "model_answer": "b", "deeper": "c\n\nd"}]),
        ("{{c1::a {{c2::b}} c}}\t", [{"prompt": "[...]", "model_answer": "a b c"}]),
        ("#tags column:99\n#deck column:x\na\tb", [{"prompt": "a", "model_answer": "b"}]),
        ("#unknown:1\n#\n\"#a\"\tb", [{"prompt": "#a", "model_answer": "b"}]),
    ],
)  # fmt: skip
def test_headers_and_columns(text: str, expected: list[dict[str, Any]]) -> None:
    assert documents(text) == expected


def test_what_is_kept_elsewhere_is_said() -> None:
    [item] = read("#columns:Front\tBack\tHint\t\na\tb\tc\td").items

    assert item.notices == (
        Notice("deeper", "holds what the note had besides front and back: Hint, a field without a name"),
    )


def test_a_picture_is_named_as_lost() -> None:
    [item] = read('#html:true\n"<img src=""a b.png"">What is it?"\tb').items

    assert item.document["prompt"] == "What is it?"
    assert item.notices == (Notice("prompt", 'the picture "a b.png" is not kept; put it into words'),)


def test_quotes_that_do_not_match_cost_that_row_only() -> None:
    items = read('#separator:tab\n"a"b\tc\nd\te\n"f\tg\nh').items

    assert [(item.place, item.document, len(item.faults)) for item in items] == [
        ("line 2", {}, 1),
        ("line 3", {"prompt": "d", "model_answer": "e"}, 0),
        ("lines 4-5", {}, 1),
    ]


def test_a_row_without_a_prompt_is_a_fault() -> None:
    [item] = read("#columns:Front\tBack\n\tb").items

    assert item.faults == (Notice("prompt", "there is neither a title nor a prompt; write one of them"),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"#separator:tab\n\n", "0 questions found"),
        (b"Caf\xe9\tx", "the file is not UTF-8; save it with the encoding UTF-8"),
    ],
)
def test_a_file_that_is_refused(data: bytes, message: str) -> None:
    assert read_anki_text(data, "x.txt").refusals == (Notice("", message),)


PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(str.strip)


@settings(deadline=None)
@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=4), st.sampled_from(["\t", ";", ",", "|"]))
def test_what_a_csv_writer_wrote_comes_back(rows: list[tuple[str, str]], separator: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)

    read_back = documents(f"#separator:{separator}\n#html:false\n{file.getvalue()}")

    assert [(found["prompt"], found["model_answer"]) for found in read_back] == rows


@settings(deadline=None)
@given(
    st.one_of(st.binary(max_size=2000), st.text(st.sampled_from('#separator:tab\n"\t;,{}c1')).map(str.encode))
)
def test_no_file_stops_the_reader(data: bytes) -> None:
    read_anki_text(data, "x.txt")

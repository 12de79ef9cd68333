"""GIFT with its escapes, comments, categories and types, and with what goes wrong in it."""

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.item import Item, Notice
from prepapp.bank.transfer.readers.gift import read_gift
from prepapp.bank.transfer.readers.gift_text import split_title, unescape
from tests.bank.transfer.foreign import case_file

SHELL = ["Interview", "Shell"]
ITERATORS = ["Interview", "Python", "Iterators"]
# Text that GIFT can hold: no control characters, no blanks at the edges, which no question keeps.
TEXT = st.text(
    st.one_of(st.sampled_from("\\:#={}~n[]% \n/->_ab"), st.characters(exclude_categories=["Cs", "Cc"])),
    min_size=1,
    max_size=60,
).filter(lambda text: text == text.strip() and not text.startswith("["))


def escape(text: str) -> str:
    """Text as a GIFT file has to write it."""
    return re.sub(r"[\\:#={}~]", r"\\\g<0>", text).replace("\n", "\\n")


def read_one(text: str) -> Item:
    reading = read_gift(text.encode(), "one.gift")
    assert reading.refusals == ()
    [item] = reading.items
    return item


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    """Of f01."""
    reading = read_gift(case_file("f01_escapes.gift"), "f01_escapes.gift")
    assert (reading.format, reading.detected, reading.refusals) == ("gift", "GIFT, UTF-8", ())
    return reading.items


class TestTheFileOfEscapes:
    """f01."""

    def test_eight_questions_and_a_note(self, items: tuple[Item, ...]) -> None:
        assert [(item.place, item.label, bool(item.skipped)) for item in items] == [
            ("line 6", "ITR-01 : laziness", False),
            ("line 8", "ITR-02 : braces in the stem", False),
            ("line 12", "SHL-01", False),
            ("lines 14-18", "DSA-01", True),
            ("line 20", "DSA-02", True),
            ("line 22", "DSA-03", True),
            ("line 24", "DSA-04", True),
            ("lines 26-28", "DSA-05 [brackets]", False),
            ("line 30", "", True),
        ]
        assert [(item.notices, item.faults, item.status) for item in items] == [((), (), "")] * 9

    def test_free_text_questions(self, items: tuple[Item, ...]) -> None:
        assert [item.document for item in items if not item.skipped] == [
            {
                "title": "ITR-01 : laziness",
                "prompt": "A list and a generator hold the same numbers. What does the generator save, and what can "
                "you no longer do with it?",
                "model_answer": "Memory stays flat because values are made on demand; you cannot index it or walk "
                "it twice.",
                "category": ITERATORS,
            },
            {
                "title": "ITR-02 : braces in the stem",
                "prompt": 'Explain why {"a": 1} == {"a": 1.0} is true in Python, and why {1: "x", True: "y"} has one '
                "entry.",
                "category": ITERATORS,
            },
            {
                "title": "SHL-01",
                "prompt": "What do # and ~ mean in #!/bin/sh and in ~/notes? And what is wrong with C:\\notes on such "
                "a system?",
                "category": SHELL,
            },
            {
                "title": "DSA-05 [brackets]",
                "prompt": "Compare **two** ways to detect a cycle: colouring and union-find.",
                "model_answer": "Colouring: O(V+E), works for directed graphs.\nUnion-find: undirected only.",
                "category": SHELL,
            },
        ]

    def test_the_others_say_what_they_are_and_what_they_asked(self, items: tuple[Item, ...]) -> None:
        assert [(item.document.get("prompt"), item.skipped) for item in items if item.skipped] == [
            (
                "Read the list.\n\n1. push\n2. pop\n\nWhich structure is it?",
                "type not supported: multichoice (the answer is a choice)",
            ),
            (
                "1+1=2 holds in every positional system with base > 2.",
                "type not supported: truefalse (the answer is a choice)",
            ),
            ("How many bits are in one byte?", "type not supported: numerical (the answer is a number)"),
            (
                "A binary heap is a _____ binary tree, which is why it fits an array.",
                "type not supported: multichoice (the answer is a choice, in a gap of the text)",
            ),
            (
                None,
                'a note without an answer part, not a question: "This block has no answer part at all. It is a '
                'section note,…"',
            ),
        ]


@settings(deadline=None)
@given(TEXT, TEXT, TEXT)
@example("\\", "\\n", "a\\\\:b")
@example("a::b", "{x} ####y", "[c]#=~%50%")
def test_escaped_text_comes_back(title: str, stem: str, feedback: str) -> None:
    item = read_one(f"::{escape(title)}::[plain]{escape(stem)} {{####{escape(feedback)}}}")

    assert item.document == {"title": title, "prompt": stem, "model_answer": feedback}


@settings(deadline=None)
@given(
    st.lists(TEXT.filter(lambda text: "*" not in text and not text.startswith("%")), min_size=2, max_size=4)
)
def test_escaped_short_answers_come_back(answers: list[str]) -> None:
    source = " ".join(f"=[plain]{escape(answer)}" for answer in answers)

    item = read_one(f"::T::Q {{{source}}}")

    assert item.document == {
        "title": "T",
        "prompt": "Q",
        "model_answer": "\n".join(f"- {answer}" for answer in answers),
    }


def test_a_backslash_before_any_other_sign_is_a_backslash() -> None:
    assert unescape("\\a \\\\n \\n \\\\\\: \\") == "\\a \\n \n \\: \\"


@pytest.mark.parametrize(
    ("source", "document"),
    [
        ("Two plus {=two =2} equals four.", {"prompt": "Two plus _____ equals four.", "model_answer": "- two\n- 2"}),
        (
            "::T::[html]<p>Who <b>is</b> it?</p>{=me#Right. =%50%you#Nearly. =%0%they ####<p>Ask.</p>}",
            {
                "title": "T",
                "prompt": "Who **is** it?",
                "model_answer": "me: Right.",
                "deeper": "Ask.",
                "pitfalls": ["you: Nearly.", "they"],
            },
        ),
        ("::::\nStem {}", {"prompt": "Stem"}),
        ("::No end Stem {}", {"prompt": "::No end Stem"}),
        ("[unknown] Stem {}", {"prompt": "[unknown] Stem"}),
        ("A stem\nover two lines\n// with a comment\n{\n}", {"prompt": "A stem\nover two lines"}),
        ("// [id:NET-1] [tag:C&A] [tag:level:senior] [tag:a \\] b]\n::T::S {}",
         {"title": "T", "slug": "net-1", "level": "senior", "tags": ["C&A", "a ] b"], "prompt": "S"}),
        ("$CATEGORY: $course$/top/A//B/ gpu.memory\nS {}", {"topic": "gpu.memory", "prompt": "S"}),
        ("$CATEGORY: $course$/top/A//B/C\n\nS {}", {"category": ["A/B", "C"], "prompt": "S"}),
    ],
)  # fmt: skip
def test_what_a_block_becomes(source: str, document: dict[str, Any]) -> None:
    assert read_one(source).document == document


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ("{~a ~b =c}", "multichoice"),
        ("{~%50%a ~%50%b}", "multichoice"),
        ("{=a -> b =c -> d}", "matching"),
        ("{#3:2}", "numerical"),
        ("{#1..5}", "numerical"),
        ("{# =3 =%50%4}", "numerical"),
        ("{T}", "truefalse"),
        ("{FALSE#no#yes}", "truefalse"),
        ("{true}", "truefalse"),
    ],
)
def test_types_without_own_words_are_skipped(answers: str, kind: str) -> None:
    item = read_one(f"::T::Stem {answers}")

    assert item.skipped.startswith(f"type not supported: {kind} (")
    assert item.document == {"title": "T", "prompt": "Stem"}


@pytest.mark.parametrize("source", ["::T::Stem {", "::T::Stem }", "::T::Stem } {", "::T::Stem {\n\n}"])
def test_a_brace_alone_is_a_fault_that_says_what_to_do(source: str) -> None:
    first = read_gift(source.encode(), "x.gift").items[0]

    assert first.label == "T"
    assert first.faults == (
        Notice(
            "prompt",
            "has one brace without the other; write braces that are text as \\{ and \\}, and leave no blank line "
            "inside a question",
        ),
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"// nothing but a comment\n", "0 questions found"),
        (b"Caf\xe9 {}", "the file is not UTF-8; save it with the encoding UTF-8"),
    ],
)
def test_a_file_that_is_refused(data: bytes, message: str) -> None:
    reading = read_gift(data, "x.gift")

    assert (reading.items, reading.refusals) == ((), (Notice("", message),))


@pytest.mark.parametrize("encode", ["utf-8-sig", "utf-16"])
def test_windows_line_ends_and_marks_of_encodings(encode: str) -> None:
    text = "::T::Gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n?\r\n{}\r\n\r\n::U::V {}\r\n"

    items = read_gift(text.encode(encode), "x.gift").items

    assert [(item.place, item.label) for item in items] == [("lines 1-2", "T"), ("line 4", "U")]


def test_a_block_without_end_is_a_fault_and_not_read() -> None:
    items = read_gift(
        b"a {" + b"=b" * 100_000 + b"}\n\n// " + b"[id:" * 60_000 + b"\nb {}\n\nc {}", "x.gift"
    ).items

    assert [(item.place, item.document, [fault.message[:24] for fault in item.faults]) for item in items] == [
        ("line 1", {}, ["is 200,004 characters lo"]),
        ("line 4", {}, ["is 240,007 characters lo"]),
        ("line 6", {"prompt": "c"}, []),
    ]


def test_a_control_character_is_named_and_never_stored() -> None:
    item = read_one("::T::a\0b {}")

    assert item.document == {"title": "T"}
    assert item.faults == (Notice("prompt", "holds the control character NUL; delete it"),)


@settings(deadline=None)
@given(
    st.one_of(
        st.binary(max_size=2000),
        st.text(st.sampled_from("\\:#={}~n[]%T \n/->$CATEGORY"), max_size=300).map(str.encode),
    )
)
def test_no_file_stops_the_reader(data: bytes) -> None:
    read_gift(data, "x.gift")


def test_a_title_of_backslashes_that_never_ends_is_text() -> None:
    text = "::" + "\\" * 101

    assert split_title(text) == ("", text)

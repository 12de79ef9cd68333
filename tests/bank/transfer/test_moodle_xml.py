"""Moodle XML as it really comes, as it may be sent in bad faith, and as we write it."""

import socket
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.item import Entry, Item, Notice
from prepapp.bank.transfer.readers import moodle_xml
from prepapp.bank.transfer.readers.moodle_xml import read_moodle_xml
from prepapp.bank.transfer.writers.moodle_xml import LOST, write_moodle_xml
from tests.bank.transfer.foreign import case_file, shipped_entries, without_empty

FROM_GRADERS = Notice("rubric", "taken from the information for graders: check the points and their weights")
CONGESTION = ["Interview", "Networks", "TCP/IP", "Congestion"]


def read_one(question: str) -> Item:
    reading = read_moodle_xml(f"<quiz>{question}</quiz>".encode(), "one.xml")
    assert reading.refusals == ()
    [item] = reading.items
    return item


def essay(inner: str) -> str:
    return f'<question type="essay"><name><text>T</text></name>{inner}</question>'


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    """Of f04."""
    reading = read_moodle_xml(case_file("f04_rich.xml"), "f04_rich.xml")
    assert (reading.format, reading.detected, reading.refusals) == ("moodle-xml", "Moodle XML", ())
    return reading.items


class TestTheRichFile:
    """f04: what an export of a real course holds."""

    def test_categories_are_not_counted(self, items: tuple[Item, ...]) -> None:
        assert [(item.place, item.label, item.status) for item in items] == [
            ("question 1", "net-001", ""),
            ("question 2", "net-002", "retired"),
            ("question 3", "net-003", ""),
            ("question 4", "net-004", ""),
            ("question 5", "net-005", ""),
            ("question 6", "net-006", ""),
        ]

    def test_a_question_with_a_picture(self, items: tuple[Item, ...]) -> None:
        lost = 'the picture "handshake small.png" is not kept; put it into words'

        assert items[0].document == {
            "slug": "net-001",
            "title": "Handshake, with a picture",
            "tags": ["tcp", "C&A interview"],
            "prompt": "Look at the picture and name the three packets.\n\n\\[two hosts, three arrows\\]",
            "model_answer": "SYN, SYN\N{NON-BREAKING HYPHEN}ACK, ACK.",
            "rubric": [
                {"id": "r1", "weight": 1, "criterion": "SYN"},
                {"id": "r2", "weight": 1, "criterion": "SYN-ACK"},
                {"id": "r3", "weight": 1, "criterion": "ACK and why it is needed"},
            ],
            "category": ["Interview", "Networks"],
        }
        assert items[0].notices == (Notice("prompt", lost), FROM_GRADERS)

    def test_a_hidden_question_with_a_file_nobody_uses(self, items: tuple[Item, ...]) -> None:
        assert items[1].document == {
            "slug": "net-002",
            "title": "Archived question with a file nobody uses",
            "prompt": "What is a port?",
            "category": ["Interview", "Networks"],
        }
        assert items[1].notices == (Notice("", 'the file "unused.png" is not kept; put it into words'),)

    def test_types_that_are_not_taken_say_why_and_what_they_asked(self, items: tuple[Item, ...]) -> None:
        assert [
            (item.skipped, item.document["title"], item.document["prompt"]) for item in items if item.skipped
        ] == [
            (
                "type not supported: multichoice (the answer is a choice)",
                "Which tag <div> or <span> is a block?",
                "Pick one. The text ]]> must survive.",
            ),
            (
                "type not supported: coderunner (only essay and short-answer questions are taken)",
                "A question type from a plug-in",
                "Write a TCP echo server.",
            ),
        ]

    def test_markdown_stays_as_it_is(self, items: tuple[Item, ...]) -> None:
        assert items[3].document["prompt"] == (
            "Explain *slow start*.\n\n    cwnd = 1\n    while no_loss:\n        cwnd *= 2   # per round trip\n"
        )
        assert items[3].document["rubric"] == [
            {"id": "r1", "weight": 2, "criterion": "doubling per round trip"},
            {"id": "r2", "weight": 1, "criterion": "what ends it"},
        ]
        assert items[3].document["category"] == CONGESTION

    def test_a_page_pasted_with_its_script(self, items: tuple[Item, ...]) -> None:
        assert items[4].document == {
            "slug": "net-005",
            "title": "Pasted from a web page",
            "prompt": "cell\n\nWhat is a firewall?",
            "rubric": [{"id": "r1", "weight": 1, "criterion": "filters traffic by rule"}],
            "category": CONGESTION,
        }

    def test_nothing_is_a_fault_and_no_picture_is_text(self, items: tuple[Item, ...]) -> None:
        assert [item.faults for item in items] == [()] * 6
        assert "iVBOR" not in repr(items)


class TestWhatIsRefused:
    def test_entities_from_outside_are_never_resolved(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """f06 with the file it asks for in the working folder."""
        (tmp_path / "prepapp-canary.txt").write_text("sphinx-of-black-quartz")
        monkeypatch.chdir(tmp_path)
        asked: list[object] = []
        monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **_: asked.append(args))

        reading = read_moodle_xml(case_file("f06_external_entity.xml"), "f06.xml")

        assert (reading.items, len(reading.refusals), asked) == ((), 1, [])
        assert reading.refusals[0].message.startswith("the file declares a document type or entities")
        assert "sphinx" not in repr(reading)

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b'<!DOCTYPE q [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><quiz>&b;</quiz>', "the file declares"),
            (b'<!DOCTYPE quiz SYSTEM "http://canary.invalid/x.dtd"><quiz/>', "the file declares"),
            (b"", "the file is empty"),
            (b"<quiz><question></quiz>", "the XML cannot be read: mismatched tag: line 1, column 18"),
            (b'<?xml version="1.0" encoding="no-such"?><quiz/>', "the XML cannot be read: unknown encoding"),
            (b"<html/>", "the outermost element is <html>, not the <quiz>"),
            (b"<quiz/>", "0 questions found"),
            (
                b'<quiz><question type="category"><category><text>a</text></category></question></quiz>',
                "0 questions",
            ),
            (
                b"<quiz>" + b'<question type="essay"/>' * 10_001 + b"</quiz>",
                "holds more than 10,000 questions; split it",
            ),
        ],
    )
    def test_a_file_that_is_refused_whole(self, data: bytes, message: str) -> None:
        reading = read_moodle_xml(data, "x.xml")

        assert reading.items == ()
        assert [refusal.message.startswith(message) for refusal in reading.refusals] == [True]

    def test_more_elements_than_any_export_has(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(moodle_xml, "MAX_ELEMENTS", 100)
        data = b"<quiz><question>" + b"<a/>" * 98 + b"</question></quiz>"

        assert len(read_moodle_xml(data, "x.xml").items) == 1
        assert read_moodle_xml(data.replace(b"<a/>", b"<a/><b/>", 1), "x.xml").refusals == (
            Notice("", "the file has more than 100 elements; split it"),
        )


class TestTexts:
    @pytest.mark.parametrize(
        ("text_format", "source", "prompt"),
        [
            ("html", "&lt;p&gt;a &lt;b&gt;b&lt;/b&gt;&lt;/p&gt;", "a **b**"),
            ("markdown", "a *b* &lt;p&gt;", "a *b* <p>"),
            ("plain_text", "  a *b* &lt;p&gt;\n", "  a *b* <p>\n"),
            ("moodle_auto_format", "a &lt; b\nc", "a < b\nc"),
            ("moodle_auto_format", "a &lt;b&gt;b&lt;/b&gt;\nc", "a **b**\\\nc"),
        ],
    )
    def test_each_format_is_read_as_what_it_is(self, text_format: str, source: str, prompt: str) -> None:
        item = read_one(essay(f'<questiontext format="{text_format}"><text>{source}</text></questiontext>'))

        assert item.document == {"title": "T", "prompt": prompt}

    def test_a_short_answer_tells_its_answers(self) -> None:
        item = read_one(
            '<question type="shortanswer"><questiontext><text>Two plus two?</text></questiontext>'
            "<generalfeedback><text>Count.</text></generalfeedback>"
            '<answer fraction="100"><text>four</text><feedback><text>Yes.</text></feedback></answer>'
            '<answer fraction="100"><text>4*</text></answer>'
            '<answer fraction="50"><text>about four</text></answer>'
            '<answer fraction="0"><text>five</text><feedback><text>One too many.</text></feedback></answer>'
            '<answer fraction="0"><text>*</text></answer></question>'
        )

        assert item.document == {
            "prompt": "Two plus two?",
            "model_answer": "- four: Yes.\n- 4*",
            "deeper": "Count.",
            "pitfalls": ["about four", "five: One too many."],
        }
        assert [notice.field for notice in item.notices] == ["pitfalls", "model_answer"]

    def test_ids_of_other_programs(self) -> None:
        found = [
            read_one(essay(f"<idnumber>{value}</idnumber>")) for value in ("gpu.memory-004", "Net 1", "NET-1")
        ]

        assert [(item.ref, item.document) for item in found] == [
            ("gpu.memory-004", {"title": "T"}),
            ("", {"title": "T", "source": "id number: Net 1"}),
            ("", {"title": "T", "slug": "net-1"}),
        ]

    def test_what_has_no_place_is_said(self) -> None:
        item = read_one(
            essay(
                "<responsetemplate><text>Dear ...</text></responsetemplate>"
                "<attachmentsrequired>1</attachmentsrequired>"
            )
        )

        assert [notice.message for notice in item.notices] == [
            "the text the answer box began with (response template) is not kept",
            "it asked for attached files; answers are text here",
        ]

    def test_a_picture_written_into_the_text_is_not_shown_as_letters(self) -> None:
        picture = "data:image/png;base64," + "iVBORw0KGgo" * 100_000

        item = read_one(
            essay(f'<questiontext format="html"><text>&lt;img src="{picture}"&gt;Ask</text></questiontext>')
        )

        assert item.document == {"title": "T", "prompt": "Ask"}
        assert item.notices == (Notice("prompt", "a picture inside the text is not kept; put it into words"),)

    @pytest.mark.parametrize(
        ("inner", "field", "message"),
        [
            (
                f"<questiontext><text>{'x' * 20_001}</text></questiontext>",
                "prompt",
                "is 20,001 characters long",
            ),
            (f"<graderinfo><text>{'point&#10;' * 201}</text></graderinfo>", "rubric", "has 201 entries"),
        ],
    )
    def test_a_text_is_never_cut(self, inner: str, field: str, message: str) -> None:
        [fault] = {fault for fault in read_one(essay(inner)).faults if fault.message.startswith(message)}

        assert fault.field == field

    def test_a_question_that_says_nothing_is_a_fault(self) -> None:
        item = read_one('<question type="essay"/>')

        assert item.faults == (Notice("prompt", "there is neither a title nor a prompt; write one of them"),)


class TestWriting:
    def test_every_shipped_question_comes_back_but_for_what_is_documented(self) -> None:
        entries = shipped_entries()

        reading = read_moodle_xml(write_moodle_xml(entries), "bank.xml")

        assert [(item.ref, item.status, item.faults) for item in reading.items] == [
            (entry.ref, "", ()) for entry in entries
        ]
        assert [item.document for item in reading.items] == [
            {key: value for key, value in without_empty(entry.document).items() if key not in LOST}
            for entry in entries
        ]

    def test_statuses_and_categories_of_drafts_come_back(self) -> None:
        document = {
            "title": "T",
            "prompt": "P",
            "category": ["A/B", "C"],
            "rubric": [{"criterion": "says why"}],
        }
        statuses = ["draft", "in_review", "retired", "published"]

        reading = read_moodle_xml(
            write_moodle_xml([Entry("", status, document) for status in statuses]), "x.xml"
        )

        expected = {**document, "rubric": [{"id": "r1", "criterion": "says why"}]}
        assert [(item.status, item.document) for item in reading.items] == [
            (status.replace("published", ""), expected) for status in statuses
        ]

    def test_a_category_is_written_once_for_the_questions_below_it(self) -> None:
        entries = [
            Entry("", "draft", {"title": title, "topic": topic})
            for title, topic in [("a", "gpu.memory"), ("b", "gpu.memory"), ("c", "gpu.exec")]
        ]

        root = fromstring(write_moodle_xml(entries))

        assert [question.get("type") for question in root] == [
            "category",
            "essay",
            "essay",
            "category",
            "essay",
        ]
        assert [text.text for text in root.iterfind("question/category/text")] == [
            "$course$/top/GPU and inference performance/gpu.memory",
            "$course$/top/GPU and inference performance/gpu.exec",
        ]

    @settings(deadline=None)
    @given(st.text(max_size=200))
    def test_any_text_can_be_written(self, text: str) -> None:
        document = {"title": text, "prompt": text, "rubric": [{"criterion": text}], "tags": [text]}

        reading = read_moodle_xml(write_moodle_xml([Entry("", "draft", document)]), "x.xml")

        assert (len(reading.items), reading.refusals) == (1, ())


@settings(deadline=None)
@given(
    st.one_of(
        st.binary(max_size=2000), st.text(max_size=1000).map(lambda text: f"<quiz>{text}</quiz>".encode())
    )
)
def test_no_file_stops_the_reader(data: bytes) -> None:
    read_moodle_xml(data, "x.xml")


@settings(deadline=None)
@given(
    st.text(max_size=500), st.sampled_from(["html", "markdown", "plain_text", "moodle_auto_format", "", "x"])
)
def test_no_text_of_a_question_stops_the_reader(text: str, text_format: str) -> None:
    root = Element("quiz")
    question = SubElement(root, "question", type="essay")
    for tag in ("name", "questiontext", "generalfeedback", "graderinfo", "idnumber", "tags"):
        SubElement(SubElement(question, tag, format=text_format), "text").text = text

    read_moodle_xml(tostring(root), "x.xml")

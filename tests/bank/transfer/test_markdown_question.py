"""One question in Markdown with its fields above it."""

import pytest

from prepapp.bank.transfer.readers import read_file
from tests.bank.transfer.case_files import case, read_case, refused, said

pytestmark = pytest.mark.embedded


def test_the_prompt_is_kept_character_for_character() -> None:
    reading = read_case("f18_hostile.md")
    assert (reading.format, reading.detected) == ("markdown", "Markdown with fields, UTF-8")
    (item,) = reading.items
    assert (item.place, item.faults, item.notices) == ("f18_hostile.md", (), ())
    prompt = item.document.pop("prompt")
    assert prompt == case("f18_hostile.md").decode().split("---\n", 2)[2]
    assert item.document == {
        "slug": "md-hostile",
        "title": "Links <b>and</b> images",
        "tags": ["markdown"],
        "rubric": [
            {
                "id": "r1",
                "weight": 1,
                "criterion": "<img src=nowhere onerror=document.title='pwned'> names one danger",
            }
        ],
        "category": ["Interview", "Markup"],
    }


def test_it_is_recognised_by_its_content_and_with_windows_line_ends() -> None:
    reading = read_file("question.txt", b"---\r\ntitle: A\r\n---\r\n\r\nWhy?\r\n---\r\nMore.\r\n")
    (item,) = reading.items
    assert item.document == {"title": "A", "prompt": "\r\nWhy?\r\n---\r\nMore.\r\n"}


def test_without_text_below_the_prompt_may_stand_among_the_fields() -> None:
    (item,) = read_file("q.md", b"---\ntitle: A\nquestion: Why?\n---\n\n").items
    assert item.document == {"title": "A", "prompt": "Why?"}
    (both,) = read_file("q.md", b"---\nquestion: Why?\n---\nHow?\n").items
    assert said(both) == [("question", "stands among the fields and below them; keep one of the two")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"# A heading\n\nWhy?\n",
            "has no fields; begin with a line ---, one key per line, and another line ---",
        ),
        (b"---\ntitle: A\n", "has no fields; begin with a line ---, one key per line, and another line ---"),
        (b"---\n\n---\nWhy?\n", "has no fields between the two lines ---; write at least a title"),
        (b"---\ntitle: 'A\n---\nWhy?\n", "line 3: is not valid YAML: found unexpected end of stream"),
        (b"---\ntitle: A\n---\n" + b"x" * 200_000, "is 200,017 bytes long; keep a question below 200,000"),
    ],
)
def test_a_text_without_fields_is_refused(data: bytes, message: str) -> None:
    assert refused(read_file("q.md", data)) == [message]


def test_a_block_of_fields_that_is_a_list_is_a_fault() -> None:
    (item,) = read_file("q.md", b"---\n- a\n---\nWhy?\n").items
    assert said(item) == [("", "is a list where a question with one key per line is expected")]

"""JSON: the case file with twelve items, the clean bank, and files that are no bank."""

import json
from typing import Any

import pytest

from prepapp.bank.transfer.item import Item
from prepapp.bank.transfer.readers import read_file
from tests.bank.transfer.case_files import noted, read_case, refused, said

pytestmark = pytest.mark.embedded


def one(**fields: Any) -> Item:
    """The item of a bank with one question."""
    (item,) = read_file("bank.json", json.dumps([fields]).encode()).items
    return item


def test_conflicts_are_named_item_by_item() -> None:
    reading = read_case("f14_bank_conflicts.json")
    assert (reading.format, reading.detected, reading.refusals) == ("json", "JSON, UTF-8", ())
    assert [item.place for item in reading.items] == [f"item {number}" for number in range(1, 13)]
    good, same, folded, absent, empty, unknown, odd, long, nul, twice, types, text = reading.items
    assert good == Item(
        "item 1",
        {
            "slug": "graph-bfs",
            "title": "Breadth-first search",
            "tags": ["graphs"],
            "prompt": "Describe BFS.",
            "model_answer": "Queue plus visited set.",
            "rubric": [
                {"id": "r1", "weight": 2, "criterion": "uses a queue"},
                {"id": "r2", "weight": 1, "criterion": "marks visited"},
            ],
            "category": ["Interview", "Graphs"],
        },
    )
    assert [item.document["slug"] for item in (same, folded)] == ["graph-bfs", "graph-bfs"]
    assert noted(folded) == [
        ("slug", "' Graph-BFS ' is taken as 'graph-bfs': a slug has no capitals and no blanks")
    ]
    assert ("rubric" in absent.document, empty.document["rubric"]) == (False, [])
    assert [notice.field for notice in unknown.notices] == ["rubrik", "colour", "_comment"]
    assert "perhaps 'rubric' is meant" in unknown.notices[0].message
    limits = "is no number of points; write a number above 0 and at most 100"
    assert said(odd) == [
        ("rubric[1].points", f"the number -1 {limits}"),
        ("rubric[2].points", f"null {limits}"),
        ("rubric[3].points", f"the number 1e+308 {limits}"),
    ]
    assert said(long) == [("prompt", "is 21,000 characters long; keep it to 20,000")]
    assert said(nul) == [("prompt", "holds the control character NUL; delete it")]
    assert said(twice) == [("title", "the key 'title' is given twice; keep one of them")]
    assert [field for field, _ in said(types)] == ["title", "category", "prompt", "rubric", "tags"]
    assert said(text) == [("", "item 12 is not an object but 'just a string, not an object'")]
    faulty = [bool(item.faults) for item in reading.items]
    assert faulty == [False] * 6 + [True] * 6


def test_a_clean_bank_is_read_sign_by_sign() -> None:
    reading = read_case("f25_roundtrip_bank.json")
    items = {item.label: item for item in reading.items}
    assert [item.faults for item in reading.items] == [()] * 5
    assert [item.status for item in reading.items] == ["published"] * 4 + ["retired"]
    assert items["rt-space"].document["prompt"] == "\n    def f():\n\treturn 1  \n\nWhat is odd here?\n"
    assert items["rt-space"].document["rubric"] == [
        {"id": "r1", "weight": 2, "criterion": "  mixed tab and spaces"}
    ]
    assert items["rt-unicode"].document["tags"] == ["c,d", "e;f"]
    assert items["rt-unicode"].document["category"] == ["Interview", "Round", "Café & Co"]
    assert items["rt-unicode"].document["model_answer"] == ""
    weights = [point["weight"] for item in reading.items for point in item.document["rubric"]]
    assert weights == [1, 1, 2, 1, 0.5, 1.5, 1, 1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"questions": [', "is not valid JSON at line 1, column 16: Expecting value"),
        (b'{"questions": {}}', 'has no list of questions; write {"questions": [...]} or a list'),
        (b'{"questions": [], "questions": []}', "the key 'questions' is given twice; keep one of them"),
        (b'{"version": 2, "questions": []}', "is of version the number 2; this program reads version 1"),
        (
            b'{"questions": [' + b"9" * 5000 + b"]}",
            "holds a number of thousands of digits; shorten it or put it in quotes",
        ),
        (b"[" * 100_000, "is nested too deeply; a question needs no more than five levels"),
        (b"[" + b"{}," * 10_000 + b"{}]", "holds 10,001 questions; split it into files of 10,000"),
    ],
)
def test_what_is_no_bank_is_refused_whole(data: bytes, message: str) -> None:
    assert refused(read_file("bank.json", data)) == [message]


def test_no_questions_are_no_success_and_no_refusal() -> None:
    reading = read_file("bank.json", b"[]")
    assert (reading.items, reading.refusals) == ((), ())


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        ({"minutes": 0}, [("minutes", "the number 0 is no number of minutes; write a whole number above 0 and at most 600")]),
        ({"minutes": 10**400}, [("minutes", "the number of many digits is no number of minutes; write a whole number above 0 and at most 600")]),
        ({"title": "a" * 301}, [("title", "is 301 characters long; keep it to 300")]),
        ({"title": "x", "name": "y"}, [("name", "says the same as 'title'; keep one of them")]),
        ({"level": "easy", "difficulty": 2}, [("difficulty", "the level is given twice; keep one of them")]),
        ({"slug": "Not a slug!"}, [("slug", "'Not a slug!' is no slug; write lower-case words joined by hyphens")]),
        ({"schema": 2}, [("schema", "the number 2 is a format of a later version; this one reads 1")]),
        ({"rubric": [{"points": 1, "weight": 2}]}, [("rubric[0].weight", "says the same as another key (weight); keep one of them")]),
        ({"rubric": ["one"]}, [("rubric[0]", "is 'one' where a block with the keys id, weight, must, criterion, met, partial is expected")]),
        ({"rubric": [{"must": 1.5}]}, [("rubric[0].must", "the number 1.5 is neither true nor false; write one of them")]),
        ({"tags": ["a"] * 201}, [("tags", "has 201 entries; keep it to 200")]),
        ({f"k{n}": 1 for n in range(201)}, [("", "has 201 keys; keep it to 200")]),
        ({"title": "\ud800"}, [("title", "holds the control character U+D800; delete it")]),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_named(fields: dict[str, Any], faults: list[tuple[str, str]]) -> None:
    assert said(one(**fields)) == faults


@pytest.mark.parametrize(
    ("fields", "document", "notices"),
    [
        ({"difficulty": "Hard"}, {"level": "advanced"}, ["'Hard' is taken as the level 'advanced'"]),
        ({"level": "senior"}, {"level": "senior"}, []),
        (
            {"difficulty": 9},
            {"source": "difficulty: 9"},
            ["'9' is no level we know; it is kept as a note on the source"],
        ),
        (
            {"source": "a book", "type": "essay"},
            {"source": "a book\ntype: essay"},
            ["'essay' is no kind we know; it is kept as a note on the source"],
        ),
        ({"difficulty": {"easier": "less"}}, {"difficulty": {"easier": "less"}}, []),
        ({"category": "GPU/memory HIERARCHY"}, {"topic": "gpu.memory"}, []),
        ({"category": "A/B tests"}, {"topic": "ds.abtest"}, []),
        ({"topic": "gpu.memory"}, {"topic": "gpu.memory"}, []),
        ({"topic": "", "category": "X"}, {"topic": "", "category": ["X"]}, []),
        ({"topic": "new.topic"}, {"topic": "new.topic"}, []),
        (
            {"topic": "Cooking", "category": "Home"},
            {"category": ["Home", "Cooking"]},
            ["there is no topic 'Cooking'; it is kept as a category"],
        ),
        ({"id": "NET-17"}, {"slug": "net-17"}, ["'NET-17' is taken as the slug 'net-17'"]),
        (
            {"id": 17, "slug": "a"},
            {"slug": "a", "source": "id: 17"},
            ["'17' is no reference of ours; it is kept as a note on the source"],
        ),
        (
            {"id": "Q 17"},
            {"source": "id: Q 17"},
            ["'Q 17' is no reference of ours; it is kept as a note on the source"],
        ),
        ({"status": "odd"}, {}, ["'odd' is no status we know and is not used"]),
        ({"question": "Why?", "Model Answer": "So."}, {"prompt": "Why?", "model_answer": "So."}, []),
        ({"rubric": [{"points": "2", "text": "t"}]}, {"rubric": [{"id": "r1", "weight": 2, "criterion": "t"}]}, []),
        ({"rubric": [{"weight": 2, "criterion": "t"}]}, {"rubric": [{"weight": 2, "criterion": "t"}]}, []),
    ],
)  # fmt: skip
def test_a_field_becomes_what_is_documented(
    fields: dict[str, Any], document: dict[str, Any], notices: list[str]
) -> None:
    item = one(**fields)
    assert (item.document, item.faults) == (document, ())
    assert [notice.message for notice in item.notices] == notices


def test_a_key_given_twice_inside_a_block_is_a_fault() -> None:
    (item,) = read_file("bank.json", b'[{"rubric": [{"text": "a", "text": "b"}]}]').items
    assert said(item) == [("rubric[0].text", "the key 'text' is given twice; keep one of them")]


def test_a_reference_and_a_status_stand_beside_the_document() -> None:
    item = one(id="gpu.memory-004", status="Archived", title="T")
    assert (item.ref, item.status, item.document) == ("gpu.memory-004", "retired", {"title": "T"})


def test_a_key_that_no_database_takes_is_spelt_out() -> None:
    assert noted(one(**{"a\0b": 1})) == [("a\\x00b", "'a\\x00b' is no field of a question and is left out")]

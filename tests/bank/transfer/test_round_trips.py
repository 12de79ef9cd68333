"""What is exported comes back: sign by sign, in every format of ours, and byte by byte the second time."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.taxonomy import KINDS, LEVELS
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.writers import WRITTEN, Unwritable, write_file
from tests.bank.transfer.entries import BANK, cased, reread, shipped, shipped_reread, there_and_back

pytestmark = pytest.mark.embedded

OURS = ("yaml-zip", "yaml", "json", "csv", "tsv", "xlsx")
# A spreadsheet stamps its zip with the time of the export.
STEADY = tuple(name for name in OURS if name != "xlsx")
CASES = (
    "f08_excel_semicolon_cp1252.csv",
    "f10_formula_cells.csv",
    "f15_bank_types.yaml",
    "f18_hostile.md",
    "f24_excel_unicode_text.txt",
    "f25_roundtrip_bank.json",
)


@pytest.mark.parametrize("name", OURS)
def test_the_shipped_bank_comes_back_whole(name: str) -> None:
    reading = shipped_reread(name)
    assert (reading.format, reading.refusals) == (name, ())
    assert [item for item in reading.items if item.notices or item.faults or item.skipped] == []
    assert there_and_back(name, shipped()) == list(shipped())
    assert len(shipped()) == len(list(BANK.rglob("*/*/*.yaml"))) - len(list(BANK.rglob("*.samples.yaml")))


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("case", CASES)
def test_a_case_file_comes_back_whole(case: str, name: str) -> None:
    assert there_and_back(name, cased(case)) == cased(case)


@pytest.mark.parametrize("name", OURS)
def test_only_what_the_first_reading_had_to_say_is_said(name: str) -> None:
    # The levels of this file were numbers; what is exported are levels.
    assert [item.notices for item in reread(name, cased("f25_roundtrip_bank.json")).items] == [()] * 5


@pytest.mark.parametrize("name", STEADY)
def test_the_same_questions_give_the_same_bytes(name: str) -> None:
    first = write_file(name, shipped())
    assert write_file(name, there_and_back(name, shipped())) == first


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("status", ["draft", "in_review", "published", "retired", ""])
def test_every_status_comes_back(status: str, name: str) -> None:
    complete = replace(shipped()[0], status=status)
    unfinished = Entry("draft-0123456789ab", status, {"slug": "half", "title": "Half", "topic": ""})
    assert there_and_back(name, [complete, unfinished]) == [complete, unfinished]


# --- documents in every state of disorder --------------------------------------------------------------

ODD = st.text(st.sampled_from("ab1 \t\n\r'\"|,;:#-=+@{}[]&*!%>?~/\\_xX0D…é\x85\u2028\ufeff🚀=<"), max_size=30)
NUMBER = st.sampled_from([1, 2, 10, 0.5, 1.5])
POINT = st.fixed_dictionaries(
    {},
    optional={
        "id": ODD,
        "weight": NUMBER,
        "must": st.booleans(),
        "criterion": ODD,
        "met": ODD,
        "partial": ODD,
    },
)
RUBRIC = st.lists(POINT, max_size=3)
PLACE = st.lists(ODD.map(str.strip).filter(lambda part: part and part.strip("/")), min_size=1, max_size=3)
DOCUMENTS = st.fixed_dictionaries(
    {"slug": st.just("a-slug")},
    optional={
        "title": ODD,
        "level": st.sampled_from(("", *LEVELS)),
        "kind": st.sampled_from(("", *KINDS)),
        "minutes": st.integers(1, 90),
        **{key: st.lists(ODD, max_size=3) for key in ("tags", "packs", "covers", "pitfalls")},
        **dict.fromkeys(("prompt", "context", "data", "model_answer", "deeper", "weights_note", "source"), ODD),
        "code": st.fixed_dictionaries(
            {},
            optional={
                "language": ODD,
                "timeout_s": st.integers(1, 30),
                "solution": ODD,
                "check": ODD,
                "wrong": st.lists(ODD, max_size=2),
            },
        ),
        "rubric": RUBRIC,
        "followups": st.lists(
            st.fixed_dictionaries(
                {}, optional={"id": ODD, "minutes": st.integers(1, 9), "prompt": ODD, "answer": ODD, "rubric": RUBRIC}
            ),
            max_size=2,
        ),
        "references": st.lists(
            st.fixed_dictionaries({}, optional={"title": ODD, "url": ODD, "supports": st.lists(ODD, max_size=2)}),
            max_size=2,
        ),
        "difficulty": st.fixed_dictionaries({}, optional=dict.fromkeys(("rationale", "easier", "harder"), ODD)),
        "review": st.fixed_dictionaries({}, optional={"reviewed": ODD, "recheck_months": st.integers(1, 60)}),
        "topic": st.sampled_from(["", "gpu.memory", "our.own"]),
        "category": PLACE,
    },
)  # fmt: skip


@pytest.mark.parametrize("name", OURS)
@settings(max_examples=40, deadline=None)
@given(document=DOCUMENTS)
def test_any_draft_comes_back(name: str, document: dict[str, Any]) -> None:
    entry = Entry("draft-0123456789ab", "draft", document)
    assert there_and_back(name, [entry]) == [entry]


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("csv", 6_550, "big: followups is 131,570 characters long and a cell holds 131,072"),
        ("tsv", 6_550, "big: followups is 131,570 characters long and a cell holds 131,072"),
        ("yaml-zip", 10_000, "drafts/big.yaml is 200,705 bytes long and a file in a zip holds 200,000"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(name: str, size: int, message: str) -> None:
    def entry(size: int) -> Entry:
        parts = [{"id": f"f{n}", "answer": "a" * size} for n in range(20)]
        return Entry("", "draft", {"slug": "big", "followups": parts})

    with pytest.raises(Unwritable) as refused:
        write_file(name, [entry(size)])
    assert str(refused.value) == f"{message}; export to JSON or YAML instead"
    assert there_and_back(name, [entry(size - 50)]) == [entry(size - 50)]


@pytest.mark.parametrize("name", ["moodle-xml", "anki-package"])
@pytest.mark.parametrize(
    "said", [{"minutes": 90}, {"minutes": 600}, {"minutes": 601}, {"level": "hardest"}, {"kind": "odd"}]
)
def test_what_travels_as_a_tag_never_becomes_one(name: str, said: dict[str, Any]) -> None:
    document = {"slug": "a", "title": "A", "prompt": "What?", "tags": ["own"], **said}
    (item,) = reread(name, [Entry("", "draft", document)]).items
    assert item.document["tags"] == ["own"]
    (key,) = said
    assert item.document.get(key, said[key]) == said[key]
    assert (key in item.document) == (said in ({"minutes": 90}, {"minutes": 600}))


def test_every_format_that_is_offered_is_written() -> None:
    assert {entry.name for entry in WRITTEN} >= set(OURS)
    assert all(write_file(entry.name, shipped()[:2]) for entry in WRITTEN)

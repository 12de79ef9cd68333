"""What comes of each item of a file, from values alone (R2, R3, R6, R7)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from prepapp.bank.choices import RowOutcome, Status
from prepapp.bank.importing import Bank, Known, Row, count_outcomes, identify, plan_items
from prepapp.bank.transfer.document import Document, document_of_file
from prepapp.bank.transfer.item import Item, Notice
from tests.factories.curation import shipped_file

pytestmark = pytest.mark.embedded

TODAY = date(2026, 11, 20)
TOPIC = shipped_file().topic


def whole(**changes: Any) -> Document:
    """A document with nothing missing, as the tables give it back."""
    return {**document_of_file(shipped_file()), "slug": "bfs", "title": "Breadth first", **changes}


def item(place: str = "row 2", *, ref: str = "", status: str = "", **document: Any) -> Item:
    return Item(place, {"slug": "bfs", "prompt": "Describe it.", **document}, ref, status)


def bank(*known: Known) -> Bank:
    return Bank(
        topics=frozenset({TOPIC}),
        questions={one.pk: one for one in known},
        refs={one.ref: one.pk for one in known},
        slugs={one.slug: one.pk for one in known},
    )


def plan(
    *items: Item,
    known: Sequence[Known] = (),
    publishes: bool = False,
    failing: Sequence[Notice] = (),
) -> list[Row]:
    return list(
        plan_items(
            items,
            bank(*known),
            publishes=publishes,
            judge=lambda document: list(failing),
            today=TODAY,
        )
    )


def told(row: Row) -> list[tuple[str, str]]:
    return [(notice.field, notice.message) for notice in row.notices]


PUBLISHED = Known(7, f"{TOPIC}-001", "bfs", "published", version_id=3, published=whole())
DRAFT = Known(8, "draft-1", "bfs", "draft", draft={"slug": "bfs", "prompt": "Describe it."}, revision=2)
IMPORTED = replace(DRAFT, is_from_import=True)


# --- new questions --------------------------------------------------------------------------------


def test_an_incomplete_item_becomes_a_draft_that_says_what_it_lacks() -> None:
    (row,) = plan(item(category=["Interview", "TCP/IP"]))
    assert (row.outcome, row.status) == (RowOutcome.CREATED, "draft")
    assert row.document == {
        "slug": "bfs",
        "prompt": "Describe it.",
        "category": ["Interview", "TCP/IP"],
    }
    assert told(row) == [
        ("rubric", "no rubric"),
        ("topic", "no topic; the category Interview / TCP/IP is kept as a hint"),
    ]


@pytest.mark.parametrize(
    ("said", "publishes", "failing", "status", "kept"),
    [
        ("", True, False, "draft", ""),
        ("draft", True, False, "draft", ""),
        ("in_review", True, False, "draft", ""),
        ("published", False, False, "draft", ""),
        ("published", True, True, "draft", ""),
        ("published", True, False, "published", ""),
        ("retired", False, False, "draft", "retired"),
        ("retired", True, True, "draft", "retired"),
        ("retired", True, False, "retired", ""),
    ],
)
def test_the_status_of_a_new_question(
    said: str, publishes: bool, failing: bool, status: str, kept: str
) -> None:
    found = [Notice("rubric", "the weights sum to 9")] if failing else []
    (row,) = plan(Item("item 1", whole(), status=said), publishes=publishes, failing=found)
    assert (row.outcome, row.status) == (RowOutcome.CREATED, status)
    assert row.document == whole() | ({"wanted_status": kept} if kept else {})
    # Whatever it gets instead of what the file says is told, with the reasons.
    assert [field for field, _ in told(row)] == (["status"] if said not in {"", status} else []) + (
        ["rubric"] if failing else []
    )


def test_many_findings_are_not_all_listed() -> None:
    failing = [Notice(f"rubric[{n}]", "too long") for n in range(13)]
    (row,) = plan(Item("item 1", whole(), status="published"), publishes=True, failing=failing)
    assert len(row.notices) == 12
    assert told(row)[-1] == ("", "and 3 more to mend")


# --- which question it is -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "slug"),
    [
        ({"slug": " Graph-BFS "}, "graph-bfs"),
        ({"slug": "graph bfs"}, "graph-bfs"),
        ({"title": "Naïve Bayes, twice"}, "naive-bayes-twice"),
        ({"title": "C++ and C#"}, "c-and-c"),
        ({}, ""),
        ({"title": "   ", "prompt": ""}, ""),
    ],
)
def test_what_an_item_is_known_by(document: Document, slug: str) -> None:
    assert identify(Item("row 2", document)).slug == slug


def test_titles_that_a_slug_cannot_tell_apart_stay_two() -> None:
    titles = ["排序", "搜索", "Kurs für 排序", "Kurs für 搜索", "question", ""]
    slugs = [identify(Item("row 2", {"title": title, "prompt": "Why?"})).slug for title in titles]
    assert len(set(slugs)) == len(slugs)
    assert slugs == [identify(Item("row 9", {"title": title, "prompt": "Why?"})).slug for title in titles]
    assert all(len(slug) <= 80 and slug.isascii() for slug in slugs)


def test_an_untitled_item_is_known_by_its_prompt() -> None:
    first, second = (f"Explain in your own words why the queue is full {end}" for end in ("now", "again"))
    slugs = [identify(Item("note 1", {"prompt": prompt})).slug for prompt in (first, second)]
    assert [slug.rpartition("-")[0] for slug in slugs] == ["explain-in-your-own-words-why-the-queue"] * 2
    assert slugs[0] != slugs[1]


def test_the_same_slug_twice_is_refused_and_the_first_is_named() -> None:
    rows = plan(
        item("item 1", title="One"),
        item("item 2", title="Two"),
        item("item 3", slug=" BFS "),
        Item("item 4", {"title": "Bfs"}),
    )
    assert [row.outcome for row in rows] == [RowOutcome.CREATED] + [RowOutcome.FAILED] * 3
    assert [told(row)[0] for row in rows[1:]] == [
        (by, f"is the {by} of item 1 (bfs) already, case and blanks aside; give one of the two another")
        for by in ("slug", "slug", "title")
    ]


def test_the_same_reference_twice_is_refused() -> None:
    rows = plan(item("a.yaml", ref="x.y-001"), item("b.yaml", ref="x.y-001", slug="dfs"))
    assert [row.outcome for row in rows] == [RowOutcome.CREATED, RowOutcome.FAILED]
    assert told(rows[1])[0][0] == "ref"


@pytest.mark.parametrize(
    ("stated", "field"),
    [
        ({"slug": "", "prompt": ""}, "title"),
        ({"topic": "no.such"}, "topic"),
        ({"prompt": "before\x00after"}, ""),
        ({"rubric": [{"id": "r1", "criterion": "half \ud800"}]}, ""),
    ],
)
def test_what_cannot_be_stored_fails_with_its_field(stated: Document, field: str) -> None:
    (row,) = plan(item(**stated))
    assert (row.outcome, told(row)[0][0]) == (RowOutcome.FAILED, field)


def test_faults_of_the_reader_and_skipped_items_are_carried_on() -> None:
    faulty = replace(item("row 3"), faults=(Notice("rubric", "row 3: 1,5"),))
    skipped = Item("lines 3-9", {"title": "Pick one"}, skipped="multiple choice is not taken")
    empty = Item("item 12", faults=(Notice("", "is not an object"),))
    rows = plan(faulty, skipped, empty, skipped)
    assert [row.outcome for row in rows] == [
        RowOutcome.FAILED,
        RowOutcome.SKIPPED,
        RowOutcome.FAILED,
        RowOutcome.SKIPPED,
    ]
    assert [told(row) for row in rows] == [
        [("rubric", "row 3: 1,5")],
        [("", "multiple choice is not taken")],
        [("", "is not an object")],
        [("", "multiple choice is not taken")],
    ]
    assert [(row.place, row.label) for row in rows[:2]] == [("row 3", "bfs"), ("lines 3-9", "Pick one")]


def test_a_slug_of_one_question_with_the_reference_of_another_fails() -> None:
    other = replace(PUBLISHED, pk=9, ref=f"{TOPIC}-002", slug="dfs")
    (row,) = plan(item(slug="dfs", ref=PUBLISHED.ref), known=[PUBLISHED, other])
    assert (row.outcome, told(row)[0][0]) == (RowOutcome.FAILED, "slug")


# --- questions there are --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"prompt": f"\n{whole()['prompt']}  \n"},
        {"tags": whole()["tags"][::-1]},
        {"category": ["Anything"]},
        {"review": {"reviewed": "2020-01-01"}},
        # A format that carries little takes nothing away.
        {"rubric": [{"criterion": point["criterion"]} for point in whole()["rubric"]]},
        {"rubric": [{"criterion": f" {point['criterion']} "} for point in whole()["rubric"]]},
        {"followups": [{"id": part["id"], "prompt": part["prompt"]} for part in whole()["followups"]]},
        {"difficulty": {"easier": whole()["difficulty"]["easier"]}},
    ],
)
def test_what_says_the_same_as_a_published_question_changes_nothing(stated: Document) -> None:
    file = Item("row 2", {"slug": "bfs", "title": "Breadth first", **stated}, status="published")
    (row,) = plan(file, known=[PUBLISHED])
    assert (row.outcome, row.status, told(row)) == (RowOutcome.UNCHANGED, "published", [])


def test_what_differs_from_a_published_question_goes_into_a_draft_of_it() -> None:
    (row,) = plan(item(prompt="Describe it anew."), known=[PUBLISHED], publishes=True)
    assert (row.outcome, row.status, row.known) == (RowOutcome.UPDATED, "published", PUBLISHED)
    assert row.document == whole(prompt="Describe it anew.")
    assert told(row) == [("", "the published text stays; the draft of it gets what the file says")]


def test_a_file_of_the_published_text_leaves_an_open_draft_alone() -> None:
    known = replace(PUBLISHED, draft=whole(prompt="In the making."), revision=4)
    (row,) = plan(Item("item 1", whole(), ref=known.ref), known=[known])
    assert row.outcome == RowOutcome.UNCHANGED


def test_the_draft_an_import_wrote_is_written_again_and_any_other_is_not() -> None:
    in_review = replace(IMPORTED, is_in_review=True)
    edited = replace(DRAFT, editor="ana@example.test")
    found = [plan(item(prompt="Anew."), known=[known])[0] for known in (IMPORTED, edited, in_review)]
    assert [row.outcome for row in found] == [RowOutcome.UPDATED, RowOutcome.FAILED, RowOutcome.FAILED]
    assert found[0].document == {"slug": "bfs", "prompt": "Anew."}
    assert [told(row)[0][1] for row in found[1:]] == [
        "ana@example.test is writing a draft of it; publish or discard that, then import again",
        "its draft is in review; take it back or let it be published, then import again",
    ]


def test_blanks_of_a_draft_count() -> None:
    assert plan(item(), known=[DRAFT])[0].outcome == RowOutcome.UNCHANGED
    assert plan(item(prompt="Describe it. "), known=[IMPORTED])[0].outcome == RowOutcome.UPDATED


def test_where_a_curator_chose_a_topic_the_category_of_the_file_is_done_with() -> None:
    known = replace(IMPORTED, draft={"slug": "bfs", "prompt": "Describe it.", "topic": TOPIC})
    assert plan(item(category=["Interview"]), known=[known])[0].outcome == RowOutcome.UNCHANGED


@pytest.mark.parametrize(
    ("stored", "said", "told_of"),
    [
        ("published", "published", []),
        ("published", "retired", ["the file says retired; it is published here and stays so"]),
        ("published", "draft", ["the file says draft; it is published here and stays so"]),
        ("retired", "published", ["the file says published; it is retired here and stays so"]),
    ],
)
@pytest.mark.parametrize("publishes", [False, True])
def test_an_import_changes_no_status_of_a_question_there_is(
    stored: str, said: str, told_of: list[str], publishes: bool
) -> None:
    known = replace(PUBLISHED, status=stored)
    (row,) = plan(Item("item 1", whole(), status=said), known=[known], publishes=publishes)
    assert (row.outcome, row.status) == (RowOutcome.UNCHANGED, stored)
    assert [message for _, message in told(row)] == told_of


def test_a_reference_finds_its_question_under_another_slug() -> None:
    (row,) = plan(Item("item 1", whole(slug="bfs-anew"), ref=PUBLISHED.ref), known=[PUBLISHED])
    assert (row.outcome, row.document["slug"]) == (RowOutcome.UPDATED, "bfs-anew")


# --- the whole ------------------------------------------------------------------------------------


def test_the_second_time_nothing_changes() -> None:
    """R7: what the first plan would store is what the second one finds."""
    items = [
        item("row 2", category=["A"], rubric=[{"id": "r1", "criterion": " one "}]),
        Item("row 3", {"title": "排序", "prompt": "\tWhy?\n"}),
        Item("row 4", {"prompt": "No title"}, status="published"),
        Item("row 5", {"title": "Old", "prompt": "Gone?"}, status="retired"),
        Item("row 6", whole(slug="Dfs"), status="published"),
    ]
    first = plan(*items)
    assert [row.outcome for row in first] == [RowOutcome.CREATED] * 5
    stored = [
        Known(n, f"draft-{n}", row.slug, row.status, draft=row.document, revision=1, is_from_import=True)
        for n, row in enumerate(first)
    ]
    assert [row.outcome for row in plan(*items, known=stored)] == [RowOutcome.UNCHANGED] * 5


def test_the_sum_of_all_outcomes_is_the_number_of_items() -> None:
    rows = plan(item("1"), item("2"), item("3", slug="new"), Item("4", skipped="a note"), known=[DRAFT])
    assert count_outcomes(rows) == {"created": 1, "updated": 0, "unchanged": 1, "skipped": 1, "failed": 1}


def test_every_status_has_its_words() -> None:
    for status in Status:
        (row,) = plan(Item("item 1", {"slug": "x", "title": "X"}, status=status), publishes=True)
        assert row.outcome == RowOutcome.CREATED

"""The form of a question: what it shows unchanged comes back sign by sign, what it does not show stays."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prepapp.bank.forms.document_fields import QUESTION
from prepapp.bank.forms.document_form import DocumentForm, data_of
from prepapp.bank.taxonomy import TOPICS
from prepapp.bank.transfer.document import KEYS, Document, document_of_file
from prepapp.bank.transfer.question_file import read_bank
from prepapp.settings import BASE_DIR

pytestmark = pytest.mark.embedded

CHOICES = tuple((topic.code, topic.title) for topic in TOPICS)
SHIPPED = [document_of_file(file) for file in read_bank(BASE_DIR / "fixtures" / "bank")[0]]


def form(data: dict[str, str], base: Document | None = None) -> DocumentForm:
    return DocumentForm(data, base=base or {}, topics=CHOICES)


def as_browser(data: dict[str, str]) -> dict[str, str]:
    return {name: text.replace("\n", "\r\n") for name, text in data.items()}


@pytest.mark.parametrize("document", SHIPPED, ids=lambda document: document["slug"])
def test_a_shipped_question_comes_back_equal(document: Document) -> None:
    read = form(as_browser(data_of(document)), document)
    assert (read.document, read.errors) == (document, {})


@pytest.mark.parametrize("document", SHIPPED[::20], ids=lambda document: document["slug"])
def test_a_shipped_question_can_be_typed_from_nothing(document: Document) -> None:
    """All but what an author leaves empty."""
    read = form(as_browser(data_of(document)))
    kept = {key: value for key, value in document.items() if value not in ("", [])}
    assert (read.document, read.errors) == (kept, {})


TEXT = st.text(st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"]), max_size=12)
POINT = st.fixed_dictionaries(
    {"id": st.sampled_from(["r1", "r2", "x"]), "must": st.booleans()},
    optional={
        "criterion": TEXT,
        "weight": st.one_of(st.integers(0, 12), st.just(2.5), st.just("two")),
        "met": TEXT,
        "partial": TEXT,
        "unheard": st.integers(),
    },
)
UNFINISHED = st.fixed_dictionaries(
    {},
    optional={
        "title": TEXT,
        "slug": TEXT,
        "minutes": st.one_of(st.integers(0, 99), TEXT, st.none()),
        "prompt": TEXT,
        "tags": st.one_of(st.lists(TEXT, max_size=3), TEXT),
        "rubric": st.one_of(st.lists(POINT, max_size=4), TEXT),
        "followups": st.lists(
            st.fixed_dictionaries(
                {"id": st.sampled_from(["f1", "f2"])},
                optional={"prompt": TEXT, "rubric": st.lists(POINT, max_size=2), "more": TEXT},
            ),
            max_size=2,
        ),
        "pitfalls": st.lists(TEXT, max_size=3),
        "references": st.lists(
            st.fixed_dictionaries({"title": TEXT, "supports": st.lists(TEXT)}, optional={"more": TEXT}),
            max_size=2,
        ),
        "code": st.one_of(
            st.fixed_dictionaries({}, optional={"solution": TEXT, "wrong": st.lists(TEXT, max_size=2)}),
            TEXT,
            st.none(),
        ),
        "difficulty": st.fixed_dictionaries({}, optional={"easier": TEXT}),
        "category": st.lists(TEXT, max_size=2),
        "source": TEXT,
        "unheard": st.dictionaries(TEXT, TEXT, max_size=2),
    },
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(UNFINISHED)
def test_whatever_a_document_has_or_lacks_stays(document: Document) -> None:
    read = form(as_browser(data_of(document)), document)
    assert (read.document, read.errors) == (document, {})


def test_points_get_ids_that_no_other_part_has() -> None:
    read = form(
        {
            "rubric-0-criterion": "Names it",
            "rubric-1-criterion": "States it",
            "rubric-1-id": "r1",
            "followups-0-prompt": "And then?",
            "followups-0-rubric-0-criterion": "Gives it",
            "followups-0-rubric-1-criterion": "Adds it",
        }
    )
    assert [point["id"] for point in read.document["rubric"]] == ["r2", "r1"]
    [follow_up] = read.document["followups"]
    assert [follow_up["id"], *(point["id"] for point in follow_up["rubric"])] == ["f1", "f1a", "f1b"]


def test_rows_are_removed_added_and_put_in_order() -> None:
    base: Document = {
        "rubric": [{"id": f"r{n}", "criterion": f"C{n}", "must": False, "own": n} for n in (1, 2, 3)],
        "pitfalls": ["one", "two"],
    }
    data = data_of(base) | {
        "rubric-0-position": "3",
        "rubric-1-remove": "1",
        "rubric-2-position": "1",
        "rubric-7-criterion": "new",
        "rubric-8-criterion": " ",
        "pitfalls-0-text": "",
        "pitfalls-5-text": "three",
    }
    read = form(data, base)
    assert [(point["id"], point["criterion"], point.get("own")) for point in read.document["rubric"]] == [
        ("r3", "C3", 3),
        ("r1", "C1", 1),
        ("r2", "new", None),
    ]
    assert read.document["pitfalls"] == ["two", "three"]


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("minutes", "five", "“five” is not a whole number"),
        ("minutes", "-1", "not a whole number"),
        ("minutes", "2.5", "not a whole number"),
        ("rubric-0-weight", "٣", "not a whole number"),
        ("slug", "With Blanks", "lower-case letters"),
        ("slug", "a" * 81, "80 at most"),
        ("topic", "gpu.nowhere", "not one of the choices"),
        ("level", "easy", "not one of the choices"),
        ("prompt", "x" * 20_001, "20,001 characters"),
    ],
)
def test_what_cannot_be_taken_is_said_and_stays_typed(name: str, text: str, part: str) -> None:
    base = SHIPPED[0]
    read = form(data_of(base) | {name: text}, base)
    assert [*read.errors] == [name]
    assert part in read.errors[name]
    assert read.data[name] == text
    assert read.document == base


def test_an_emptied_field_is_empty_and_emptied_code_is_gone() -> None:
    base: Document = {
        "prompt": "P",
        "minutes": 5,
        "code": {"language": "sql", "timeout_s": 3, "solution": "x", "check": "y", "wrong": ["z"]},
    }
    emptied = {name: "" for name in data_of(base) if not name.endswith("-was")}
    assert form(data_of(base) | emptied, base).document == {"prompt": ""}


def test_every_path_leads_to_the_field_that_shows_it() -> None:
    base: Document = {"rubric": [{"id": "r1", "criterion": "a"}, {"id": "r2", "criterion": "b"}]}
    data = data_of(base) | {"rubric-0-position": "2", "rubric-1-position": "1"}
    data |= {"followups-4-prompt": "And?", "followups-4-rubric-1-met": "m", "pitfalls-3-text": "p"}
    read = form(data, base)
    assert {
        path: read.name_of(path)
        for path in (
            "prompt",
            "rubric[0].criterion",
            "rubric[1]",
            "rubric",
            "followups[0].rubric[0].met",
            "pitfalls[0]",
            "review.recheck_months",
            "code.wrong",
            "references[0].supports[1]",
            "id",
            "",
        )
    } == {
        "prompt": "prompt",
        "rubric[0].criterion": "rubric-1-criterion",
        "rubric[1]": "rubric-0",
        "rubric": "rubric",
        "followups[0].rubric[0].met": "followups-4-rubric-1-met",
        "pitfalls[0]": "pitfalls-3-text",
        "review.recheck_months": "review-recheck_months",
        "code.wrong": "code-wrong",
        "references[0].supports[1]": "references",
        "id": "",
        "": "",
    }


def test_a_sign_no_database_takes_is_left_out() -> None:
    assert form({"title": "a\x00b"}).document == {"title": "ab"}


def test_no_form_raises() -> None:
    names = [
        "rubric-0-was",
        "rubric-0-weight",
        "rubric-0-position",
        "rubric-999-met",
        "rubric-x-met",
        "rubric",
    ]
    for name in names:
        for text in ("", "x", "-1", "9" * 50, "\ud7ff"):
            form({name: text}, {"rubric": [{"id": "r1"}, "text", None]})


def test_the_form_has_a_field_for_every_key_of_a_document() -> None:
    known = {field.key for field in QUESTION.fields} | {*QUESTION.lists, *QUESTION.texts, *QUESTION.parts}
    # What a file said of it, which is shown and stays.
    assert known == {*KEYS, "topic"}

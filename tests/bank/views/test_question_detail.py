"""The question page before an answer: what it shows, and above all what it does not."""

import pytest
from django.test import Client

from prepapp.bank.choices import Kind, Level, Status
from tests.factories.bank import QuestionFactory, TagFactory, TopicFactory, create_questions

pytestmark = pytest.mark.django_db


def test_everybody_sees_the_question(anyone: Client) -> None:
    QuestionFactory(
        slug="one",
        topic=TopicFactory(title="Memory hierarchy"),
        version__title="Title <b>of</b> one",
        version__level=Level.SENIOR,
        version__kind=Kind.DEBUGGING,
        version__minutes=7,
        version__data="| a |",
        version__number=3,
    )
    page = anyone.get("/questions/one/").content.decode()
    for shown in (
        "<h1>Title &lt;b&gt;of&lt;/b&gt; one</h1>",
        '<a class="chip" href="/questions/?topic=',
        ">Memory hierarchy</a>",
        '<span class="chip">Senior</span>',
        '<span class="chip">Debugging</span>',
        '<span class="chip">7 min</span>',
        "<p>Prompt of one</p>",
        "<p>Context of one</p>",
        "<p>| a |</p>",
        "Version 3 · reviewed 1 Nov 2026",
        "It is not saved",
        'action="/questions/one/answer/#answer"',
    ):
        assert shown in page


@pytest.mark.parametrize("status", [Status.DRAFT, Status.IN_REVIEW, Status.RETIRED])
@pytest.mark.parametrize("path", ["/questions/one/", "/questions/one/answer/"])
def test_what_is_not_published_is_not_there(status: Status, path: str, anyone: Client) -> None:
    QuestionFactory(slug="one", status=status)
    missing = (
        anyone.get("/questions/two/") if path.endswith("one/") else anyone.post("/questions/two/answer/")
    )
    found = anyone.get(path) if path.endswith("one/") else anyone.post(path)
    assert (found.status_code, found.content) == (404, missing.content)


def test_a_question_without_a_version_is_not_there() -> None:
    QuestionFactory(slug="one", version=False)
    assert Client().get("/questions/one/").status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_other_verbs_are_refused(method: str) -> None:
    QuestionFactory(slug="one")
    assert getattr(Client(), method)("/questions/one/").status_code == 405


@pytest.mark.parametrize("parts", [1, 3, 25])
def test_three_queries_for_any_number_of_tags_and_parts(
    parts: int, candidate: Client, django_assert_num_queries
) -> None:
    question = QuestionFactory(slug="one", version__follow_ups=parts, version__points=[(1, False)] * parts)
    question.tags.add(*(TagFactory() for _ in range(parts)))
    create_questions(parts)
    with django_assert_num_queries(3):  # session, user, question
        candidate.get("/questions/one/")


# --- P13: nothing an answer is measured by, before the reader has tried ---------------------------------

CANARY = "canary-7f3a"
HIDDEN = {
    "model_answer": CANARY,
    "deeper": CANARY,
    "pitfalls": [CANARY],
    "code": {"language": "python", "timeout_s": 5, "solution": CANARY, "check": CANARY, "wrong": [CANARY]},
    "references": [{"title": CANARY, "url": f"https://example.test/{CANARY}", "supports": []}],
    "difficulty": {"rationale": CANARY, "easier": CANARY, "harder": CANARY},
    "weights_note": CANARY,
    "rendered": {
        "prompt": "<p>Prompt</p>",
        "context": "",
        "data": "",
        "model_answer": CANARY,
        "deeper": CANARY,
        "pitfalls": [CANARY],
        "code_solution": CANARY,
        "code_check": CANARY,
    },
}


@pytest.fixture
def canary() -> None:
    question = QuestionFactory(slug="one", **{f"version__{name}": value for name, value in HIDDEN.items()})
    version = question.current_version
    version.rubric_points.update(criterion=CANARY, met=CANARY, partial=CANARY)
    version.follow_ups.update(prompt=CANARY, answer=CANARY, rendered={"prompt": CANARY, "answer": CANARY})


@pytest.mark.usefixtures("canary")
@pytest.mark.parametrize(
    "address",
    [
        "/questions/",
        "/questions/?q=Prompt",
        f"/questions/?q={CANARY}",
        f"/questions/?tag={CANARY}",
        "/questions/one/",
        "/questions/one/answer/",
        "/questions/two/",
    ],
)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "part"])
def test_no_page_holds_what_is_hidden(address: str, headers: dict[str, str], anyone: Client) -> None:
    response = anyone.get(address, headers=headers)
    assert response.status_code in {200, 404, 405}
    page = response.content.decode()
    # What the reader typed may be said back to them.
    page = page.replace(f'value="{CANARY}"', "").replace(f"Tag: {CANARY}", "").replace(f"={CANARY}", "")
    assert CANARY not in page
    assert all(CANARY not in str(value).replace(f"={CANARY}", "") for value in response.headers.values())


@pytest.mark.usefixtures("canary")
@pytest.mark.parametrize("word", [CANARY, "canary", "7f3a"])
def test_search_is_no_oracle_for_what_is_hidden(word: str, candidate: Client) -> None:
    assert "1 question</h2>" in candidate.get("/questions/", {"q": "Prompt"}).content.decode()
    assert "0 questions</h2>" in candidate.get("/questions/", {"q": word}).content.decode()


@pytest.mark.usefixtures("canary")
def test_the_canary_would_be_seen(candidate: Client) -> None:
    """The control: the same words are in the page once the answer is open."""
    page = candidate.post("/questions/one/answer/").content.decode()
    shown = ("solution", "check", "reference", "criteria and what they sound like")
    assert page.count(CANARY) > len(shown)

"""The list of questions: who sees what, filters, search, pages, and what it costs."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.bank.choices import Kind, Level, Status
from prepapp.bank.models import Question
from tests.factories.bank import (
    PackFactory,
    QuestionFactory,
    TagFactory,
    TopicFactory,
    TrackFactory,
    create_questions,
)

pytestmark = pytest.mark.django_db
URL = "/questions/"
HTMX = {"HX-Request": "true", "HX-Target": "results"}


def titles(client: Client, **filters: str) -> list[str]:
    """The titles on the first page, in order."""
    response = client.get(URL, filters)
    assert response.status_code == 200
    return re.findall(r'href="/questions/[\w-]+/">([^<]+)</a><span', response.content.decode())


def text(client: Client, **filters: str) -> str:
    return client.get(URL, filters).content.decode()


def test_everybody_sees_published_questions_and_no_others(anyone: Client) -> None:
    QuestionFactory(version__title="Shown")
    for status in (Status.DRAFT, Status.IN_REVIEW, Status.RETIRED):
        QuestionFactory(version__title=f"Hidden {status}", status=status)
    QuestionFactory(version=False)
    assert titles(anyone) == ["Shown"]


def test_a_row_says_what_the_question_is() -> None:
    topic = TopicFactory(title="Memory hierarchy")
    QuestionFactory(
        topic=topic, slug="one", version__title="One", version__level=Level.SENIOR, version__minutes=7
    )
    page = text(Client())
    row = page[page.index('<li class="question-row">') : page.index("</ol>", page.index("question-row"))]
    assert re.sub(r"<[^>]+>|\s+", " ", row).split() == "One Memory hierarchy Senior Concept 7 min".split()
    assert 'href="/questions/one/"' in row


def test_rows_go_by_topic_then_from_easy_to_hard() -> None:
    second, first = TopicFactory(position=2), TopicFactory(position=1)
    for topic in (second, first):
        for level in (Level.SENIOR, Level.FOUNDATION):
            QuestionFactory(topic=topic, version__title=f"{topic.position} {level}", version__level=level)
    assert titles(Client()) == ["1 foundation", "1 senior", "2 foundation", "2 senior"]


@pytest.fixture
def bank() -> None:
    gpu, llm = TrackFactory(code="gpu", title="GPU"), TrackFactory(code="llm", title="LLM")
    memory = TopicFactory(code="gpu.memory", title="Memory hierarchy", position=1, shared={llm: 0.5})
    rag = TopicFactory(code="llm.rag", title="Retrieval", position=2)
    TopicFactory(track=gpu)
    QuestionFactory(
        topic=memory,
        version__title="Wasted sectors",
        version__prompt="Why is the bus full?",
        version__level=Level.FOUNDATION,
        tags=["coalescing"],
        packs=[PackFactory(slug="nvidia", title="NVIDIA", disclaimer="Not affiliated.")],
    )
    QuestionFactory(
        topic=rag, version__title="Chunks", version__prompt="Cut 100% of it", version__kind=Kind.DESIGN
    )


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["Wasted sectors", "Chunks"]),
        ({"track": "gpu"}, ["Wasted sectors"]),
        ({"track": "llm"}, ["Wasted sectors", "Chunks"]),
        ({"topic": "llm.rag"}, ["Chunks"]),
        ({"level": "foundation"}, ["Wasted sectors"]),
        ({"kind": "design"}, ["Chunks"]),
        ({"pack": "nvidia"}, ["Wasted sectors"]),
        ({"tag": "coalescing"}, ["Wasted sectors"]),
        ({"tag": "unknown"}, []),
        ({"kind": "design", "level": "foundation"}, []),
        ({"q": "wasted"}, ["Wasted sectors"]),
        ({"q": "BUS"}, ["Wasted sectors"]),
        ({"q": "coalesc"}, ["Wasted sectors"]),
        ({"q": "retrieval"}, ["Chunks"]),
        ({"q": "bus wasted"}, ["Wasted sectors"]),
        ({"q": "bus chunks"}, []),
        ({"q": "100%"}, ["Chunks"]),
        ({"q": "1_0"}, []),
        ({"q": "  "}, ["Wasted sectors", "Chunks"]),
    ],
)
def test_filters_and_search(filters: dict[str, str], expected: list[str]) -> None:
    assert titles(Client(), **filters) == expected


@pytest.mark.usefixtures("bank")
def test_a_pack_shows_what_it_does_not_claim() -> None:
    assert "Not affiliated." in text(Client(), pack="nvidia")
    assert "Not affiliated." not in text(Client())


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"level": "guru"}, "Level: “guru” is not one of the choices; it was left out."),
        ({"topic": "<b>"}, "Topic: “&lt;b&gt;” is not one of the choices; it was left out."),
        ({"q": "x" * 101}, "Search: Ensure this value has at most 100 characters (it has 101)."),
        ({"q": "a\0b"}, "Search: Null characters are not allowed."),
        ({"tag": "a\0b"}, "Tag: Null characters are not allowed."),
    ],
)
def test_a_value_that_is_not_on_offer_is_named_and_left_out(filters: dict[str, str], message: str) -> None:
    page = text(Client(), **filters)
    assert message in page
    assert "2 questions" in page


@pytest.mark.usefixtures("bank")
def test_a_link_brings_the_same_list_back() -> None:
    page = text(Client(), level="foundation", q="bus")
    assert '<option value="foundation" selected>' in page
    assert 'name="q" value="bus"' in page


def test_the_count_and_the_ways_out() -> None:
    assert "There are no questions here yet." in text(Client())
    create_questions(1)
    page = text(Client())
    assert "1 question</h2>" in page
    assert "Clear filters" not in page
    page = text(Client(), q="nothing like it")
    assert "0 questions</h2>" in page
    assert "No question fits all of this." in page
    assert page.count('href="/questions/">') == 2  # clear filters, show all


def pages(client: Client, link: str = "next", start: str = URL) -> list[list[str]]:
    """The slugs of each page, following the links."""
    found, address = [], start
    while address:
        page = client.get(address).content.decode()
        found.append(re.findall(r'href="/questions/(question-\d+)/"', page))
        match = re.search(rf'rel="{link}" href="([^"]+)"', page)
        address = match[1].replace("&amp;", "&") if match else ""
    return found


def test_45_equal_rows_come_once_each_over_three_pages() -> None:
    create_questions(45)
    found = pages(Client())
    assert [len(page) for page in found] == [20, 20, 5]
    assert len({slug for page in found for slug in page}) == 45
    assert found == pages(Client())


def test_pages_keep_the_filter_and_go_back() -> None:
    create_questions(45, kind=Kind.DESIGN)
    create_questions(3, kind=Kind.SQL)
    client = Client()
    found = pages(client, start=f"{URL}?kind=design")
    assert sum(len(page) for page in found) == 45
    first = client.get(URL, {"kind": "design"}).content.decode()
    second = re.search(r'rel="next" href="([^"]+)"', first)
    assert second
    assert parse_qs(urlsplit(second[1].replace("&amp;", "&")).query)["kind"] == ["design"]
    assert pages(client, "prev", second[1].replace("&amp;", "&")) == [found[1], found[0]]


@pytest.mark.parametrize("cursor", ["x", "W10:1abc:d", "%00", "é" * 3000])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_a_bad_cursor_is_a_bad_request(cursor: str, headers: dict[str, str]) -> None:
    response = Client().get(URL, {"cursor": cursor}, headers=headers)
    assert response.status_code == 400
    assert "That request could not be read" in response.content.decode()


def test_a_page_whose_questions_moved_away_says_so() -> None:
    create_questions(21)
    first = Client().get(URL).content.decode()
    match = re.search(r'rel="next" href="([^"]+)"', first)
    assert match
    last = Question.objects.order_by("ref").last()
    assert last
    Question.objects.filter(slug__in=pages(Client())[1]).update(status=Status.RETIRED)
    page = Client().get(match[1]).content.decode()
    assert "The questions that stood on this page have moved." in page
    assert "Start from the first page" in page


def test_the_part_is_the_results_alone_and_its_address_is_short() -> None:
    create_questions(2, kind=Kind.DESIGN)
    response = Client().get(URL, {"q": "", "kind": "design", "track": "", "level": "guru"}, headers=HTMX)
    part = response.content.decode().strip()
    assert part.startswith('<section id="results"')
    assert part.endswith("</section>")
    assert "<html" not in part
    assert '<p id="count" hx-swap-oob="innerHTML">2 questions found</p>' in part
    assert response.headers["HX-Push-Url"] == "/questions/?kind=design"
    assert Client().get(URL, headers=HTMX).headers["HX-Push-Url"] == "/questions/"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_other_verbs_are_refused(method: str) -> None:
    assert getattr(Client(), method)(URL).status_code == 405


@pytest.mark.parametrize("count", [1, 3, 25])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_six_queries_for_any_number_of_questions_and_tags(
    count: int, headers: dict[str, str], candidate: Client, django_assert_num_queries
) -> None:
    topic = TopicFactory()
    for n, question in enumerate(create_questions(count, topic=topic)):
        question.tags.add(*(TagFactory(name=f"tag-{n}-{k}") for k in range(n % 4)))
    with django_assert_num_queries(6):  # session, user, topics of tracks, packs, count, rows
        candidate.get(URL, headers=headers)


def test_four_queries_for_a_visitor(anonymous: Client, django_assert_num_queries) -> None:
    create_questions(3)
    with django_assert_num_queries(4):
        anonymous.get(URL)


def test_the_address_is_the_documented_one() -> None:
    assert reverse("bank:question-list") == URL

"""The pages of packs: what they say, what they cost, what a press does."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.models import Pack
from prepapp.interviews.models import Attempt
from tests.bank.packs import pack as pack_file
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory, create_questions
from tests.factories.interviews import BlueprintFactory, CandidateFactory
from tests.interviews.sitting import arrival

pytestmark = pytest.mark.django_db

LIST = "/packs/"
DETAIL = "/packs/loop/"
ROWS = '<li class="question-row">'


@pytest.fixture
def pack() -> Pack:
    """The pack of the file, with one question of each of two levels and topics, and one format."""
    memory = TopicFactory(code="gpu.memory", title="Memory")
    QuestionFactory(topic=memory, ref="gpu.memory-001", version__level="senior", version__title="A grid")
    execution = TopicFactory(code="gpu.exec", title="Execution")
    QuestionFactory(topic=execution, ref="gpu.exec-001", version__title="A kernel")
    QuestionFactory(topic=execution, ref="gpu.exec-002", version__title="Not in it")
    BlueprintFactory(slug="screen", title="Screen", recipe={"slots": [{"minutes": 10}] * 2})
    content = pack_file().content
    fields = {name: content[name] for name in content if name not in ("reviewed",)}
    made: Pack = PackFactory(slug="loop", reviewed_date=pack_file().reviewed, **fields)
    return made


@pytest.fixture
def cleo(client: Client) -> User:
    person: User = CandidateFactory(level="senior")
    client.force_login(person)
    return person


def text(client: Client, address: str = DETAIL, **headers: str) -> str:
    reply = client.get(address, headers=headers)
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def form(**changes: Any) -> dict[str, Any]:
    usual = {"blueprint": "screen", "level": "intermediate", "mode": "mock", "start_key": uuid4()}
    return {**usual, **changes}


def test_the_list_names_each_pack_with_its_size(client: Client, pack: Pack) -> None:
    PackFactory(slug="empty", title="Empty one")
    page = text(client, LIST)
    assert '<a href="/packs/loop/">A loop</a>' in page
    assert "2 questions" in page
    assert "Practice for roles with memory. No claim." in page
    assert '<a href="/packs/empty/">Empty one</a>' in page
    assert "0 questions" in page


def test_a_site_without_packs_says_so(client: Client) -> None:
    assert "There are no packs here yet." in text(client, LIST)


def test_the_page_says_what_the_pack_is_for_and_where_that_comes_from(client: Client, pack: Pack) -> None:
    page = text(client)
    for part in (
        "<h1>A loop</h1>",
        "Practice for roles with memory. No claim.",
        "What a loop on memory trains, in ten words or a few more than that.",
        "2 questions · this page was last checked on 1 Nov 2026",
        "<dt><b>Talk</b> · 30 to 45</dt>",
        'href="https://example.test/rounds" rel="noopener noreferrer nofollow"',
        'Say what bounds it first. <span class="chip">advice</span>',
        '<a href="https://example.test/guide" rel="noopener noreferrer nofollow">A guide</a>',
        '<span class="chip">Intermediate 1</span>',
        '<span class="chip">Senior 1</span>',
        '<span class="chip">Foundation 0</span>',
        '<span>Memory</span><span class="push small soft">1: 1 senior</span>',
        "A grid",
        "A kernel",
    ):
        assert part in page, part
    assert page.count(ROWS) == 2
    assert "Not in it" not in page


def test_what_is_no_address_is_shown_as_advice(client: Client, pack: Pack) -> None:
    pack.tips = [{"text": "Follow me.", "source": "javascript:alert(1)", "advice": False}]
    pack.save()
    page = text(client)
    assert "javascript:" not in page
    assert 'Follow me. <span class="chip">advice</span>' in page


def test_a_pack_that_only_question_files_name_has_a_page(client: Client) -> None:
    PackFactory(slug="loop", title="Loop")
    page = text(client)
    assert "This pack names no interview that this site offers." in page
    assert "The bank has no question for this pack yet." in page
    assert client.get("/packs/unknown/").status_code == 404


@pytest.mark.parametrize(
    ("address", "level"), [(DETAIL, "intermediate"), (f"{DETAIL}?level=advanced", "advanced")]
)
def test_a_visitor_starts_at_the_level_they_choose(
    client: Client, pack: Pack, address: str, level: str
) -> None:
    assert f'name="level" value="{level}" checked' in text(client, address)
    assert f'<input type="hidden" name="level" value="{level}">' in text(client, address)


def test_a_candidate_starts_at_their_own_level(client: Client, cleo: User, pack: Pack) -> None:
    assert '<input type="hidden" name="level" value="senior">' in text(client)
    assert '<input type="hidden" name="level" value="senior">' in text(client, f"{DETAIL}?level=nonsense")


def test_what_the_pack_cannot_fill_is_said_in_place_of_the_button(client: Client, pack: Pack) -> None:
    BlueprintFactory(slug="screen", title="Screen").delete()
    BlueprintFactory(slug="screen", title="Screen", recipe={"slots": [{"kinds": ["design"], "minutes": 9}]})
    page = text(client)
    assert (
        "This pack can fill 0 of 1 places: it has too few design questions of at most 9 minutes here." in page
    )
    assert "start_key" not in page
    reply = client.post(f"{DETAIL}start", form())
    assert (reply.status_code, Attempt.objects.count()) == (409, 0)
    assert "This pack can fill 0 of 1 places" in reply.content.decode()


def test_parts_come_alone(client: Client, pack: Pack) -> None:
    mocks = text(client, f"{DETAIL}?level=senior", **{"HX-Request": "true", "HX-Target": "mocks"})
    assert mocks.startswith('<section id="mocks"')
    assert (mocks.count("<section"), 'value="senior" checked' in mocks) == (1, True)
    rows = text(client, **{"HX-Request": "true", "HX-Target": "pack-questions"})
    assert rows.startswith('<section id="pack-questions"')
    assert rows.count(ROWS) == 2
    assert text(client, **{"HX-Request": "true"}).startswith("<!DOCTYPE html>")


def test_its_questions_come_in_pages(client: Client, pack: Pack) -> None:
    create_questions(23, topic=TopicFactory(code="gpu.comm"))
    pack.include = {"tracks": ["gpu"]}
    pack.save()
    reply = client.get(DETAIL)
    assert (reply.context["count"], reply.content.decode().count(ROWS)) == (26, 20)
    last = text(client, f"{DETAIL}?cursor={reply.context['page'].next}")
    assert (last.count(ROWS), 'rel="next"' in last, 'rel="prev"' in last) == (6, False, True)
    assert client.get(f"{DETAIL}?cursor=nonsense").status_code == 400


def test_a_press_starts_a_mock_that_says_where_it_is_from(client: Client, cleo: User, pack: Pack) -> None:
    key = uuid4()
    reply = client.post(f"{DETAIL}start", form(start_key=key))
    attempt = Attempt.objects.get()
    assert arrival(client, reply) == reverse("interviews:room", args=[attempt.pk, 1])
    assert (attempt.title, attempt.pack, attempt.user, attempt.level) == (
        "Screen: A loop",
        pack,
        cleo,
        "intermediate",
    )
    client.post(f"{DETAIL}start", form(start_key=key))
    assert Attempt.objects.count() == 1


def test_a_visitor_may_press_it_too(client: Client, pack: Pack) -> None:
    reply = client.post(f"{DETAIL}start", form())
    assert reply.status_code == 302
    assert Attempt.objects.get().user.is_guest


@pytest.mark.parametrize(
    "changes",
    [{"blueprint": "other"}, {"blueprint": "nowhere"}, {"level": "expert"}, {"mode": ""}, {"start_key": "x"}],
)
def test_what_the_pack_does_not_offer_is_refused(client: Client, pack: Pack, changes: dict[str, str]) -> None:
    BlueprintFactory(slug="other")
    reply = client.post(f"{DETAIL}start", form(**changes))
    assert (reply.status_code, Attempt.objects.count()) == (422, 0)
    assert "That interview is not offered any more." in reply.content.decode()


def test_the_room_the_review_and_the_grading_show_the_setting(client: Client, cleo: User, pack: Pack) -> None:
    client.post(f"{DETAIL}start", form())
    attempt = Attempt.objects.get()
    told = attempt.responses.exclude(setting="").get()
    shown = "<p>You work on a team that sorts telemetry of a fleet.</p>"
    pages = {
        position: text(client, reverse("interviews:room", args=[attempt.pk, position])) for position in (1, 2)
    }
    assert {position: shown in page for position, page in pages.items()} == {
        told.position: True,
        3 - told.position: False,
    }
    client.post(reverse("interviews:finish", args=[attempt.pk]))
    assert text(client, reverse("interviews:review", args=[attempt.pk])).count(shown) == 1
    assert shown in text(client, reverse("interviews:grade-answer", args=[attempt.pk, told.position]))
    # It belongs to no track, and every list of a person's interviews takes that.
    for name in ("interviews:front", "interviews:history", "reports:progress"):
        text(client, reverse(name))
    assert "Screen: A loop" in text(client, reverse("interviews:history"))


def test_the_browser_of_questions_asks_the_rule_and_leads_to_the_pack(client: Client, pack: Pack) -> None:
    page = text(client, "/questions/?pack=loop")
    assert page.count(ROWS) == 2
    assert '<a href="/packs/loop/">What this pack is practice for, and mocks from it</a>' in page
    assert "/packs/" in text(client, reverse("interviews:start"))


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_costs_the_same_for_any_number(
    client: Client, cleo: User, pack: Pack, django_assert_num_queries: Any, count: int
) -> None:
    for n in range(count):
        PackFactory(include={"tags": ["a"], "tracks": ["gpu"], "levels": ["senior"]}, slug=f"p{n}")
    with django_assert_num_queries(5):  # session, person, packs, references of before, sizes
        client.get(LIST)


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_costs_the_same_for_any_number(
    client: Client, cleo: User, pack: Pack, django_assert_num_queries: Any, count: int
) -> None:
    for n in range(count):
        create_questions(2, topic=TopicFactory(code=f"sre.topic{n}"))
        pack.include["topics"].append(f"sre.topic{n}")
        BlueprintFactory(slug=f"more{n}", recipe={"track": "sre", "slots": [{"minutes": 10}]})
        pack.blueprints.append(f"more{n}")
    pack.save()
    # session, person, pack, references of before, coverage and its titles, formats, questions to draw from,
    # their follow-ups, pins, topics of tracks, rows
    with django_assert_num_queries(12):
        client.get(DETAIL)

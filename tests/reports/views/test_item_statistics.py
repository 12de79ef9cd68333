"""Item statistics at the desk: what is listed, in which order, what one question shows, and who may look."""

import re

import pytest
from django.urls import reverse

from prepapp.bank.choices import Change, FlagPlace, FlagReason, Status
from prepapp.bank.models import Flag, TrackTopic
from prepapp.reports.models import ItemStatistic
from tests.factories.accounts import UserFactory
from tests.factories.bank import QuestionFactory, TrackFactory, add_version, create_questions
from tests.factories.curation import curator
from tests.factories.interviews import STARTED_AT
from tests.reports.counting import count_item

pytestmark = pytest.mark.django_db
LISTS = reverse("reports:item-statistics")


@pytest.fixture(autouse=True)
def at_the_desk(client):
    client.force_login(curator())


def titles(client, name, **more):
    """(title, point) of each line of a list."""
    rows = client.get(LISTS, {"list": name, **more}).context["rows"]
    return [(row.question.current_version.title, getattr(row, "key", "")) for row in rows]


def of(question, key=""):
    return (question.current_version.title, key)


def test_points_that_too_many_or_too_few_meet_the_worst_first(client):
    one, other = create_questions(2)
    count_item(one, met=(0.97, 0.95, 1.0), answers=100)
    count_item(other, met=(0.09, 0.10, 0.0), answers=100)
    assert titles(client, "easy") == [of(one, "r3"), of(one, "r1")]
    assert titles(client, "hard") == [of(other, "r3"), of(other, "r1")]
    # Without a list, the first of them.
    assert client.get(LISTS).context["wanted"].name == "easy"


def test_questions_and_points_that_do_not_go_along_with_the_rest(client):
    good, bad = create_questions(2)
    count_item(good)
    count_item(bad, goes_along=False)
    assert titles(client, "loose") == [of(bad)]
    assert set(titles(client, "loose-points")) == {of(bad, key) for key in ("r1", "r2", "r3")}


def test_what_is_left_empty_most_and_what_takes_another_time(client):
    calm, often, more, slow, quick = create_questions(5)
    count_item(calm, skipped=0.1, pace=1.4)
    count_item(often, skipped=0.2)
    count_item(more, skipped=0.5)
    count_item(slow, pace=1.6)
    count_item(quick, pace=0.25)
    assert titles(client, "skipped") == [of(more), of(often)]
    assert titles(client, "pace") == [of(quick), of(slow)]


def test_what_is_flagged_most(client):
    questions = create_questions(3)
    for number, question in enumerate(questions):
        count_item(question, answers=5)
        for _ in range(number):
            flag(question)
    flag(questions[1], settled_at=STARTED_AT, outcome="kept", answer="It is right.")
    rows = client.get(LISTS, {"list": "flagged"}).context["rows"]
    assert [(row.question.pk, row.flags) for row in rows] == [(questions[2].pk, 2), (questions[1].pk, 1)]


def test_a_flag_where_nothing_is_counted_is_in_no_list_and_the_page_says_where_it_is(client):
    flag(QuestionFactory())
    text = client.get(LISTS, {"list": "flagged"}).content.decode()
    assert "No question with counted answers has an open flag." in text
    assert "All flags are in" in text


def flag(question, **fields):
    return Flag.objects.create(
        question=question,
        version=question.current_version,
        user=UserFactory(),
        place=FlagPlace.RESULT,
        reason=FlagReason.WRONG,
        raised_at=STARTED_AT,
        **fields,
    )


def test_twenty_nine_answers_are_in_no_list(client):
    count_item(QuestionFactory(), answers=29, met=(1.0, 0.0, 0.5), goes_along=False, skipped=0.5, pace=9.0)
    for name in ("easy", "hard", "loose", "loose-points", "skipped", "pace"):
        assert titles(client, name) == []
    count_item(QuestionFactory(), answers=30, met=(1.0, 0.0, 0.5), goes_along=False, skipped=0.5, pace=9.0)
    assert [len(titles(client, name)) for name in ("easy", "hard", "loose", "skipped")] == [1] * 4
    # Of these thirty, half took any time.
    assert titles(client, "pace") == []


def test_what_is_retired_or_rewritten_needs_no_mending(client):
    retired, rewritten, reworded = create_questions(3)
    for question in (retired, rewritten, reworded):
        count_item(question, met=(1.0, 1.0, 1.0))
    retired.status = Status.RETIRED
    retired.save()
    add_version(rewritten, change=Change.MAJOR, meaning=2)
    add_version(reworded, change=Change.MINOR, meaning=1)
    reworded.refresh_from_db()
    assert set(titles(client, "easy")) == {of(reworded, key) for key in ("r1", "r2", "r3")}


def test_lists_are_narrowed_by_track_and_topic(client):
    one, other = QuestionFactory(), QuestionFactory()
    for question in (one, other):
        count_item(question, skipped=0.5)
    lent = TrackFactory(code="lent")
    TrackTopic.objects.create(track=lent, topic=other.topic)
    assert titles(client, "skipped", topic=one.topic_id) == [of(one)]
    assert titles(client, "skipped", track="lent") == [of(other)]
    assert titles(client, "skipped", track="lent", topic=one.topic_id) == []
    page = client.get(LISTS, {"list": "nonsense", "track": "lent"})
    assert page.context["wanted"].name == "easy"
    assert "“nonsense” is not one of the choices; it was left out." in page.content.decode()


def test_a_long_list_is_paged_by_position(client):
    questions = create_questions(25)
    for number, question in enumerate(questions):
        count_item(question, answers=100, skipped=0.2 + number / 100)
    first = client.get(LISTS, {"list": "skipped"}).context
    assert (first["count"], len(first["rows"])) == (25, 20)
    second = client.get(LISTS, {"list": "skipped", "cursor": first["page"].next}).context
    order = [row.question.pk for page in (first, second) for row in page["rows"]]
    assert order == [question.pk for question in reversed(questions)]
    assert client.get(LISTS, {"list": "skipped", "cursor": "nonsense"}).status_code == 400
    # The cursor of one list is none of another.
    assert client.get(LISTS, {"list": "easy", "cursor": first["page"].next}).status_code == 400


def test_htmx_gets_the_list_alone_and_its_address(client):
    count_item(QuestionFactory(), skipped=0.5)
    reply = client.get(LISTS, {"list": "skipped"}, headers={"HX-Request": "true"})
    assert reply["HX-Push-Url"] == f"{LISTS}?list=skipped"
    text = reply.content.decode()
    assert "<html" not in text
    assert text.strip().startswith('<section id="results"')


def test_an_empty_list_says_so(client):
    assert "Nothing was counted yet: that happens each night." in client.get(LISTS).content.decode()
    count_item(QuestionFactory())
    text = client.get(LISTS).content.decode()
    assert "Nothing stands out here, among what has 30 answers or more." in text
    assert "As of 12 Nov 2026, 14:00" in text


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    ("name", "queries"),
    # session, person, tracks with topics, packs, run, page, count; texts of points
    [
        ("easy", 8),
        ("hard", 8),
        ("loose-points", 8),
        ("loose", 7),
        ("skipped", 7),
        ("pace", 7),
        ("flagged", 7),
    ],
)
def test_queries_of_a_list(client, django_assert_num_queries, name, queries, count):
    for question in create_questions(count):
        count_item(question, answers=60, met=(1.0, 0.0, 0.5), goes_along=False, skipped=0.5, pace=9.0)
        flag(question)
    client.get(LISTS, {"list": name})
    with django_assert_num_queries(queries):
        assert len(client.get(LISTS, {"list": name}).context["rows"]) >= count


# --- one question ---------------------------------------------------------------------------------


def page_of(client, question):
    return client.get(reverse("reports:question-statistics", args=[question.pk]))


def test_one_question_shows_its_numbers_with_intervals_and_what_stands_out(client):
    question = QuestionFactory()
    count_item(question, answers=100, met=(0.97, 0.5, 0.04), skipped=0.2, pace=2.0)
    flag(question)
    reply = page_of(client, question)
    (meaning,) = reply.context["meanings"]
    (part,) = meaning.parts
    assert [line.key for line in part.points] == ["r1", "r2", "r3"]
    assert part.points[0].text.criterion == f"Criterion r1 of {question.current_version.title}"
    text = re.sub(r"[ \n]+", " ", reply.content.decode())
    assert "Main answer: 100 first answers" in text
    assert (
        '<b>97\N{NO-BREAK SPACE}%</b> <span class="small soft nowrap">92–99\N{NO-BREAK SPACE}%</span>' in text
    )
    assert text.count("nearly everybody meets it") == 1
    assert text.count("hardly anybody meets it") == 1
    assert "More than one in ten left it empty." in text
    assert "It takes far longer than expected." in text
    assert "×2.00" in text
    assert "1 open flag<" in text


def test_each_meaning_stands_for_itself_the_newest_first(client):
    question = QuestionFactory()
    count_item(question, answers=31)
    add_version(question, change=Change.MINOR, meaning=1)
    add_version(question, change=Change.MAJOR, meaning=3, change_note="Asks for the cost as well")
    count_item(question, answers=12, meaning=3)
    reply = page_of(client, question)
    assert [
        (meaning.versions, meaning.is_current, [part.figures.answers for part in meaning.parts])
        for meaning in reply.context["meanings"]
    ] == [("version 3", True, [12]), ("versions 1–2", False, [31])]
    text = reply.content.decode()
    assert text.count("Fewer than 30 answers: nothing to say yet.") == 1
    assert "Asks for the cost as well" in text


def test_follow_ups_stand_beside_the_main_answer(client):
    question = QuestionFactory()
    count_item(question, part="f1")
    count_item(question)
    (meaning,) = page_of(client, question).context["meanings"]
    assert [part.key for part in meaning.parts] == ["", "f1"]


def test_a_question_without_answers_or_versions_says_so(client):
    text = page_of(client, QuestionFactory()).content.decode()
    assert "No first answer to it was graded." in text
    text = page_of(client, QuestionFactory(version=False, status=Status.DRAFT)).content.decode()
    assert "This question has not been published, so nobody was asked it." in text
    assert client.get(reverse("reports:question-statistics", args=[10**12])).status_code == 404


def test_what_a_point_was_called_is_said_where_it_is_gone(client):
    question = QuestionFactory()
    count_item(question, met=(1.0, 0.5, 0.5))
    add_version(question, change=Change.MINOR, meaning=1, points=())
    assert "This point is no longer in the question." in page_of(client, question).content.decode()
    assert "This point is no longer in the question." in client.get(LISTS).content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_queries_of_a_question(client, django_assert_num_queries, count):
    question = QuestionFactory(version__follow_ups=count)
    for meaning in range(1, count + 1):
        if meaning > 1:
            add_version(question, change=Change.MAJOR, meaning=meaning, follow_ups=count)
        for part in ["", *(f"f{n}" for n in range(1, count + 1))]:
            count_item(question, meaning=meaning, part=part)
    assert ItemStatistic.objects.count() == count * (count + 1)
    page_of(client, question)
    with django_assert_num_queries(
        9
    ):  # session, person, question, run, versions, texts, points, items, flags
        page_of(client, question)


# --- who may look ---------------------------------------------------------------------------------------


def test_only_the_desk_may_look(client):
    question = QuestionFactory()
    client.force_login(UserFactory())
    assert client.get(LISTS).status_code == 403
    assert page_of(client, question).status_code == 403
    client.logout()
    assert client.get(LISTS).status_code == 302

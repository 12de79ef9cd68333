"""Playing demonstration data: the same by seed, through the actions alone, counted as it is."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.db import connection

from prepapp.accounts.models import User
from prepapp.bank.choices import Kind
from prepapp.interviews import scoring
from prepapp.interviews.actions.blueprints import load_blueprints
from prepapp.interviews.choices import Ending, MarkValue, Mode, State
from prepapp.interviews.gradebook import reads
from prepapp.interviews.gradebook.rows import counted
from prepapp.interviews.management.invented import Claim, Learner, drafts
from prepapp.interviews.models import Attempt, Blueprint, Grading, Mark, Response
from prepapp.interviews.recipes import BlueprintFile
from prepapp.reports.actions.evidence import rebuild
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import AttemptFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
FORMAT = BlueprintFile(
    slug="screen",
    title="Phone screen",
    summary="Two questions, one with a follow-up.",
    minutes=12,
    position=1,
    recipe={"slots": [{"minutes": 5}, {"minutes": 5, "follow_ups": 1}]},
)
QUIZ = BlueprintFile(
    "quick-quiz", "Quick quiz", "One follow-up.", 5, 2, {"slots": [{"minutes": 5, "follow_up_only": True}]}
)


@pytest.fixture(autouse=True)
def fixed_clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def bank() -> None:
    track = TrackFactory(code="demo")
    for name in ("one", "two", "three", "four", "five", "six"):
        create_questions(3, topic=TopicFactory(code=f"demo.{name}", track=track), kind=Kind.CONCEPT)
    load_blueprints(blueprints=[FORMAT, QUIZ])


def play(email: str, **options: Any) -> list[str]:
    out = StringIO()
    call_command(
        "play_sessions",
        email=email,
        stdout=out,
        **{"weeks": 2, "per_week": 3, "track": "demo", "level": "intermediate", "create": True, **options},
    )
    return out.getvalue().splitlines()


def played(email: str) -> list[tuple[Any, ...]]:
    """Everything that was played, without what is an id."""
    attempts = Attempt.objects.filter(user__email=email).order_by("started_at")
    marks = Mark.objects.filter(user__email=email).order_by("marked_at", "point")
    return [
        *attempts.values_list(
            "title", "mode", "state", "ending", "seed", "started_at", "finished_at", "graded_at", "score"
        ),
        *Response.objects.filter(user__email=email)
        .order_by("attempt__started_at", "position")
        .values_list("version", "follow_up", "text", "revision", "seconds_spent", "saved_at", "asked_at"),
        *marks.values_list("point", "value", "first_value", "quote", "marked_at"),
    ]


def numbers(line: str) -> list[int]:
    return [int(number) for number in re.findall(r"(?<![\w.@])\d+", line)]


@pytest.mark.usefixtures("bank")
def test_the_same_seed_plays_the_same_and_another_seed_does_not() -> None:
    first, second = play("one@example.test", seed=7), play("two@example.test", seed=7)
    assert [line.replace("two@", "one@") for line in second] == first
    assert played("one@example.test") == played("two@example.test")
    play("three@example.test", seed=8)
    assert played("three@example.test") != played("one@example.test")


@pytest.mark.usefixtures("bank")
def test_what_it_says_it_did_is_what_there_is() -> None:
    note, all_lines, states, marks, *_ = play("demo@example.test", seed=3, weeks=3, per_week=4)
    assert note.startswith("Demonstration data: an invented learner")
    attempts = Attempt.objects.all()
    modes = Counter(attempts.values_list("mode", flat=True))
    # Four a week, one that waits to be graded and one that runs.
    assert numbers(all_lines)[:4] == [14, 3, modes[Mode.MOCK], modes[Mode.PRACTICE]]
    found = Counter(attempts.values_list("state", flat=True))
    by_clock = attempts.filter(ending=Ending.DEADLINE).count()
    expected = [found[State.GRADED], found[State.GRADING], found[State.ABANDONED], found[State.RUNNING]]
    assert numbers(states)[:5] == [*expected, by_clock]
    assert (found[State.GRADING], found[State.RUNNING]) == (1, 1)
    values = Counter(Mark.objects.exclude(response_grade__response__text="").values_list("value", flat=True))
    quoted = Mark.objects.filter(value=MarkValue.MET).exclude(quote="").count()
    assert numbers(marks)[3:] == [
        *(sum(values.values()), values[MarkValue.MET], quoted),
        *(values[MarkValue.PARTLY], values[MarkValue.MISSED]),
    ]


@pytest.mark.usefixtures("bank")
def test_what_was_played_holds_what_the_product_holds() -> None:
    play("demo@example.test", seed=3, weeks=4, per_week=4)
    assert not Attempt.objects.filter(started_at__gt=NOW).exists()
    assert not Mark.objects.filter(marked_at__gt=NOW).exists()
    for mark in Mark.objects.select_related("response_grade__response"):
        assert mark.quote in " ".join(mark.response_grade.response.text.split())
    gradings = list(Grading.objects.select_related("attempt").filter(closed_at__isnull=False))
    assert gradings
    for grading in gradings:
        answers = reads.graded_answers(grading.attempt_id, grading.pk)
        score = scoring.attempt_score(counted(answers), is_mock=grading.attempt.is_mock)
        assert grading.score == scoring.stored(score) == grading.attempt.score
        assert not any(answer.unmarked for answer in answers)
    assert list(rebuild(repair=False)) == []


@pytest.mark.usefixtures("bank")
def test_every_row_is_written_by_an_action() -> None:
    strangers: list[str] = []
    writes = 0

    def watch(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        nonlocal writes
        if re.match(r"\s*(INSERT|UPDATE|DELETE)", sql):
            writes += 1
            frame = sys._getframe()
            names = set()
            while frame := frame.f_back:  # type: ignore[assignment]
                names.add(frame.f_globals.get("__name__", ""))
            if not any(re.match(r"prepapp\.(interviews|accounts)\.actions", name) for name in names):
                strangers.append(sql)
        return execute(sql, *arguments)

    with connection.execute_wrapper(watch):
        play("demo@example.test")
        assert strangers == []
        assert writes > 100
        User.objects.filter(email="demo@example.test").update(track="")
    assert len(strangers) == 1


@pytest.mark.usefixtures("bank")
def test_the_account_it_makes() -> None:
    play("Open@Example.test", password=PASSWORD, zone="Europe/Paris", weekly_mail=True)
    user = User.objects.get(email="open@example.test")
    assert user.check_password(PASSWORD)
    assert EmailAddress.objects.filter(user=user, verified=True, primary=True).count() == 1
    assert (user.track, user.level, user.time_zone) == ("demo", "intermediate", "Europe/Paris")
    assert user.wants_weekly_mail
    assert user.date_joined == NOW - timedelta(weeks=2, days=1)
    play("shut@example.test")
    shut = User.objects.get(email="shut@example.test")
    assert not shut.has_usable_password()
    assert not shut.wants_weekly_mail


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"create": False}, "There is no account demo@example.test"),
        ({"track": "cooking"}, "There is no track 'cooking'; there are: demo"),
        ({"zone": "Mars/Olympus"}, "'Mars/Olympus' is no time zone"),
        ({"weeks": 0}, "--weeks is from 1 to 52"),
        ({"per_week": 8}, "--per-week from 1 to 7"),
    ],
)
def test_it_refuses(options: dict[str, Any], said: str) -> None:
    with pytest.raises(CommandError, match=re.escape(said)):
        play("demo@example.test", **options)
    assert not User.objects.exists()


@pytest.mark.usefixtures("bank")
def test_without_formats_it_makes_no_account() -> None:
    Blueprint.objects.update(is_active=False)
    with pytest.raises(CommandError, match="Run load_blueprints first"):
        play("demo@example.test", create=True)
    assert not User.objects.exists()


@pytest.mark.usefixtures("bank")
def test_it_does_not_mix_with_what_was_done() -> None:
    person = UserFactory(email="real@example.test")
    AttemptFactory(user=person)
    with pytest.raises(CommandError, match="has interviews already"):
        play("real@example.test")
    assert Attempt.objects.count() == 1


@pytest.mark.usefixtures("bank")
def test_a_production_site_takes_it_only_when_told(settings: Any) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="production site"):
        play("demo@example.test")
    assert not User.objects.exists()
    play("demo@example.test", yes=True)
    assert Attempt.objects.exists()


def test_abilities_are_dealt_out_in_thirds_of_each_group() -> None:
    learner = Learner(1, [["a", "b", "c"], ["d", "e", "f", "g", "h", "i"]])
    for which, counts in (("weak", (1, 2)), ("middling", (1, 2)), ("strong", (1, 2))):
        named = learner.named(which)
        assert (sum(name < "d" for name in named), sum(name >= "d" for name in named)) == counts
    weak, strong = learner.named("weak")[0], learner.named("strong")[0]
    skills = [
        sum(learner.skill(topic, "senior", progress, "senior") for _ in range(200)) / 200
        for topic, progress in ((weak, 0.0), (weak, 1.0), (strong, 0.0))
    ]
    assert skills == sorted(skills)
    assert skills[2] > 0.85
    assert skills[0] < 0.2


def test_what_was_not_written_in_time_is_missed() -> None:
    whole = "Softmax is applied twice. The floor is 1.46 for ten classes."
    first = Claim(1, MarkValue.MET, "Softmax is applied twice.", has_quote=True)
    second = Claim(2, MarkValue.PARTLY, "The floor is 1.46", has_quote=True)
    cut = drafts(whole)[1]
    assert cut == "Softmax is applied twice. The floor is"
    assert [claim.value_in(cut) for claim in (first, second)] == [MarkValue.MET, MarkValue.MISSED]
    assert [claim.value_in(whole) for claim in (first, second)] == [MarkValue.MET, MarkValue.PARTLY]
    assert second.quote_in(whole) == "The floor is 1.46"
    assert drafts(whole)[-1] == whole

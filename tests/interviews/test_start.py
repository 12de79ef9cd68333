"""Starting an interview: one attempt however often it is asked for, or nothing at all."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError

from prepapp.bank.choices import Kind, Level
from prepapp.bank.models import QuestionVersion
from prepapp.interviews.actions.start import blueprint_plan, custom_plan, start_attempt, start_with_picks
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.queries import question_pool
from prepapp.interviews.refusals import CannotFill
from prepapp.interviews.selection import Slot, select
from tests.factories.bank import TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import (
    EVERYTHING,
    GRACE,
    make_bank,
    make_plan,
    rows,
    sit,
    statements,
    track_of,
)

pytestmark = pytest.mark.django_db


def test_new_attempt_copies_all_that_could_change_later() -> None:
    user = CandidateFactory(time_allowance="1.50")
    topic = make_bank()
    key = uuid4()
    attempt = sit(user, topic=topic, start_key=key)
    attempt.refresh_from_db()
    assert {
        "user": attempt.user_id,
        "track": attempt.track_id,
        "title": attempt.title,
        "mode": attempt.mode,
        "level": attempt.level,
        "state": attempt.state,
        "start_key": attempt.start_key,
        "slot": attempt.slot,
        "minutes": attempt.minutes,
        "allowance": attempt.time_allowance,
        "started_at": attempt.started_at,
        "deadline_at": attempt.deadline_at,
        "finished_at": attempt.finished_at,
        "ending": attempt.ending,
        "score": attempt.score,
    } == {
        "user": user.pk,
        "track": track_of(topic),
        "title": "Phone screen",
        "mode": Mode.MOCK,
        "level": Level.INTERMEDIATE,
        "state": State.RUNNING,
        "start_key": key,
        "slot": f"mock:screen:{track_of(topic)}",
        "minutes": 15,
        "allowance": "1.50",
        "started_at": STARTED_AT,
        "deadline_at": STARTED_AT + timedelta(minutes=22, seconds=30),
        "finished_at": None,
        "ending": "",
        "score": None,
    }


def test_questions_come_in_order_and_follow_ups_wait_unasked() -> None:
    attempt = sit(CandidateFactory(), questions=2, follow_ups=2, topic=make_bank(2, follow_ups=2))
    found = list(
        attempt.responses.values_list(
            "position", "parent_position", "minutes", "asked_at", "text", "revision", "user"
        )
    )
    main = (5, STARTED_AT, "", 0, attempt.user_id)
    part = (3, None, "", 0, attempt.user_id)
    assert found == [
        (1, None, *main),
        (2, 1, *part),
        (3, 1, *part),
        (4, None, *main),
        (5, 4, *part),
        (6, 4, *part),
    ]
    keys = list(attempt.responses.filter(parent_position=1).values_list("follow_up__key", flat=True))
    assert keys == ["f1", "f2"]


def test_a_follow_up_that_stands_alone_is_asked_at_once() -> None:
    attempt = sit(
        CandidateFactory(),
        topic=make_bank(1),
        slots=[Slot(kinds=tuple(Kind.values), minutes=3, follow_up_only=True)],
    )
    only = attempt.responses.get()
    assert (only.position, only.parent_position, only.asked_at) == (1, None, STARTED_AT)
    assert only.follow_up is not None
    assert only.minutes == 3


def test_practice_has_no_deadline() -> None:
    assert sit(CandidateFactory(time_allowance="1.50"), mode=Mode.PRACTICE).deadline_at is None


def test_untimed_mock_has_no_deadline() -> None:
    attempt = sit(CandidateFactory(time_allowance="untimed"))
    assert (attempt.deadline_at, attempt.mode) == (None, Mode.MOCK)


def test_same_key_again_finds_the_same_attempt_and_writes_nothing() -> None:
    user, topic, key = CandidateFactory(), make_bank(), uuid4()
    first = sit(user, topic=topic, start_key=key)
    before = rows()
    again = start_attempt(
        user=user,
        plan=make_plan(topic),
        mode=Mode.MOCK,
        start_key=key,
        seed=2,
        now=STARTED_AT + timedelta(minutes=7),
    )
    assert again.pk == first.pk
    assert again.deadline_at == STARTED_AT + timedelta(minutes=15)
    assert rows() == before


def test_same_key_after_the_end_leads_to_the_ended_attempt_and_starts_nothing() -> None:
    """TIM-07, by our rule: there is no window to start in; what an old page must not do is start again."""
    user, topic, key = CandidateFactory(), make_bank(), uuid4()
    first = sit(user, topic=topic, start_key=key)
    Attempt.objects.update(state=State.GRADING, finished_at=STARTED_AT, ending=Ending.FINISHED)
    before = rows()
    later = STARTED_AT + timedelta(days=3)
    again = start_attempt(user=user, plan=make_plan(topic), mode=Mode.MOCK, start_key=key, seed=1, now=later)
    assert (again.pk, again.state) == (first.pk, State.GRADING)
    assert rows() == before


def test_another_key_finds_the_attempt_of_the_same_kind_that_runs() -> None:
    user, topic = CandidateFactory(), make_bank()
    first = sit(user, topic=topic)
    before = rows()
    assert sit(user, topic=topic).pk == first.pk
    assert rows() == before


def test_other_modes_tracks_and_people_start_their_own() -> None:
    user, topic = CandidateFactory(), make_bank()
    attempts = [
        sit(user, topic=topic),
        sit(user, topic=topic, mode=Mode.PRACTICE),
        sit(user, topic=make_bank()),
        sit(CandidateFactory(), topic=topic),
    ]
    assert len({attempt.pk for attempt in attempts}) == 4


def test_the_key_of_another_person_finds_nothing_of_theirs() -> None:
    topic, key = make_bank(), uuid4()
    theirs = sit(CandidateFactory(), topic=topic, start_key=key)
    mine = sit(CandidateFactory(), topic=topic, start_key=key)
    assert mine.pk != theirs.pk
    assert mine.user_id != theirs.user_id


def test_an_overdue_attempt_in_the_slot_is_closed_first() -> None:
    user, topic = CandidateFactory(), make_bank()
    first = sit(user, topic=topic)
    now = STARTED_AT + timedelta(hours=2)
    second = start_attempt(
        user=user, plan=make_plan(topic), mode=Mode.MOCK, start_key=uuid4(), seed=1, now=now
    )
    first.refresh_from_db()
    assert (first.state, first.finished_at, first.ending) == (
        State.GRADING,
        STARTED_AT + timedelta(minutes=15),
        Ending.DEADLINE,
    )
    assert (second.pk == first.pk, second.deadline_at) == (False, now + timedelta(minutes=15))


def test_within_the_grace_the_attempt_still_runs_and_is_found() -> None:
    user, topic = CandidateFactory(), make_bank()
    first = sit(user, topic=topic)
    again = start_attempt(
        user=user,
        plan=make_plan(topic),
        mode=Mode.MOCK,
        start_key=uuid4(),
        seed=1,
        now=STARTED_AT + timedelta(minutes=15) + GRACE,
    )
    assert again.pk == first.pk


def test_what_cannot_be_filled_writes_nothing_and_says_what_is_missing() -> None:
    user, topic = CandidateFactory(), make_bank(2, kind="design")
    before = rows(*EVERYTHING)
    with pytest.raises(CannotFill) as refused:
        sit(user, topic=topic, slots=[Slot(("design", "coding"), 10)] * 3)
    assert str(refused.value) == (
        "The bank can fill 2 of 3 places: it has too few design or coding questions of at most 10 minutes "
        "here. Choose another track, level or length."
    )
    assert rows(*EVERYTHING) == before


def test_a_write_that_fails_half_way_leaves_nothing() -> None:
    """The attempt and its questions are one transaction: a question that is refused takes both back."""
    user, topic = CandidateFactory(), make_bank()
    plan = make_plan(topic, questions=2)
    good, bad = select(question_pool(user, plan.track), plan.slots, plan.level, 1).picks
    bad = replace(bad, candidate=replace(bad.candidate, minutes=-1))
    before = rows(*EVERYTHING)
    with pytest.raises(IntegrityError):
        start_with_picks(
            user=user,
            plan=plan,
            picks=[good, bad],
            mode=Mode.MOCK,
            start_key=uuid4(),
            seed=1,
            now=STARTED_AT,
        )
    assert rows(*EVERYTHING) == before


def test_only_published_questions_of_the_track_are_asked() -> None:
    topic = make_bank(1)
    elsewhere = make_bank(5)
    create_questions(3, topic=topic, status="retired")
    create_questions(3, topic=topic, status="draft")
    with pytest.raises(CannotFill):
        sit(CandidateFactory(), topic=topic, questions=2)
    attempt = sit(CandidateFactory(), topic=topic, questions=1)
    assert attempt.responses.get(parent_position=None).version.question.topic_id == topic.code
    assert elsewhere.code != topic.code


def test_topics_of_a_custom_interview_are_kept_to() -> None:
    track = TrackFactory()
    wanted, other = TopicFactory(track=track), TopicFactory(track=track)
    create_questions(2, topic=wanted)
    create_questions(9, topic=other)
    plan = custom_plan(track.code, [wanted.code], "intermediate", 2, 20)
    attempt = start_attempt(
        user=CandidateFactory(), plan=plan, mode=Mode.MOCK, start_key=uuid4(), seed=1, now=STARTED_AT
    )
    topics = attempt.responses.values_list("version__question__topic", flat=True)
    assert list(topics) == [wanted.code, wanted.code]
    assert (attempt.title, attempt.minutes) == ("Custom interview", 20)


def test_what_was_asked_before_comes_last() -> None:
    user, topic = CandidateFactory(), make_bank(4)
    first = sit(user, topic=topic, questions=2)
    Attempt.objects.update(state=State.GRADING, finished_at=STARTED_AT, ending=Ending.FINISHED)
    second = start_attempt(
        user=user,
        plan=make_plan(topic, questions=2),
        mode=Mode.MOCK,
        start_key=uuid4(),
        seed=1,
        now=STARTED_AT + timedelta(days=1),
    )
    asked = [
        set(Response.objects.filter(attempt=attempt).values_list("version__question", flat=True))
        for attempt in (first, second)
    ]
    assert asked[0] & asked[1] == set()
    assert len(asked[0] | asked[1]) == 4


def test_questions_are_pinned_to_the_version_of_the_start() -> None:
    """AUT-16: an edit during the interview makes a version for others; this attempt keeps its own."""
    topic = make_bank(1)
    attempt = sit(CandidateFactory(), topic=topic, questions=1)
    pinned = attempt.responses.get(position=1).version
    edited = add_version(pinned.question, prompt="Mended prompt")
    assert QuestionVersion.objects.get(current_of=pinned.question).pk == edited.pk
    assert [response.version_id for response in attempt.responses.all()] == [pinned.pk, pinned.pk]
    assert attempt.responses.get(position=1).version.prompt == pinned.prompt
    assert sit(CandidateFactory(), topic=topic, questions=1).responses.get(position=1).version_id == edited.pk


def test_the_plan_of_a_format_takes_slots_by_level_and_track_from_the_recipe() -> None:
    blueprint = BlueprintFactory(
        slug="coding",
        minutes=30,
        recipe={"track": "swe", "slots": [{"minutes": 24}], "slots_by_level": {"senior": [{"minutes": 9}]}},
    )
    plan = blueprint_plan(blueprint, "mle", "senior")
    assert (plan.slot_name, plan.track, plan.minutes, plan.blueprint) == ("coding:swe", "swe", 30, blueprint)
    assert [slot.minutes for slot in plan.slots] == [9]
    assert [slot.minutes for slot in blueprint_plan(blueprint, "mle", "advanced").slots] == [24]


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_a_start_costs_the_same_few_statements_for_any_number_of_questions(questions: int) -> None:
    """Known starts, questions, follow-ups, what was asked before; then attempt and responses."""
    user, topic = CandidateFactory(), make_bank(10)
    plan = make_plan(topic, questions=questions)
    with statements() as sent:
        start_attempt(user=user, plan=plan, mode=Mode.MOCK, start_key=uuid4(), seed=1, now=STARTED_AT)
    assert len(sent) == 6, sent

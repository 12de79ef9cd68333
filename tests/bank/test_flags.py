"""Flags as actions: raised, raised again, answered, read; each exit of each."""

from datetime import timedelta

import pytest

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.actions.flags import MAX_TEXT, mark_read, raise_flag, settle_flag
from prepapp.bank.choices import Event, FlagOutcome, FlagPlace, FlagReason, Status
from prepapp.bank.models import CurationEvent, Flag, Question
from prepapp.bank.queries.flags import (
    FlagFilter,
    flag_groups,
    flagged_questions,
    own_flags,
    reason_counts,
    unread_answers,
)
from prepapp.bank.refusals import FlagFull, FlagsAnswered, FlagsGrew, MayNotRetire, SignedInElsewhere
from tests.factories.accounts import GuestFactory, UserFactory
from tests.factories.bank import QuestionFactory, TopicFactory, TrackFactory, create_questions
from tests.factories.curation import EDITED_AT, curator, reviewer

pytestmark = pytest.mark.django_db

LATER = EDITED_AT + timedelta(days=1)


def flag(question: Question, user: User, text: str = "", reason: str = FlagReason.WRONG, **fields) -> Flag:
    values = {"place": FlagPlace.RESULT, "now": EDITED_AT, "version": question.current_version, **fields}
    return raise_flag(user=user, reason=reason, text=text, **values)


def settle(question: Question, *flags: Flag, by: User | None = None, **fields) -> int:
    values = {
        "reason": FlagReason.WRONG,
        "seen": {flag.pk: len(flag.text) for flag in flags},
        "outcome": FlagOutcome.MENDED,
        "answer": "It says 64 now.",
        "now": LATER,
        **fields,
    }
    return settle_flag(question_id=question.pk, by=by or curator(), **values)


def stored() -> list[tuple]:
    return list(Flag.objects.order_by("pk").values_list("reason", "text", "place", "raised_at"))


# --- raising --------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", [UserFactory, GuestFactory])
def test_a_flag_holds_what_was_said_of_which_text_and_where(who) -> None:
    question, user = QuestionFactory(), who()
    made = flag(question, user, "It says 32.", place=FlagPlace.GRADING)
    row = Flag.objects.get()
    assert row == made
    assert (row.question, row.version, row.user) == (question, question.current_version, user)
    assert stored() == [(FlagReason.WRONG, "It says 32.", FlagPlace.GRADING, EDITED_AT)]
    assert (row.settled_at, row.outcome, row.answer, row.read_at) == (None, "", "", None)


def test_a_second_press_changes_nothing() -> None:
    question, user = QuestionFactory(), UserFactory()
    first = flag(question, user, "It says 32.")
    assert flag(question, user, "It says 32.", now=LATER) == first
    assert flag(question, user, "", now=LATER) == first
    assert stored() == [(FlagReason.WRONG, "It says 32.", FlagPlace.RESULT, EDITED_AT)]


def test_other_words_are_added_to_the_open_flag() -> None:
    question, user = QuestionFactory(), UserFactory()
    for text in ("", "It says 32.", "So does the table.", "So does the table."):
        flag(question, user, text, now=LATER)
    assert [text for _, text, *_ in stored()] == ["It says 32.\n\nSo does the table."]


def test_another_reason_another_person_and_another_question_are_flags_of_their_own() -> None:
    question, other = create_questions(2)
    user = UserFactory()
    flag(question, user, "a")
    flag(question, user, "b", FlagReason.UNCLEAR)
    flag(question, UserFactory(), "c")
    flag(other, user, "d")
    assert [text for _, text, *_ in stored()] == ["a", "b", "c", "d"]


def test_after_the_answer_the_same_is_a_new_flag() -> None:
    question, user = QuestionFactory(), UserFactory()
    settle(question, flag(question, user, "It says 32."))
    flag(question, user, "It still does.", now=LATER)
    assert [text for _, text, *_ in stored()] == ["It says 32.", "It still does."]


def test_more_than_anybody_would_read_is_refused_and_the_flag_stays() -> None:
    question, user = QuestionFactory(), UserFactory()
    flag(question, user, "x" * (MAX_TEXT - 3))
    with pytest.raises(FlagFull):
        flag(question, user, "yy")
    assert len(Flag.objects.get().text) == MAX_TEXT - 3
    flag(question, user, "y")
    assert len(Flag.objects.get().text) == MAX_TEXT


def test_a_guest_who_just_signed_in_is_told() -> None:
    question, guest = QuestionFactory(), GuestFactory()
    User.objects.filter(pk=guest.pk).delete()
    with pytest.raises(SignedInElsewhere):
        flag(question, guest, "It says 32.")
    assert stored() == []


# --- answering ------------------------------------------------------------------------------------


def test_one_answer_settles_every_flag_that_was_seen() -> None:
    question, by = QuestionFactory(), curator()
    seen = [flag(question, UserFactory(), text) for text in ("a", "b", "")]
    late = flag(question, UserFactory(), "c")
    unclear = flag(question, UserFactory(), "d", FlagReason.UNCLEAR)
    assert settle(question, *seen, by=by) == 3
    rows = Flag.objects.filter(pk__in=[found.pk for found in seen])
    values = ("outcome", "answer", "settled_at", "settled_by", "read_at")
    assert set(rows.values_list(*values)) == {(FlagOutcome.MENDED, "It says 64 now.", LATER, by.pk, None)}
    assert list(Flag.objects.filter(settled_at=None)) == [late, unclear]
    line = CurationEvent.objects.get()
    assert (line.event, line.actor, line.question_number, line.label, line.note, line.about) == (
        Event.FLAG_SETTLED,
        by,
        question.pk,
        question.ref,
        "It says 64 now.",
        {"reason": "wrong", "outcome": "mended", "flags": 3},
    )


def test_what_somebody_else_answered_is_not_answered_again() -> None:
    question = QuestionFactory()
    found = flag(question, UserFactory(), "a")
    settle(question, found, answer="First.")
    with pytest.raises(FlagsAnswered):
        settle(question, found, answer="Second.")
    assert Flag.objects.get().answer == "First."
    assert CurationEvent.objects.count() == 1


def test_flags_of_another_question_are_left_alone() -> None:
    question, other = create_questions(2)
    foreign = flag(other, UserFactory(), "a")
    with pytest.raises(FlagsAnswered):
        settle(question, foreign)
    assert Flag.objects.get().settled_at is None


def test_an_answer_to_less_than_was_written_is_refused() -> None:
    question, user = QuestionFactory(), UserFactory()
    seen = {flag(question, user, "It says 32.").pk: len("It says 32.")}
    flag(question, user, "And in the table.")
    with pytest.raises(FlagsGrew):
        settle(question, seen=seen)
    assert Flag.objects.get().settled_at is None


def test_retired_takes_the_question_out_of_use_in_the_same_act() -> None:
    question = QuestionFactory()
    settle(question, flag(question, UserFactory()), by=reviewer(), outcome=FlagOutcome.RETIRED)
    question.refresh_from_db()
    assert (question.status, Flag.objects.get().outcome) == (Status.RETIRED, FlagOutcome.RETIRED)
    assert list(CurationEvent.objects.order_by("pk").values_list("event", "note")) == [
        (Event.RETIRED, "It says 64 now."),
        (Event.FLAG_SETTLED, "It says 64 now."),
    ]


def test_a_question_that_is_retired_already_stays_so() -> None:
    question = QuestionFactory()
    found = flag(question, UserFactory())
    Question.objects.filter(pk=question.pk).update(status=Status.RETIRED)
    settle(question, found, by=UserFactory(role=Role.ADMIN), outcome=FlagOutcome.RETIRED)
    assert list(CurationEvent.objects.values_list("event", flat=True)) == [Event.FLAG_SETTLED]


def test_who_may_not_publish_may_not_retire() -> None:
    question = QuestionFactory()
    found = flag(question, UserFactory())
    with pytest.raises(MayNotRetire):
        settle(question, found, by=curator(), outcome=FlagOutcome.RETIRED)
    question.refresh_from_db()
    assert (question.status, Flag.objects.get().settled_at) == (Status.PUBLISHED, None)
    assert CurationEvent.objects.count() == 0


# --- reading --------------------------------------------------------------------------------------


def test_reading_marks_ones_own_answered_flags_once() -> None:
    question, user = QuestionFactory(), UserFactory()
    mine, theirs = flag(question, user), flag(question, UserFactory())
    still_open = flag(question, user, "?", FlagReason.UNCLEAR)
    settle(question, mine, theirs)
    ids = [mine.pk, theirs.pk, still_open.pk, 10**9]
    assert mark_read(user=user, flag_ids=ids, now=LATER) == 1
    assert mark_read(user=user, flag_ids=ids, now=LATER + timedelta(days=1)) == 0
    assert list(Flag.objects.filter(read_at__isnull=False).values_list("pk", "read_at")) == [(mine.pk, LATER)]


def test_answers_are_told_until_they_are_read(django_assert_num_queries) -> None:
    user = UserFactory()
    first, second = create_questions(2)
    flags = [flag(question, user) for question in (first, second)]
    assert unread_answers(user) == []
    for days, (question, found) in enumerate(zip((second, first), reversed(flags), strict=True)):
        settle(question, found, now=LATER + timedelta(days=days))
    with django_assert_num_queries(1):
        assert unread_answers(user) == [f"Title of {second.slug}", f"Title of {first.slug}"]
    assert unread_answers(UserFactory()) == []
    mark_read(user=user, flag_ids=[flags[1].pk], now=LATER)
    assert unread_answers(user) == [f"Title of {first.slug}"]


def test_the_row_of_a_person_says_whether_there_is_something_to_read() -> None:
    user, question = UserFactory(), QuestionFactory()

    def has_news() -> bool:
        found = User.objects.with_facts().get(pk=user.pk)
        return found.has_unread_flag_answers

    found = flag(question, user)
    assert has_news() is False
    settle(question, found)
    assert has_news() is True
    mark_read(user=user, flag_ids=[found.pk], now=LATER)
    assert has_news() is False


def test_what_was_said_or_answered_last_comes_first() -> None:
    user = UserFactory()
    questions = create_questions(3)
    flags = [
        flag(question, user, now=EDITED_AT + timedelta(hours=hours))
        for hours, question in enumerate(questions)
    ]
    settle(questions[0], flags[0])
    found = own_flags(user).order_by("-touched_at", "-id")
    assert [row.question for row in found] == [questions[0], questions[2], questions[1]]


# --- the queue ------------------------------------------------------------------------------------


@pytest.fixture
def flagged() -> list[Question]:
    """Four questions of two tracks: two flags, one, one that is answered, none."""
    track, other = TrackFactory(), TrackFactory()
    questions = [
        *create_questions(2, topic=TopicFactory(track=track)),
        *create_questions(2, topic=TopicFactory(track=other)),
    ]
    flag(questions[1], UserFactory(), "a", now=EDITED_AT)
    flag(questions[0], UserFactory(), "b", now=EDITED_AT + timedelta(hours=1))
    flag(questions[0], UserFactory(), "c", FlagReason.UNCLEAR, now=EDITED_AT - timedelta(hours=1))
    settle(questions[2], flag(questions[2], UserFactory(), "d"))
    return questions


def queue(**fields) -> list[tuple]:
    wanted = FlagFilter(**fields)
    order = "-settled" if wanted.is_settled else "oldest"
    return [(row.pk, row.flag_count, row.people) for row in flagged_questions(wanted).order_by(order)]


def test_the_queue_has_each_question_once_and_the_oldest_first(flagged: list[Question]) -> None:
    first, second, settled, _ = flagged
    assert queue() == [(first.pk, 2, 2), (second.pk, 1, 1)]
    assert queue(is_settled=True) == [(settled.pk, 1, 1)]


def test_the_queue_is_narrowed(flagged: list[Question]) -> None:
    first, second, settled, _ = flagged
    assert queue(reason=FlagReason.UNCLEAR) == [(first.pk, 1, 1)]
    assert queue(reason=FlagReason.WRONG) == [(second.pk, 1, 1), (first.pk, 1, 1)]
    home = first.topic_id.partition(".")[0]
    assert queue(track=home) == [(first.pk, 2, 2), (second.pk, 1, 1)]
    assert queue(track=settled.topic_id.partition(".")[0]) == []
    assert queue(topic=settled.topic_id) == []
    assert queue(topic=settled.topic_id, is_settled=True) == [(settled.pk, 1, 1)]


def test_reasons_are_counted_by_question(flagged: list[Question], django_assert_num_queries) -> None:
    first, second, settled, _ = flagged
    with django_assert_num_queries(1):
        found = reason_counts(flagged, is_settled=False)
    assert found == {
        first.pk: [("It is unclear", 1), ("Something is wrong", 1)],
        second.pk: [("Something is wrong", 1)],
    }
    assert reason_counts(flagged, is_settled=True) == {settled.pk: [("Something is wrong", 1)]}


def test_a_question_shows_what_was_said_by_reason_the_open_ones_first(django_assert_num_queries) -> None:
    question, user = QuestionFactory(), UserFactory()
    old = flag(question, user, "a")
    settle(question, old)
    again = flag(question, user, "b", now=LATER)
    more = flag(question, UserFactory(), "c", now=LATER + timedelta(hours=1))
    done = flag(question, user, "d", FlagReason.OUTDATED)
    settle(question, done, reason=FlagReason.OUTDATED)
    late = flag(question, user, "e", FlagReason.OTHER)
    with django_assert_num_queries(1):
        groups = flag_groups(question.pk)
    assert [(group.reason, group.open, group.settled, group.people) for group in groups] == [
        (FlagReason.WRONG, [again, more], [old], 2),
        (FlagReason.OTHER, [late], [], 1),
        (FlagReason.OUTDATED, [], [done], 0),
    ]

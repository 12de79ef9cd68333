"""Saving, leaving, flagging, hints: each exit once, with every row compared where nothing may change."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from prepapp.interviews.actions.answers import (
    MAX_LATE_TEXTS,
    Saved,
    clean_answer,
    flag_answer,
    leave_answer,
    save_answer,
    show_hint,
)
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt, LateText, Response
from prepapp.interviews.refusals import (
    AnswerTooLong,
    AttemptClosed,
    NotAsked,
    RevisionConflict,
    UnreadableText,
)
from tests.factories.interviews import STARTED_AT, CandidateFactory
from tests.interviews.sitting import GRACE, late_texts, rows, sit, statements, texts

pytestmark = pytest.mark.django_db

MINUTE = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)
TOO_LATE = DEADLINE + GRACE + timedelta(microseconds=1)


def save(attempt: Attempt, text: str, *, now: datetime = MINUTE, **fields: Any) -> Saved:
    values: dict[str, Any] = {
        "user": attempt.user,
        "attempt_id": attempt.pk,
        "position": 1,
        "revision": 0,
        "spent": 10,
        **fields,
    }
    return save_answer(text=text, now=now, **values)


def one(attempt: Attempt, position: int = 1) -> Response:
    return Response.objects.get(attempt=attempt, position=position)


@pytest.fixture
def attempt() -> Attempt:
    return sit(CandidateFactory())


# --- the text -------------------------------------------------------------------------------------


def test_line_breaks_count_as_one_character() -> None:
    assert clean_answer("a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_aut_12_exactly_the_limit_is_taken_with_line_breaks_and_emoji() -> None:
    """AUT-12: 200 line breaks as the browser sends them and 10 emoji, 16,000 by the page's counter."""
    typed = "\r\n" * 200 + "🚀" * 10 + "x" * (16_000 - 210)
    cleaned = clean_answer(typed)
    assert (len(typed), len(cleaned)) == (16_200, 16_000)


def test_aut_12_one_more_is_refused_with_both_numbers() -> None:
    with pytest.raises(AnswerTooLong) as refused:
        clean_answer("\r\n" * 200 + "🚀" * 10 + "x" * (16_001 - 210))
    assert (refused.value.length, refused.value.limit) == (16_001, 16_000)
    assert str(refused.value) == (
        "Your answer has 16,001 characters; 16,000 is the most. Shorten it to save again; the last saved "
        "text is safe."
    )


def test_nul_is_refused() -> None:
    with pytest.raises(UnreadableText) as refused:
        clean_answer("a\x00b")
    assert str(refused.value) == (
        "The answer holds a character that cannot be stored (NUL). Remove it and save again."
    )


@pytest.mark.parametrize("blank", ["", " ", "\r\n\t \r\n", "\u00a0"])
def test_blanks_alone_are_no_answer(blank: str) -> None:
    assert clean_answer(blank) == ""


def test_blanks_around_an_answer_stay() -> None:
    assert clean_answer("  def f():\r\n    pass\r\n") == "  def f():\n    pass\n"


# --- save -----------------------------------------------------------------------------------------


def test_save_is_taken(attempt: Attempt) -> None:
    assert save(attempt, "alpha") == Saved(1, MINUTE)
    stored = one(attempt)
    assert (stored.text, stored.revision, stored.saved_at, stored.seconds_spent) == ("alpha", 1, MINUTE, 10)
    assert texts(attempt)[1:] == [""] * 5


def test_saves_follow_one_another_and_their_times_add_up(attempt: Attempt) -> None:
    later = MINUTE + timedelta(seconds=9)
    save(attempt, "alpha")
    assert save(attempt, "alpha beta", revision=1, now=later, spent=7) == Saved(2, later)
    stored = one(attempt)
    assert (stored.text, stored.revision, stored.saved_at, stored.seconds_spent) == (
        "alpha beta",
        2,
        later,
        17,
    )


def test_a_save_takes_back_the_skip(attempt: Attempt) -> None:
    attempt.responses.filter(position=1).update(is_skipped=True)
    save(attempt, "alpha")
    assert one(attempt).is_skipped is False


def test_repeat_of_a_taken_save_is_acknowledged_as_the_first_time(attempt: Attempt) -> None:
    save(attempt, "alpha")
    before = rows()
    assert save(attempt, "alpha", now=MINUTE + timedelta(seconds=30)) == Saved(1, MINUTE)
    assert rows() == before


def test_older_base_with_other_text_conflicts_and_brings_the_newer_text(attempt: Attempt) -> None:
    save(attempt, "other tab")
    before = rows()
    with pytest.raises(RevisionConflict) as refused:
        save(attempt, "this tab")
    assert (refused.value.revision, refused.value.text) == (1, "other tab")
    assert rows() == before


def test_base_from_the_future_conflicts(attempt: Attempt) -> None:
    before = rows()
    with pytest.raises(RevisionConflict) as refused:
        save(attempt, "forged", revision=41)
    assert (refused.value.revision, refused.value.text) == (0, "")
    assert rows() == before


@pytest.mark.parametrize("now", [DEADLINE, DEADLINE + GRACE])
def test_until_the_end_of_the_grace_a_save_counts(attempt: Attempt, now: datetime) -> None:
    assert save(attempt, "in time", now=now) == Saved(1, now)
    assert texts(attempt)[0] == "in time"
    assert late_texts(attempt) == []


def test_late_text_is_kept_beside_the_answer_and_closes_the_attempt(attempt: Attempt) -> None:
    save(attempt, "in time")
    assert save(attempt, "late", revision=1, now=TOO_LATE) == Saved(1, TOO_LATE, is_late=True)
    kept = LateText.objects.get()
    assert (kept.text, kept.received_at, kept.response_id, kept.user_id) == (
        "late",
        TOO_LATE,
        one(attempt).pk,
        attempt.user_id,
    )
    assert texts(attempt)[0] == "in time"
    attempt.refresh_from_db()
    assert (attempt.state, attempt.finished_at, attempt.ending) == (State.GRADING, DEADLINE, Ending.DEADLINE)


def test_text_after_handing_in_is_late_although_time_is_left(attempt: Attempt) -> None:
    Attempt.objects.update(state=State.GRADING, finished_at=MINUTE, ending=Ending.FINISHED)
    assert save(attempt, "afterthought", now=MINUTE).is_late is True
    assert (texts(attempt)[0], late_texts(attempt)) == ("", ["afterthought"])


def test_the_same_late_text_twice_is_kept_once(attempt: Attempt) -> None:
    for _ in range(2):
        assert save(attempt, "late", now=TOO_LATE).is_late is True
    assert late_texts(attempt) == ["late"]


def test_late_blank_is_acknowledged_and_not_kept(attempt: Attempt) -> None:
    save(attempt, "in time")
    assert save(attempt, "", revision=1, now=TOO_LATE).is_late is True
    assert (texts(attempt)[0], late_texts(attempt)) == ("in time", [])


def test_a_repeat_of_a_save_in_time_that_arrives_late_is_not_called_late(attempt: Attempt) -> None:
    save(attempt, "in time")
    assert save(attempt, "in time", now=TOO_LATE) == Saved(1, MINUTE)
    assert late_texts(attempt) == []


def test_twenty_late_texts_are_kept_and_the_next_is_refused(attempt: Attempt) -> None:
    for number in range(20):
        save(attempt, f"late {number}", now=TOO_LATE)
    before = rows()
    with pytest.raises(AttemptClosed) as refused:
        save(attempt, "one more", now=TOO_LATE)
    assert str(refused.value) == (
        "The interview is over and enough late text has been kept. Copy what you want to keep."
    )
    assert save(attempt, "late 7", now=TOO_LATE).is_late is True
    assert rows() == before
    assert len(late_texts(attempt)) == MAX_LATE_TEXTS == 20


def test_an_abandoned_attempt_takes_nothing(attempt: Attempt) -> None:
    Attempt.objects.update(state=State.ABANDONED, finished_at=MINUTE, ending=Ending.ABANDONED)
    before = rows()
    with pytest.raises(AttemptClosed) as refused:
        save(attempt, "more")
    assert str(refused.value) == "You gave this interview up. What you typed stays on this device only."
    assert rows() == before


def test_a_follow_up_that_has_not_been_asked_takes_nothing(attempt: Attempt) -> None:
    before = rows()
    with pytest.raises(NotAsked) as refused:
        save(attempt, "guess", position=2)
    assert str(refused.value) == "This question has not been asked yet."
    assert rows() == before


@pytest.mark.parametrize("now", [MINUTE, TOO_LATE], ids=["in time", "late"])
def test_a_stranger_finds_no_answer(attempt: Attempt, now: datetime) -> None:
    before = rows()
    with pytest.raises(Response.DoesNotExist):
        save(attempt, "mine", user=CandidateFactory(), now=now)
    assert rows() == before


@pytest.mark.parametrize("position", [0, 7, 10**12])
def test_a_position_that_is_not_there_finds_no_answer(attempt: Attempt, position: int) -> None:
    before = rows()
    with pytest.raises(Response.DoesNotExist):
        save(attempt, "nowhere", position=position)
    assert rows() == before


def test_practice_takes_saves_for_ever() -> None:
    attempt = sit(CandidateFactory(), mode=Mode.PRACTICE)
    now = STARTED_AT + timedelta(days=400)
    assert save(attempt, "at leisure", now=now) == Saved(1, now)


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_a_save_is_one_statement(questions: int) -> None:
    """Owner, state, deadline and revision are conditions of the one UPDATE (B1)."""
    attempt = sit(CandidateFactory(), questions=questions)
    owner = attempt.user
    with statements() as sent:
        save(attempt, "alpha", user=owner)
    assert len(sent) == 1, sent


# --- leaving --------------------------------------------------------------------------------------


def leave(attempt: Attempt, position: int = 1, *, is_skipped: bool = False, now: datetime = MINUTE) -> None:
    leave_answer(attempt=attempt, position=position, is_skipped=is_skipped, now=now)


def asked(attempt: Attempt) -> list[int]:
    return list(attempt.responses.filter(asked_at__isnull=False).values_list("position", flat=True))


def test_leaving_an_answer_asks_its_follow_ups_only(attempt: Attempt) -> None:
    save(attempt, "alpha")
    leave(attempt)
    assert asked(attempt) == [1, 2, 3, 5]
    assert one(attempt, 2).asked_at == MINUTE


def test_leaving_again_changes_nothing(attempt: Attempt) -> None:
    save(attempt, "alpha")
    leave(attempt)
    before = rows()
    leave(attempt, now=MINUTE + timedelta(minutes=3))
    assert rows() == before


def test_leaving_an_empty_answer_asks_and_marks_nothing(attempt: Attempt) -> None:
    before = rows()
    leave(attempt)
    assert rows() == before


def test_skipping_an_empty_answer_marks_it(attempt: Attempt) -> None:
    leave(attempt, is_skipped=True)
    assert list(attempt.responses.filter(is_skipped=True).values_list("position", flat=True)) == [1]
    assert asked(attempt) == [1, 3, 5]


def test_skipping_with_an_answer_is_leaving_it(attempt: Attempt) -> None:
    save(attempt, "alpha")
    leave(attempt, is_skipped=True)
    assert one(attempt).is_skipped is False
    assert asked(attempt) == [1, 2, 3, 5]


def test_an_unasked_follow_up_cannot_be_skipped(attempt: Attempt) -> None:
    before = rows()
    leave(attempt, 2, is_skipped=True)
    assert rows() == before


@pytest.mark.parametrize("is_skipped", [True, False])
def test_nothing_is_asked_or_skipped_after_the_end(attempt: Attempt, is_skipped: bool) -> None:
    save(attempt, "alpha")
    Attempt.objects.update(state=State.GRADING, finished_at=MINUTE, ending=Ending.FINISHED)
    before = rows()
    leave(attempt, is_skipped=is_skipped)
    leave(attempt, 3, is_skipped=is_skipped)
    assert rows() == before


def test_nothing_is_asked_after_the_deadline_that_no_sweep_has_seen_yet(attempt: Attempt) -> None:
    save(attempt, "alpha")
    before = rows()
    leave(attempt, now=TOO_LATE)
    assert rows() == before
    leave(attempt, now=DEADLINE + GRACE)
    assert asked(attempt) == [1, 2, 3, 5]


# --- flag and hint --------------------------------------------------------------------------------


def test_flag_is_set_and_cleared_and_may_be_repeated(attempt: Attempt) -> None:
    for wanted in (True, True, False, False):
        assert flag_answer(attempt=attempt, position=1, is_flagged=wanted) is True
        assert one(attempt).is_flagged is wanted


@pytest.mark.parametrize("position", [2, 99], ids=["not asked", "not there"])
def test_flag_of_what_was_not_asked_is_refused(attempt: Attempt, position: int) -> None:
    before = rows()
    assert flag_answer(attempt=attempt, position=position, is_flagged=True) is False
    assert rows() == before


def test_flag_after_the_end_is_refused(attempt: Attempt) -> None:
    Attempt.objects.update(state=State.GRADING, finished_at=MINUTE, ending=Ending.FINISHED)
    before = rows()
    assert flag_answer(attempt=attempt, position=1, is_flagged=True) is False
    assert rows() == before


def test_hints_come_one_by_one_in_practice_until_there_are_no_more() -> None:
    attempt = sit(CandidateFactory(), mode=Mode.PRACTICE)
    shown = [show_hint(attempt=attempt, position=1, available=2) for _ in range(3)]
    assert shown == [True, True, False]
    assert one(attempt).hints_shown == 2


def test_a_mock_gives_no_hint(attempt: Attempt) -> None:
    before = rows()
    assert show_hint(attempt=attempt, position=1, available=2) is False
    assert rows() == before


def test_an_ended_practice_gives_no_hint() -> None:
    attempt = sit(CandidateFactory(), mode=Mode.PRACTICE)
    Attempt.objects.update(state=State.GRADING, finished_at=MINUTE, ending=Ending.FINISHED)
    before = rows()
    assert show_hint(attempt=attempt, position=1, available=2) is False
    assert rows() == before

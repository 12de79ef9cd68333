"""Flags under real transactions: one press sent twice, words of two tabs, a curator who answers meanwhile, a
guest who signs in. Each race is forced; the controls take lock and transaction away and show it lost."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError

from prepapp.accounts.actions import claim_guest_work
from prepapp.accounts.models import User
from prepapp.bank.actions import flags as actions
from prepapp.bank.choices import FlagOutcome, FlagPlace, FlagReason
from prepapp.bank.models import Flag, Question
from prepapp.bank.refusals import FlagsAnswered, FlagsGrew, SignedInElsewhere
from tests.concurrency.racing import interleave
from tests.factories.accounts import GuestFactory, UserFactory
from tests.factories.bank import QuestionFactory
from tests.factories.curation import curator

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
INSERT, UPDATE = 'INSERT INTO "bank_flag"', 'UPDATE "bank_flag"'


@pytest.fixture
def question() -> Question:
    found: Question = QuestionFactory()
    return found


@pytest.fixture
def without_lock(without_lock: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the transaction around the whole of each act."""
    for name in ("raise_flag", "settle_flag"):
        monkeypatch.setattr(actions, name, getattr(actions, name).__wrapped__)


def say(question: Question, user: User, text: str) -> int:
    flag = actions.raise_flag(
        user=user,
        version=question.current_version,
        place=FlagPlace.RESULT,
        reason=FlagReason.WRONG,
        text=text,
        now=NOW,
    )
    return flag.pk


def settle(question: Question, seen: dict[int, int], by: User, answer: str = "It says 64 now.") -> int:
    return actions.settle_flag(
        question_id=question.pk,
        reason=FlagReason.WRONG,
        seen=seen,
        outcome=FlagOutcome.MENDED,
        answer=answer,
        by=by,
        now=NOW,
    )


def stored() -> list[tuple[Any, ...]]:
    return list(Flag.objects.order_by("pk").values_list("text", "answer"))


def twice_at_once(question: Question) -> list[Any]:
    user = UserFactory()
    return interleave(
        INSERT, lambda: say(question, user, "It says 32."), lambda: say(question, user, "And the table.")
    )


def test_two_first_words_at_once_are_one_flag_with_both(question: Question) -> None:
    first, second = twice_at_once(question)
    assert first == second
    assert stored() == [("It says 32.\n\nAnd the table.", "")]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_the_constraint_is_all_that_is_left(question: Question) -> None:
    first, _ = twice_at_once(question)
    assert isinstance(first, IntegrityError)
    assert stored() == [("And the table.", "")]


def added_at_once(question: Question) -> None:
    user = UserFactory()
    say(question, user, "It says 32.")
    interleave(
        UPDATE, lambda: say(question, user, "And the table."), lambda: say(question, user, "And the figure.")
    )


def test_words_that_are_added_at_once_are_both_kept(question: Question) -> None:
    added_at_once(question)
    assert stored() == [("It says 32.\n\nAnd the table.\n\nAnd the figure.", "")]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_words_are_lost(question: Question) -> None:
    added_at_once(question)
    assert stored() == [("It says 32.\n\nAnd the table.", "")]


def answered_while_written(question: Question) -> list[Any]:
    user, by = UserFactory(), curator()
    flag = say(question, user, "It says 32.")
    return interleave(
        UPDATE,
        lambda: settle(question, {flag: len("It says 32.")}, by),
        lambda: say(question, user, "And the table."),
    )


def test_words_that_come_while_it_is_answered_are_a_flag_of_their_own(question: Question) -> None:
    """Nothing is answered that the curator has not read."""
    settled, _ = answered_while_written(question)
    assert settled == 1
    assert stored() == [("It says 32.", "It says 64 now."), ("And the table.", "")]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_they_are_answered_unread(question: Question) -> None:
    answered_while_written(question)
    assert stored() == [("It says 32.\n\nAnd the table.", "It says 64 now.")]


def two_answers_at_once(question: Question) -> list[Any]:
    seen = {say(question, UserFactory(), "It says 32."): len("It says 32.")}
    one, other = curator(), curator()
    return interleave(
        UPDATE,
        lambda: settle(question, seen, one, "First."),
        lambda: settle(question, seen, other, "Second."),
    )


def test_of_two_answers_at_once_the_second_is_refused(question: Question) -> None:
    first, second = two_answers_at_once(question)
    assert first == 1
    assert isinstance(second, FlagsAnswered)
    assert stored() == [("It says 32.", "First.")]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_one_overwrites_the_other(question: Question) -> None:
    assert two_answers_at_once(question) == [1, 1]


def signed_in_while_sent(question: Question) -> list[Any]:
    guest, user = GuestFactory(), UserFactory()
    say(question, user, "Mine.")
    return interleave(
        UPDATE,
        lambda: claim_guest_work(guest_id=guest.pk, user=user, now=NOW),
        lambda: say(question, guest, "The guest's."),
    )


def test_a_flag_sent_while_the_guest_signs_in_is_refused_in_words(question: Question) -> None:
    claimed, sent = signed_in_while_sent(question)
    assert claimed is True
    assert isinstance(sent, SignedInElsewhere)
    assert stored() == [("Mine.", "")]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_it_is_taken_and_then_gone(question: Question) -> None:
    """The reply said thank you."""
    claimed, sent = signed_in_while_sent(question)
    assert claimed is True
    assert isinstance(sent, int)


def answered_while_the_guest_signs_in(question: Question) -> list[Any]:
    guest, user, by = GuestFactory(), UserFactory(), curator()
    mine = say(question, user, "Mine.")
    say(question, guest, "The guest's.")
    return interleave(
        UPDATE,
        lambda: claim_guest_work(guest_id=guest.pk, user=user, now=NOW),
        lambda: settle(question, {mine: len("Mine.")}, by),
    )


def test_words_of_a_guest_join_no_flag_that_is_answered_at_this_moment(question: Question) -> None:
    claimed, settled = answered_while_the_guest_signs_in(question)
    assert claimed is True
    assert isinstance(settled, FlagsGrew)
    assert stored() == [("Mine.\n\nThe guest's.", "")]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_nobody_reads_them(question: Question) -> None:
    claimed, settled = answered_while_the_guest_signs_in(question)
    assert (claimed, settled) == (True, 1)
    assert stored() == [("Mine.\n\nThe guest's.", "It says 64 now.")]

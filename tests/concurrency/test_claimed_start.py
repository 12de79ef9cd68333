"""A start in the very moment in which the visitor's work goes to an account."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from prepapp.accounts.models import User
from prepapp.interviews.actions.start import custom_plan, start_attempt
from prepapp.interviews.choices import Mode
from prepapp.interviews.models import Attempt
from prepapp.interviews.refusals import GuestClaimed
from tests.factories.bank import TopicFactory, create_questions
from tests.factories.interviews import CandidateFactory

NOW = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
def test_a_start_by_a_guest_who_was_just_claimed_is_refused_in_words() -> None:
    topic = TopicFactory()
    create_questions(1, topic=topic)
    guest = CandidateFactory(guest=True)
    plan = custom_plan(topic.code.partition(".")[0], [], "intermediate", 1, 10)
    User.objects.filter(pk=guest.pk).delete()
    with pytest.raises(GuestClaimed, match=r"^You signed in from another tab at this moment\."):
        start_attempt(user=guest, plan=plan, mode=Mode.MOCK, start_key=uuid4(), seed=1, now=NOW)
    assert Attempt.objects.count() == 0

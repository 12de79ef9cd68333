"""What becomes of a guest's flags when the guest signs in."""

import pytest

from prepapp.bank.actions.claim import claim_flags
from prepapp.bank.choices import FlagPlace, FlagReason
from prepapp.bank.models import Flag, Question
from tests.factories.accounts import GuestFactory, UserFactory
from tests.factories.bank import QuestionFactory
from tests.factories.curation import EDITED_AT

pytestmark = pytest.mark.django_db


def flag(question: Question, user, text: str, reason: str = FlagReason.WRONG) -> Flag:
    return Flag.objects.create(
        question=question,
        version=question.current_version,
        user=user,
        place=FlagPlace.RESULT,
        reason=reason,
        text=text,
        raised_at=EDITED_AT,
    )


def test_flags_change_hands_and_two_on_one_thing_become_one():
    guest, user, question = GuestFactory(), UserFactory(), QuestionFactory()
    flag(question, user, "Mine.")
    flag(question, guest, "The guest's.")
    flag(question, guest, "Hard to read.", FlagReason.UNCLEAR)

    claim_flags(guest=guest, user=user, now=EDITED_AT)

    rows = Flag.objects.order_by("reason").values_list("user", "reason", "text")
    assert list(rows) == [
        (user.pk, FlagReason.UNCLEAR, "Hard to read."),
        (user.pk, FlagReason.WRONG, "Mine.\n\nThe guest's."),
    ]

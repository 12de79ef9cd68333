"""The log of the bank: a line for each act, in the transaction of the act."""

from datetime import datetime
from typing import Any

from prepapp.accounts.models import User
from prepapp.bank.choices import Event
from prepapp.bank.models import CurationEvent, Question


def log_event(
    *,
    event: Event,
    by: User | None,
    now: datetime,
    question: Question | None = None,
    label: str = "",
    note: str = "",
    **about: Any,
) -> CurationEvent:
    """Writes one line. `label` stands for what is no question; `about` holds JSON values."""
    return CurationEvent.objects.create(
        at=now,
        actor=by,
        event=event,
        question_number=question.pk if question else None,
        label=label or (question.ref if question else ""),
        note=note,
        about=about,
    )

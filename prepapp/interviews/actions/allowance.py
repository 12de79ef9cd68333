"""Changing the time allowance, also of interviews that are running."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.models import User
from prepapp.interviews import timing
from prepapp.interviews.actions.finish import close_overdue_attempts
from prepapp.interviews.choices import Mode
from prepapp.interviews.models import Attempt


def change_time_allowance(*, user: User, allowance: str, now: datetime) -> int:
    """Stores the allowance and moves the deadlines of running mocks; returns how many.

    An interview whose time had run out under the old allowance is closed first and stays closed. A new
    deadline never lies in the past: a shorter allowance ends the interview now at the earliest.
    """
    TimeAllowance(allowance)  # ValueError for anything but a listed allowance
    with transaction.atomic():
        running = list(
            Attempt.objects.select_for_update().for_user(user).running().filter(mode=Mode.MOCK).order_by("pk")
        )
        user.time_allowance = allowance
        user.save(update_fields=["time_allowance"])
        close_overdue_attempts(now=now, only=Q(user=user))
        changed = 0
        for attempt in running:
            if timing.is_overdue(attempt.deadline_at, now, settings.INTERVIEW_GRACE_SECONDS):
                continue
            deadline = timing.deadline_of(attempt.started_at, attempt.minutes, allowance)
            attempt.time_allowance = allowance
            attempt.deadline_at = deadline if deadline is None else max(deadline, now)
            attempt.save(update_fields=["time_allowance", "deadline_at"])
            changed += 1
        return changed

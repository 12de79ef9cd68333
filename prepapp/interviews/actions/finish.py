"""How an interview ends: by its owner, by its deadline, or given up.

Each ending is one guarded UPDATE that only a running attempt can pass, so repeating it, or doing two
at once, is harmless. Saves lock the attempt (see `answers`), so none can slip in after.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import DateTimeField, F, Q, UUIDField

from prepapp.accounts.models import User
from prepapp.common.statements import Kept
from prepapp.interviews import timing
from prepapp.interviews.choices import Ending, State
from prepapp.interviews.models import Attempt


def finish_attempt(*, attempt: Attempt, now: datetime) -> bool:
    """Hands the interview in for grading. True if this call did it, False if it had ended already."""
    while attempt.is_running:
        late = attempt.deadline_at is not None and now >= attempt.deadline_at
        if _end(
            attempt,
            state=State.GRADING,
            finished_at=timing.ended_at(attempt.deadline_at, now),
            ending=Ending.DEADLINE if late else Ending.FINISHED,
        ):
            return True
    return False


def abandon_attempt(*, attempt: Attempt, now: datetime) -> bool:
    """Gives the interview up: kept in the history, never graded. False if it had ended already; one whose
    time was over is closed as of its deadline, whether or not the sweep came first."""
    while not close_if_overdue(attempt=attempt, now=now) and attempt.is_running:
        if _end(
            attempt,
            state=State.ABANDONED,
            finished_at=timing.ended_at(attempt.deadline_at, now),
            ending=Ending.ABANDONED,
        ):
            return True
    return False


def close_if_overdue(*, attempt: Attempt, now: datetime) -> bool:
    """Closes an attempt whose deadline and grace have passed, as of the deadline. Called by whoever looks
    at one; True if it is overdue, whoever closed it."""
    if not attempt.is_running or not timing.is_overdue(
        attempt.deadline_at, now, settings.INTERVIEW_GRACE_SECONDS
    ):
        return False
    close_overdue_attempts(now=now, only=Q(pk=attempt.pk))
    attempt.refresh_from_db(fields=["state", "finished_at", "ending"])
    return True


def close_overdue_attempts(*, now: datetime, only: Q | None = None) -> int:
    """Closes every running attempt whose deadline and grace have passed, as of its deadline; returns how
    many. The deadline is checked again by the UPDATE itself: one that was extended meanwhile stays."""
    cutoff = now - timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS)
    return (
        Attempt.objects.filter(only or Q())
        .overdue(cutoff)
        .update(state=State.GRADING, finished_at=F("deadline_at"), ending=Ending.DEADLINE)
    )


def close_overdue_of(*, user: User, now: datetime) -> None:
    """The same for one person, before their list is shown. Nearly always there is nothing to close, so it
    is asked first."""
    cutoff = now - timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS)
    if _OVERDUE.rows(user=user.pk, cutoff=cutoff):
        close_overdue_attempts(now=now, only=Q(user=user))


_OVERDUE = Kept(
    lambda user, cutoff: Attempt.objects.filter(user=user).overdue(cutoff).values_list("id")[:1],
    user=UUIDField(),
    cutoff=DateTimeField(),
)


def _end(attempt: Attempt, **values: object) -> bool:
    """Ends a running attempt whose deadline is still the one `values` were made from. Otherwise reads
    what has become of it and returns False."""
    rows = Attempt.objects.running().filter(pk=attempt.pk, deadline_at=attempt.deadline_at)
    ended = rows.update(**values) == 1
    if ended:
        for name, value in values.items():
            setattr(attempt, name, value)
    else:
        attempt.refresh_from_db(fields=["state", "deadline_at", "finished_at", "ending"])
    return ended

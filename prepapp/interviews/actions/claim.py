"""A guest signs in: their interviews become those of the account. Called through `GUEST_WORK_CLAIMS` in
the settings by accounts, which may not know interviews."""

from datetime import datetime
from uuid import uuid4

from prepapp.accounts.models import User
from prepapp.interviews.actions.watching import tell_watchers
from prepapp.interviews.choices import State
from prepapp.interviews.models import (
    Attempt,
    AttemptQuerySet,
    Grading,
    LateText,
    Mark,
    Response,
    ResponseGrade,
    SampleGrading,
)

_SLOT_LENGTH = Attempt._meta.get_field("slot").max_length or 0


def claim_attempts(*, guest: User, user: User, now: datetime) -> None:
    """Moves every row of the guest's work to `user`. A constant number of statements.

    The caller holds a transaction and the guest's row, and calls again after an IntegrityError. Both keep
    running what they run: where two attempts would have one start key or one running slot, the guest's
    gets another.
    """
    theirs = Attempt.objects.for_user(guest)
    _give_new_start_keys(theirs.filter(start_key__in=Attempt.objects.for_user(user).values("start_key")))
    taken = Attempt.objects.for_user(user).running().values("slot")
    _give_own_slots(theirs.filter(state=State.RUNNING, slot__in=taken))
    # One press sent as both is one grading.
    known = SampleGrading.objects.filter(user=user).values("grade_key")
    SampleGrading.objects.filter(user=guest, grade_key__in=known).delete()
    for model in (Attempt, Response, Grading, ResponseGrade, Mark, LateText, SampleGrading):
        model.objects.filter(user=guest).update(user=user)
    tell_watchers(user.pk)


def _give_new_start_keys(attempts: AttemptQuerySet) -> None:
    rows = list(attempts)
    for attempt in rows:
        attempt.start_key = uuid4()
    Attempt.objects.bulk_update(rows, ["start_key"])


def _give_own_slots(attempts: AttemptQuerySet) -> None:
    rows = list(attempts)
    for attempt in rows:
        own = f":{attempt.pk.hex}"
        attempt.slot = attempt.slot[: _SLOT_LENGTH - len(own)] + own
    Attempt.objects.bulk_update(rows, ["slot"])

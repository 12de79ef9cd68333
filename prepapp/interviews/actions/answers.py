"""Saving answers. A save is compare-and-set on the response's revision, in one UPDATE that also checks
owner, state and deadline under a lock of the attempt."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q

from prepapp.accounts.models import User
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, AttemptQuerySet, LateText, Response
from prepapp.interviews.refusals import (
    AnswerTooLong,
    AttemptClosed,
    NotAsked,
    RevisionConflict,
    UnreadableText,
)

# Enough for a browser that comes back with drafts; the limit only stops a loop.
MAX_LATE_TEXTS = 20


# The hottest statement of the site. Written out because building it from the ORM costs several times what
# running it does, and sent by itself because one statement needs no transaction around it.
_SAVE = """
UPDATE interviews_response
   SET text = %s, saved_at = %s, is_skipped = %s, seconds_spent = seconds_spent + %s,
       revision = revision + CASE WHEN text = %s THEN 0 ELSE 1 END
 WHERE "position" = %s AND revision = %s AND asked_at IS NOT NULL
   AND attempt_id IN (
       SELECT id FROM interviews_attempt
        WHERE id = %s AND user_id = %s AND state = %s AND (deadline_at IS NULL OR deadline_at >= %s)
"""
_LOCK = "FOR NO KEY UPDATE) RETURNING revision"
# SQLite: a write holds the whole database.
_NO_LOCK = ") RETURNING revision"
# What leaving a question that was not changed sends, in the same way.
_ADD_TIME = """
UPDATE interviews_response
   SET seconds_spent = seconds_spent + %s
 WHERE "position" = %s
   AND attempt_id IN (SELECT id FROM interviews_attempt WHERE id = %s AND state = %s)"""


@dataclass(frozen=True)
class Saved:
    """What a save did. With `is_late` the text was kept beside the answer and will not be graded."""

    revision: int
    saved_at: datetime
    is_late: bool = False


def clean_answer(text: str) -> str:
    """The text as it is stored: line breaks as one character, so that page and server count alike; blanks
    alone are no answer.

    AnswerTooLong, UnreadableText."""
    cleaned = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in cleaned:
        raise UnreadableText(
            "The answer holds a character that cannot be stored (NUL). Remove it and save again."
        )
    if len(cleaned) > settings.ANSWER_MAX_CHARACTERS:
        raise AnswerTooLong(len(cleaned), settings.ANSWER_MAX_CHARACTERS)
    return cleaned if cleaned.strip() else ""


def save_answer(
    *, user: User, attempt_id: UUID, position: int, text: str, revision: int, spent: int, now: datetime
) -> Saved:
    """Stores the text if `revision` is still the newest; a text that is stored already makes no new revision.
    `text` must be cleaned.

    A repeat of a save that was already taken is acknowledged again. Raises RevisionConflict with the
    newer text, NotAsked, AttemptClosed (abandoned, or too much late text); Response.DoesNotExist when the
    address is not this person's.

    Lock order: attempt, then response. `finish` updates the attempt row, so it either waits for this save
    or is seen by it: once an attempt has ended, no save passes.
    """
    cutoff = now - timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS)
    moment = connection.ops.adapt_datetimefield_value
    key = Attempt._meta.pk.get_db_prep_value
    with connection.cursor() as cursor:
        cursor.execute(
            _SAVE + (_LOCK if connection.features.has_select_for_update else _NO_LOCK),
            [
                *(text, moment(now), False, spent, text, position, revision),
                *(key(attempt_id, connection), key(user.pk, connection), State.RUNNING, moment(cutoff)),
            ],
        )
        taken = cursor.fetchone()
    if taken:
        return Saved(taken[0], now)
    return _explain(user=user, attempt_id=attempt_id, position=position, text=text, cutoff=cutoff, now=now)


def _lock_open(attempt_id: UUID, cutoff: datetime) -> AttemptQuerySet:
    """The attempt, locked, if it takes answers: it runs, and its deadline is not before `cutoff`."""
    return (
        Attempt.objects.select_for_update(no_key=True)
        .running()
        .filter(Q(deadline_at__isnull=True) | Q(deadline_at__gte=cutoff), pk=attempt_id)
    )


def _explain(
    *, user: User, attempt_id: UUID, position: int, text: str, cutoff: datetime, now: datetime
) -> Saved:
    """Why the save did not pass: already taken, late, or in conflict. Off the usual path."""
    response = Response.objects.select_related("attempt").get(
        attempt=attempt_id, attempt__user=user, position=position
    )
    attempt = response.attempt
    if response.asked_at is None:
        raise NotAsked("This question has not been asked yet.")
    if response.text == text:
        return Saved(response.revision, response.saved_at or now)
    if attempt.state == State.ABANDONED:
        raise AttemptClosed("You gave this interview up. What you typed stays on this device only.")
    is_over = not attempt.is_running or (attempt.deadline_at is not None and attempt.deadline_at < cutoff)
    if is_over:
        close_if_overdue(attempt=attempt, now=now)
        return _keep_late(response, text, now)
    raise RevisionConflict(response.revision, response.text)


def _keep_late(response: Response, text: str, now: datetime) -> Saved:
    with transaction.atomic():
        # The lock makes the count and the comparison hold; late text is rare and off the hot path.
        Response.objects.select_for_update().get(pk=response.pk)
        kept = list(response.late_texts.order_by("id").values_list("text", flat=True))
        if text.strip() and text not in kept:
            if len(kept) >= MAX_LATE_TEXTS:
                raise AttemptClosed(
                    "The interview is over and enough late text has been kept. Copy what you want to keep."
                )
            LateText.objects.create(response=response, user_id=response.user_id, text=text, received_at=now)
    return Saved(response.revision, now, is_late=True)


def add_time(*, attempt: Attempt, position: int, spent: int) -> None:
    """Counts seconds a question was on screen without anything being typed."""
    key = Attempt._meta.pk.get_db_prep_value(attempt.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(_ADD_TIME, [spent, position, key, State.RUNNING])


def leave_answer(*, attempt: Attempt, position: int, is_skipped: bool, now: datetime) -> None:
    """The candidate moves on from a question: its follow-ups are asked if it has an answer, otherwise it
    may count as skipped. Harmless when repeated; nothing is asked once time is over."""
    cutoff = now - timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS)
    with transaction.atomic():
        if not _lock_open(attempt.pk, cutoff):
            return
        left = Response.objects.filter(attempt=attempt, position=position, asked_at__isnull=False)
        if left.exclude(text="").exists():
            Response.objects.filter(attempt=attempt, parent_position=position, asked_at__isnull=True).update(
                asked_at=now
            )
        elif is_skipped:
            left.update(is_skipped=True)


def flag_answer(*, attempt: Attempt, position: int, is_flagged: bool) -> bool:
    """Sets or clears the candidate's own mark 'come back to this'. False when the interview has ended."""
    return (
        Response.objects.filter(
            attempt=attempt, attempt__state=State.RUNNING, position=position, asked_at__isnull=False
        ).update(is_flagged=is_flagged)
        == 1
    )


def show_hint(*, attempt: Attempt, position: int, available: int) -> bool:
    """One more hint in a practice interview, counted so that the result can say so."""
    return (
        Response.objects.filter(
            attempt=attempt,
            attempt__state=State.RUNNING,
            attempt__mode=Mode.PRACTICE,
            position=position,
            hints_shown__lt=available,
        ).update(hints_shown=F("hints_shown") + 1)
        == 1
    )

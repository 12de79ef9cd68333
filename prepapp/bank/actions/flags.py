"""Flags: a candidate says that a question is not as it should be, a curator answers, the candidate reads it.

Locks: whoever raises takes the row of the person, then the flag; whoever answers takes the question, then its
flags by number. Not here: a guest's flags that go to an account (`claim`).
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import transaction

from prepapp.accounts.models import User
from prepapp.bank.actions.log import log_event
from prepapp.bank.actions.publishing import retire_questions
from prepapp.bank.choices import Event, FlagOutcome, FlagPlace, FlagReason
from prepapp.bank.models import Flag, Question, QuestionVersion
from prepapp.bank.refusals import FlagFull, FlagsAnswered, FlagsGrew, MayNotRetire, SignedInElsewhere

# What one open flag may come to, however often something is added to it.
MAX_TEXT = 8_000


@transaction.atomic
def raise_flag(
    *, user: User, version: QuestionVersion, place: FlagPlace, reason: FlagReason, text: str, now: datetime
) -> Flag:
    """Says it of the question of this version. Said again while the same person's flag for the same reason is
    open, new words are added to that flag; the same words change nothing. FlagFull, SignedInElsewhere."""
    # One press after the other, and none while a sign-in moves the guest's flags.
    if User.objects.select_for_update(no_key=True).only("pk").filter(pk=user.pk).first() is None:
        raise SignedInElsewhere
    open_flags = Flag.objects.filter(question=version.question_id, user=user, reason=reason, settled_at=None)
    flag = open_flags.select_for_update().first()
    if flag is None:
        return Flag.objects.create(
            question_id=version.question_id,
            version=version,
            user=user,
            place=place,
            reason=reason,
            text=text,
            raised_at=now,
        )
    if not text or flag.text == text or flag.text.endswith(f"\n\n{text}"):
        return flag
    flag.text = f"{flag.text}\n\n{text}" if flag.text else text
    if len(flag.text) > MAX_TEXT:
        raise FlagFull
    flag.save(update_fields=["text"])
    return flag


@transaction.atomic
def settle_flag(
    *,
    question_id: int,
    reason: FlagReason,
    seen: Mapping[int, int],
    outcome: FlagOutcome,
    answer: str,
    by: User,
    now: datetime,
) -> int:
    """One answer to every open flag that was seen; returns how many it settled. Flags raised meanwhile stay
    open. `seen` holds the length of each flag's text as it was read: FlagsGrew if one has become longer.

    RETIRED takes the question out of use as well: MayNotRetire for who may not publish. FlagsAnswered if
    nothing of it is open any more.
    """
    question = Question.objects.select_for_update(of=("self",)).get(pk=question_id)
    rows = Flag.objects.filter(question=question, reason=reason, settled_at=None, pk__in=seen)
    flags = list(rows.select_for_update().order_by("pk"))
    if not flags:
        raise FlagsAnswered
    if any(len(flag.text) != seen[flag.pk] for flag in flags):
        raise FlagsGrew
    if outcome == FlagOutcome.RETIRED:
        if not by.has_perm("bank.publish_question"):
            raise MayNotRetire
        retire_questions(question_ids=[question.pk], note=answer, by=by, now=now)
    Flag.objects.filter(pk__in=[flag.pk for flag in flags]).update(
        outcome=outcome, answer=answer, settled_at=now, settled_by=by
    )
    log_event(
        event=Event.FLAG_SETTLED,
        by=by,
        now=now,
        question=question,
        note=answer,
        reason=str(reason),
        outcome=str(outcome),
        flags=len(flags),
    )
    return len(flags)


def mark_read(*, user: User, flag_ids: Collection[int], now: datetime) -> int:
    """Notes that the person read the answers of these flags; returns how many they had not read before.
    Flags of others and open ones are left alone."""
    own = Flag.objects.filter(user=user, pk__in=flag_ids, settled_at__isnull=False, read_at__isnull=True)
    return own.update(read_at=now)

"""A draft that has been read by a second person becomes a version; questions leave the bank and come back.

Locks as in `drafts`: the question, then its draft. A version is only ever added.
"""

from collections.abc import Sequence
from datetime import date, datetime

from django.db import transaction

from prepapp.accounts.models import User
from prepapp.bank.actions.drafts import lock_question, write_draft
from prepapp.bank.actions.filing import save_filing
from prepapp.bank.actions.log import log_event
from prepapp.bank.actions.parts import build_parts, save_parts
from prepapp.bank.actions.references import references_in_use, save_asked
from prepapp.bank.choices import Change, DraftState, Event, Status, VersionSource
from prepapp.bank.models import Draft, Question, QuestionVersion
from prepapp.bank.queries.findings import draft_findings
from prepapp.bank.refusals import (
    DraftChanged,
    NoDraft,
    NotInReview,
    OwnWork,
    Unfinished,
    WrongState,
)
from prepapp.bank.rules import PROVISIONAL_NUMBER, add_months, may_publish
from prepapp.bank.transfer.document import read_document


@transaction.atomic
def publish_draft(
    *, question_id: int, revision: int, change: Change, note: str, by: User, now: datetime
) -> QuestionVersion:
    """Makes the draft in review the question's next version, and ends the draft.

    `change` says whether the meaning changed: after a major change those who were asked the older text are
    told, and its statistics start anew. `note` is shown to them. Refused: NoDraft, NotInReview, DraftChanged,
    OwnWork, Unfinished, SlugTaken. The first version is always a major one.
    """
    question, draft = lock_question(question_id)
    draft = _reviewed(draft, revision, by)
    failing = [found for found in draft_findings(question, draft.document, now) if found.severity == "F"]
    if failing:
        raise Unfinished(failing)
    return add_version(question, draft, change=change, note=note, by=by, now=now)


def add_version(
    question: Question, draft: Draft, *, change: Change, note: str, by: User, now: datetime
) -> QuestionVersion:
    """Makes the finished document of a locked draft the next version, in the transaction of the caller."""
    document = draft.document
    topic, old_topic = str(document["topic"]), question.topic_id
    # What is read does not hang on the number, which is given last.
    file = read_document(document, ref=f"{topic}-{PROVISIONAL_NUMBER}", today=now.date())
    if isinstance(file, list):
        raise AssertionError(f"{question.ref} was judged finished and cannot be read: {file}")
    is_first = question.current_version_id is None
    question.topic_id, question.slug, question.status = topic, file.slug, Status.PUBLISHED
    taken = references_in_use() if is_first or topic != old_topic else None
    save_asked(question, ["topic", "slug", "status"], taken)
    if not is_first and topic != old_topic:
        log_event(event=Event.MOVED, by=by, now=now, question=question, old=old_topic, new=topic)
    latest = question.versions.order_by("-number").first()
    parts = build_parts(file, now)
    version = parts.version
    version.source, version.published_by = VersionSource.APP, by
    version.change = change if latest else Change.MAJOR
    version.change_note = note
    number = latest.number + 1 if latest else 1
    if version.change == Change.MINOR and latest:
        version.meaning = latest.meaning
    save_parts([(question, number, parts)])
    save_filing([(question, file)])
    draft.delete()
    log_event(
        event=Event.PUBLISHED,
        by=by,
        now=now,
        question=question,
        note=note,
        version=number,
        change=str(version.change),
    )
    return version


@transaction.atomic
def retire_questions(*, question_ids: Sequence[int], note: str, by: User, now: datetime) -> list[Question]:
    """Takes published questions out of use; they stay in every history. Others among them are left alone.
    Returns those it retired."""
    return _set_status(question_ids, Status.PUBLISHED, Status.RETIRED, Event.RETIRED, note, by=by, now=now)


@transaction.atomic
def restore_questions(*, question_ids: Sequence[int], note: str, by: User, now: datetime) -> list[Question]:
    """Takes retired questions into use again, as they were. Returns those it restored."""
    return _set_status(question_ids, Status.RETIRED, Status.PUBLISHED, Event.RESTORED, note, by=by, now=now)


@transaction.atomic
def confirm_facts(*, question_id: int, today: date, by: User, now: datetime) -> None:
    """Says that the facts of the published text were checked today: its next check is due that much later.
    A draft that states an earlier day takes this one along as its next revision, or publishing it would take
    the check back. WrongState if nothing is published."""
    question, draft = lock_question(question_id)
    version = question.current_version
    if version is None or question.status != Status.PUBLISHED:
        raise WrongState("This question is not published, so there is nothing to check.")
    version.reviewed_date = today
    version.recheck_date = add_months(today, version.recheck_months)
    version.save(update_fields=["reviewed_date", "recheck_date"])
    stated = draft.document.get("review") if draft else None
    if draft and isinstance(stated, dict) and str(stated.get("reviewed") or today) < today.isoformat():
        document = {**draft.document, "review": {**stated, "reviewed": today.isoformat()}}
        write_draft(question, draft, document, by=by, now=now, is_writer=False)
    log_event(event=Event.CHECKED, by=by, now=now, question=question, version=version.number)


def _reviewed(draft: Draft | None, revision: int, by: User) -> Draft:
    """The draft, if this person may publish this revision of it now."""
    if draft is None:
        raise NoDraft
    if draft.revision != revision:
        raise DraftChanged(draft.revision, draft.document, str(draft.edited_by or "Somebody"))
    if draft.state != DraftState.IN_REVIEW:
        raise NotInReview
    if not may_publish(by.pk, draft.editors.values_list("pk", flat=True)):
        raise OwnWork
    return draft


def _set_status(
    question_ids: Sequence[int],
    old: Status,
    new: Status,
    event: Event,
    note: str,
    *,
    by: User,
    now: datetime,
) -> list[Question]:
    rows = Question.objects.select_for_update(of=("self",)).filter(pk__in=question_ids, status=old)
    changed = list(rows.order_by("pk"))
    for question in changed:
        question.status = new
        log_event(event=event, by=by, now=now, question=question, note=note)
    Question.objects.bulk_update(changed, ["status"])
    return changed

"""An import taken back as a whole, while nobody has built on it: new questions go, drafts are again what they
were. Locks as in `writing`."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.module_loading import import_string

from prepapp.accounts.models import User
from prepapp.bank.actions.importing.batches import next_revisions, save_drafts
from prepapp.bank.actions.log import log_event
from prepapp.bank.choices import DraftState, Event, ImportState, RowOutcome, Status
from prepapp.bank.models import (
    Draft,
    DraftRevision,
    Flag,
    FollowUp,
    ImportRow,
    ImportRun,
    Question,
    QuestionVersion,
    RubricPoint,
    SampleAnswer,
    Track,
)
from prepapp.bank.queries.imports import batches
from prepapp.bank.refusals import ImportUsed, RunMoved

_MOST_REASONS = 20


def undo_import(*, run_id: UUID, by: User | None, now: datetime) -> None:
    """Takes back everything a run wrote. RunMoved if it is not done, ImportUsed with what is in use: a
    question that was asked, a draft that was edited, handed in or published since. Tags stay."""
    try:
        with transaction.atomic():
            _undo_locked(run_id, by, now)
    except (ProtectedError, IntegrityError) as error:
        # Asked between our look and the commit.
        raise ImportUsed(["A question of it is being asked in an interview right now."]) from error


def asked_questions(question_ids: Sequence[int]) -> set[int]:
    """Those that were ever asked. `QUESTION_USES` lists dotted paths of functions of the apps above, which
    take ids and return the ones in use."""
    found: set[int] = set()
    for path in getattr(settings, "QUESTION_USES", ()):
        found |= import_string(path)(question_ids)
    return found


def _undo_locked(run_id: UUID, by: User | None, now: datetime) -> None:
    list(Track.objects.select_for_update(no_key=True).order_by("code").values_list("code"))
    runs = ImportRun.objects.select_for_update(of=("self",))
    run = runs.filter(pk=run_id, state=ImportState.DONE).first()
    if run is None:
        raise RunMoved
    changed = (RowOutcome.CREATED, RowOutcome.UPDATED)
    rows = list(run.rows.filter(outcome__in=changed, question__isnull=False).order_by("position"))
    reasons = [reason for batch in batches(rows) for reason in _reasons(batch)]
    if reasons:
        more = len(reasons) - _MOST_REASONS
        raise ImportUsed(reasons[:_MOST_REASONS] + ([f"and {more} more"] if more > 0 else []))
    for batch in batches([row for row in rows if row.outcome == RowOutcome.UPDATED]):
        _restore(batch, run, by, now)
    for batch in batches([row for row in rows if row.outcome == RowOutcome.CREATED]):
        _remove([row.question_id for row in batch if row.question_id is not None])
    run.state, run.undone_at = ImportState.UNDONE, now
    run.save(update_fields=["state", "undone_at"])
    log_event(
        event=Event.IMPORT_UNDONE,
        by=by,
        now=now,
        label=run.file_name,
        run=str(run.pk),
        slugs=[row.label for row in rows],
    )


def _reasons(rows: Sequence[ImportRow]) -> Iterator[str]:
    """What keeps these rows from being taken back. Their questions are locked."""
    ids = [row.question_id for row in rows if row.question_id is not None]
    questions = {
        question.pk: question
        for question in Question.objects.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk")
    }
    drafts = {draft.question_id: draft for draft in Draft.objects.filter(question__in=ids)}
    versions = dict(
        QuestionVersion.objects.filter(question__in=ids, current_of__isnull=False).values_list(
            "question_id", "number"
        )
    )
    flagged = set(Flag.objects.filter(question__in=ids).values_list("question_id", flat=True))
    sampled = set(SampleAnswer.objects.filter(question__in=ids).values_list("question_id", flat=True))
    asked = asked_questions([pk for pk in ids if pk in versions])
    for row in rows:
        question = questions[row.question_id or 0]
        draft, version = drafts.get(question.pk), versions.get(question.pk)
        is_new = row.outcome == RowOutcome.CREATED
        if is_new and question.pk in asked:
            yield f"{row.label}: it was asked in an interview."
        elif is_new and question.pk in flagged:
            yield f"{row.label}: somebody flagged it."
        elif is_new and question.pk in sampled:
            yield f"{row.label}: sample answers to it were loaded."
        elif why := _what_became(row, question, draft, version):
            yield f"{row.label}: {why}."


def _what_became(row: ImportRow, question: Question, draft: Draft | None, version: int | None) -> str:
    """In words, what was done since to what this row wrote; '' if nothing."""
    if row.revision is None:
        if draft is not None:
            return "a draft of it was begun since"
        return "" if version == 1 and question.status == row.status else "it was changed since"
    if draft is None:
        return "its draft was published or discarded since"
    if draft.revision != row.revision:
        return "its draft was edited since"
    return "its draft is in review" if draft.state == DraftState.IN_REVIEW else ""


def _restore(rows: Sequence[ImportRow], run: ImportRun, by: User | None, now: datetime) -> None:
    """Drafts the import made are removed; those it wrote over get the text they had, as a new revision."""
    drafts = {
        draft.question_id: draft
        for draft in Draft.objects.filter(question__in=[row.question_id for row in rows]).select_related(
            "question"
        )
    }
    made = [draft.pk for draft in drafts.values() if draft.created_at == run.finished_at]
    kept = {pk: draft for pk, draft in drafts.items() if draft.created_at != run.finished_at}
    before = {
        (revision.question_id, revision.revision): revision.document
        for revision in DraftRevision.objects.filter(question__in=kept)
    }
    numbers = next_revisions(list(kept))
    replaced = {pk: draft.revision for pk, draft in kept.items()}
    moved = []
    for pk, draft in kept.items():
        # Written by its question, not by its own number.
        draft.pk = None
        draft.document = before[pk, replaced[pk] - 1]
        draft.revision = numbers[pk]
        draft.title = str(draft.document.get("title") or "")[:300]
        draft.level = str(draft.document.get("level") or "")[:20]
        draft.kind = str(draft.document.get("kind") or "")[:20]
        draft.edited_at, draft.edited_by = now, by
        if draft.question.current_version_id is None:
            draft.question.topic_id = draft.document.get("topic") or None
            moved.append(draft.question)
    save_drafts(list(kept.values()))
    Question.objects.bulk_update(moved, ["topic"])
    DraftRevision.objects.bulk_create(
        DraftRevision(
            question_id=pk, revision=draft.revision, document=draft.document, saved_at=now, saved_by=by
        )
        for pk, draft in kept.items()
    )
    Draft.objects.filter(pk__in=made).delete()
    _hand_back(replaced, numbers)


def _hand_back(replaced: Mapping[int, int], restored: Mapping[int, int]) -> None:
    """What stands again is what the import before wrote, under another number: the next import may write over
    it, and it can be undone itself. Both map the id of a question to a revision."""
    earlier = []
    for row in ImportRow.objects.filter(question__in=replaced):
        question_id = row.question_id or 0
        if row.revision == replaced[question_id] - 1:
            row.revision = restored[question_id]
            earlier.append(row)
    ImportRow.objects.bulk_update(earlier, ["revision"])


def _remove(question_ids: Sequence[int]) -> None:
    """Questions with all that is theirs. ProtectedError if something else refers to a version."""
    Question.objects.filter(pk__in=question_ids).update(current_version=None, status=Status.DRAFT)
    RubricPoint.objects.filter(version__question__in=question_ids).delete()
    FollowUp.objects.filter(version__question__in=question_ids).delete()
    QuestionVersion.objects.filter(question__in=question_ids).delete()
    Question.objects.filter(pk__in=question_ids).delete()

"""The statements that write one batch of an import, in the transaction of the caller."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import uuid4

from django.db.models import Max

from prepapp.bank.actions.filing import save_filing
from prepapp.bank.actions.parts import Parts, save_parts
from prepapp.bank.choices import Event, VersionSource
from prepapp.bank.importing import Row, keeps_reference
from prepapp.bank.models import CurationEvent, Draft, DraftRevision, ImportRun, Question
from prepapp.bank.rules import next_reference
from prepapp.bank.transfer.document import Document
from prepapp.bank.transfer.question_file import QuestionFile

# Question and revision of the draft, by position of the row.
Written = dict[int, tuple[int, int | None]]

_DRAFT_COLUMNS = ("document", "revision", "title", "level", "kind", "edited_at", "edited_by")


def create_drafts(rows: Sequence[Row], run: ImportRun, now: datetime) -> Written:
    """New questions that are drafts, owned by whoever imports them."""
    questions = Question.objects.bulk_create(
        Question(
            ref=f"draft-{uuid4().hex[:12]}",
            slug=row.slug,
            topic_id=row.document.get("topic") or None,
            owner=run.made_by,
            status=row.status,
            created_at=now,
        )
        for row in rows
    )
    drafts = [
        _draft(question, row.document, 1, run, now) for question, row in zip(questions, rows, strict=True)
    ]
    Draft.objects.bulk_create(drafts)
    _follow(drafts, run, now)
    return {row.position: (question.pk, 1) for question, row in zip(questions, rows, strict=True)}


def publish_new(
    rows: Sequence[Row],
    prepared: Mapping[int, tuple[QuestionFile, Parts]],
    taken: set[str],
    run: ImportRun,
    now: datetime,
) -> Written:
    """New questions with their first version, published or retired. Those that keep the reference of the file
    come before those that are given one, for which `taken` says what is in use; it grows."""
    questions = Question.objects.bulk_create(
        Question(
            ref=_reference(row, taken),
            slug=row.slug,
            topic_id=row.document["topic"],
            owner=run.made_by,
            status=row.status,
            created_at=now,
        )
        for row in rows
    )
    made, filed = [], []
    for question, row in zip(questions, rows, strict=True):
        file, parts = prepared[row.position]
        parts.version.source, parts.version.published_by = VersionSource.APP, run.made_by
        made.append((question, 1, parts))
        filed.append((question, file))
    save_parts(made)
    save_filing(filed)
    _log([(question, {"version": 1}) for question in questions], run, now)
    return {row.position: (question.pk, None) for question, row in zip(questions, rows, strict=True)}


def update_drafts(rows: Sequence[Row], run: ImportRun, now: datetime) -> Written:
    """The next revision of the draft of questions there are; a draft is made where there is none."""
    known = {row.known.pk: row for row in rows if row.known is not None}
    questions = Question.objects.in_bulk(known)
    revisions = next_revisions(list(known))
    moved = []
    for pk, row in known.items():
        topic = row.document.get("topic") or None
        if questions[pk].current_version_id is None and questions[pk].topic_id != topic:
            questions[pk].topic_id = topic
            moved.append(questions[pk])
    Question.objects.bulk_update(moved, ["topic"])
    drafts = [_draft(questions[pk], row.document, revisions[pk], run, now) for pk, row in known.items()]
    save_drafts(drafts)
    _follow(drafts, run, now)
    return {row.position: (pk, revisions[pk]) for pk, row in known.items()}


def next_revisions(question_ids: Sequence[int]) -> dict[int, int]:
    """The number after the last revision of each question; 1 where there was none."""
    found = DraftRevision.objects.filter(question__in=question_ids)
    last = dict(found.values_list("question_id").annotate(last=Max("revision")))
    return {pk: last.get(pk, 0) + 1 for pk in question_ids}


def save_drafts(drafts: Sequence[Draft]) -> None:
    """Writes drafts over those the questions have; those of questions without one are made."""
    Draft.objects.bulk_create(
        drafts, update_conflicts=True, unique_fields=["question"], update_fields=_DRAFT_COLUMNS
    )


def _draft(question: Question, document: Document, revision: int, run: ImportRun, now: datetime) -> Draft:
    return Draft(
        question=question,
        document=document,
        revision=revision,
        based_on_id=question.current_version_id,
        title=str(document.get("title") or "")[:300],
        level=str(document.get("level") or "")[:20],
        kind=str(document.get("kind") or "")[:20],
        created_at=now,
        edited_at=now,
        edited_by=run.made_by,
    )


def _follow(drafts: Sequence[Draft], run: ImportRun, now: datetime) -> None:
    """What goes with a draft that was written: its revision, its editor, a line of the log."""
    DraftRevision.objects.bulk_create(
        DraftRevision(
            question_id=draft.question_id,
            revision=draft.revision,
            document=draft.document,
            saved_at=now,
            saved_by=run.made_by,
        )
        for draft in drafts
    )
    if run.made_by is not None:
        through = Draft.editors.through
        questions = [draft.question_id for draft in drafts]
        ids = Draft.objects.filter(question__in=questions).values_list("pk", flat=True)
        through._default_manager.bulk_create(
            [through(draft_id=pk, user_id=run.made_by.pk) for pk in ids], ignore_conflicts=True
        )
    _log([(draft.question, {"revision": draft.revision}) for draft in drafts], run, now)


def _log(written: Sequence[tuple[Question, dict[str, int]]], run: ImportRun, now: datetime) -> None:
    CurationEvent.objects.bulk_create(
        CurationEvent(
            at=now,
            actor=run.made_by,
            event=Event.IMPORTED,
            question_number=question.pk,
            label=question.ref if question.current_version_id else question.slug,
            note=run.file_name,
            about={"run": str(run.pk), **about},
        )
        for question, about in written
    )


def _reference(row: Row, taken: set[str]) -> str:
    topic = str(row.document["topic"])
    ref = row.ref
    if not keeps_reference(ref, topic):
        ref = next_reference(topic, [other for other in taken if other.startswith(f"{topic}-")])
    taken.add(ref)
    return ref

"""A draft from the first word to the review: made, saved, handed in, taken back, returned, discarded.

Every action locks the row of the question first, then its draft. A save is compare-and-set on `revision`:
of two curators who edit one draft the second is told and loses nothing. Not here: what makes a draft a
version (`publishing`).
"""

from datetime import datetime
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max

from prepapp.accounts.models import User
from prepapp.bank.actions.log import log_event
from prepapp.bank.choices import DraftState, Event, Status
from prepapp.bank.models import Draft, DraftRevision, Question
from prepapp.bank.queries.documents import current_documents
from prepapp.bank.queries.findings import draft_findings
from prepapp.bank.refusals import (
    DraftChanged,
    InReview,
    NoDraft,
    NotInReview,
    SlugTaken,
    Unfinished,
    WrongState,
)
from prepapp.bank.rules import SLUG_CHARACTERS, slug_of
from prepapp.bank.transfer.document import Document


@transaction.atomic
def create_question(*, document: Document, by: User, now: datetime, key: str = "") -> Draft:
    """A new question with this draft, owned by who made it. SlugTaken if the document names a slug that is
    in use; without one a free slug is made from the title. `key` is that of the form, 32 digits in hex: the
    same text sent again makes nothing and gives the draft there is."""
    # Told apart from every reference, which begins with a track, until a topic and a number are given.
    ref = f"draft-{(key or uuid4().hex)[:12]}"
    if Question.objects.filter(ref=ref).exists():
        if made := _made_before(ref, document, by):
            return made
        ref = f"draft-{uuid4().hex[:12]}"
    slug = str(document.get("slug") or "")
    if slug and Question.objects.filter(slug__iexact=slug).exists():
        raise SlugTaken(slug)
    question = Question(
        ref=ref,
        slug=slug or free_slug(str(document.get("title") or "")),
        topic_id=document.get("topic") or None,
        owner=by,
        status=Status.DRAFT,
        created_at=now,
    )
    try:
        with transaction.atomic():
            question.save(force_insert=True)
    except IntegrityError as error:
        if made := _made_before(ref, document, by):
            return made
        raise SlugTaken(question.slug) from error
    draft = write_draft(question, None, {**document, "slug": question.slug}, by=by, now=now)
    log_event(event=Event.CREATED, by=by, now=now, question=question, label=question.slug)
    return draft


@transaction.atomic
def open_draft(*, question_id: int, by: User, now: datetime) -> Draft:
    """The draft of a question; made from its published text if there is none."""
    question, draft = lock_question(question_id)
    if draft is not None:
        return draft
    document = current_documents([question])[question.pk]
    return write_draft(question, None, document, by=by, now=now, is_writer=False)


@transaction.atomic
def save_draft(*, question_id: int, document: Document, revision: int, by: User, now: datetime) -> Draft:
    """Saves what somebody wrote who had read `revision`. DraftChanged if another save came first, InReview,
    NoDraft, SlugTaken. Saving what is stored already changes nothing."""
    question, draft = lock_question(question_id)
    if draft is None:
        raise NoDraft
    if draft.document == document:
        return draft
    if draft.state == DraftState.IN_REVIEW:
        raise InReview
    if draft.revision != revision:
        by_whom = str(draft.edited_by) if draft.edited_by else "Somebody"
        raise DraftChanged(draft.revision, draft.document, by_whom)
    _keep_slug_free(question, document)
    saved = write_draft(question, draft, document, by=by, now=now)
    log_event(event=Event.EDITED, by=by, now=now, question=question, revision=saved.revision)
    return saved


@transaction.atomic
def submit_draft(*, question_id: int, revision: int, by: User, now: datetime, note: str = "") -> Draft:
    """Hands the draft in for review. Unfinished with every finding that fails; DraftChanged if it is not the
    revision that was read; repeating it changes nothing. `note` goes into the log."""
    question, draft = lock_question(question_id)
    if draft is None:
        raise NoDraft
    if draft.revision != revision:
        raise DraftChanged(draft.revision, draft.document, str(draft.edited_by or "Somebody"))
    if draft.state == DraftState.IN_REVIEW:
        return draft
    if failing := [found for found in draft_findings(question, draft.document, now) if found.severity == "F"]:
        raise Unfinished(failing)
    _move(question, draft, DraftState.IN_REVIEW, by=by, now=now)
    log_event(event=Event.SUBMITTED, by=by, now=now, question=question, note=note, revision=draft.revision)
    return draft


@transaction.atomic
def withdraw_draft(*, question_id: int, by: User, now: datetime) -> Draft:
    """Takes a draft back from review to go on writing. NotInReview if it is not there."""
    return _leave_review(question_id, Event.WITHDRAWN, "", by=by, now=now)


@transaction.atomic
def return_draft(*, question_id: int, note: str, by: User, now: datetime) -> Draft:
    """Sends a draft back to its writers with what is to be mended. NotInReview if it is not in review."""
    return _leave_review(question_id, Event.RETURNED, note, by=by, now=now)


@transaction.atomic
def discard_draft(*, question_id: int, revision: int, by: User, now: datetime) -> None:
    """Ends a draft without publishing it; its revisions stay. DraftChanged if somebody saved meanwhile,
    WrongState for a question that was never published and would be left without any text."""
    question, draft = lock_question(question_id)
    if draft is None:
        raise NoDraft
    if draft.revision != revision:
        raise DraftChanged(draft.revision, draft.document, str(draft.edited_by or "Somebody"))
    if question.current_version_id is None:
        raise WrongState("This question was never published: delete it instead of its draft.")
    draft.delete()
    log_event(event=Event.DISCARDED, by=by, now=now, question=question, revision=revision)


@transaction.atomic
def delete_question(*, question_id: int, revision: int, by: User, now: datetime) -> None:
    """Removes a question that was never published, with its draft. WrongState if it was."""
    question, draft = lock_question(question_id)
    if draft is None or question.current_version_id is not None:
        raise WrongState("This question has been published; retire it instead.")
    if draft.revision != revision:
        raise DraftChanged(draft.revision, draft.document, str(draft.edited_by or "Somebody"))
    log_event(
        event=Event.DISCARDED,
        by=by,
        now=now,
        question=question,
        label=question.slug,
        document=draft.document,
    )
    question.delete()


def lock_question(question_id: int) -> tuple[Question, Draft | None]:
    """The question and its draft, locked in this order until the commit. NoDraft if both were deleted."""
    question = Question.objects.select_for_update(of=("self",)).filter(pk=question_id).first()
    if question is None:
        raise NoDraft
    drafts = Draft.objects.select_for_update(of=("self",)).select_related("edited_by")
    return question, drafts.filter(question=question).first()


def write_draft(
    question: Question,
    draft: Draft | None,
    document: Document,
    *,
    by: User,
    now: datetime,
    is_writer: bool = True,
) -> Draft:
    """Writes the document as the next revision of a locked question, and who wrote it. Who opens a draft
    or files its question has written nothing (`is_writer` False) and may still publish it.

    A question that was never published takes slug and topic along at once. SlugTaken."""
    latest = DraftRevision.objects.filter(question=question).aggregate(last=Max("revision"))["last"] or 0
    if draft is None:
        draft = Draft(question=question, based_on_id=question.current_version_id, created_at=now)
    draft.document = document
    draft.revision = latest + 1
    draft.title = str(document.get("title") or "")[:300]
    draft.level = str(document.get("level") or "")[:20]
    draft.kind = str(document.get("kind") or "")[:20]
    draft.edited_at, draft.edited_by = now, by
    draft.save()
    DraftRevision.objects.create(
        question=question, revision=draft.revision, document=document, saved_at=now, saved_by=by
    )
    if is_writer:
        Draft.editors.through._default_manager.get_or_create(draft_id=draft.pk, user_id=by.pk)
    if question.current_version_id is None:
        question.slug = str(document.get("slug") or question.slug)
        question.topic_id = document.get("topic") or None
        try:
            with transaction.atomic():
                question.save(update_fields=["slug", "topic"])
        except IntegrityError as error:
            # Another question was given it since it was looked for.
            raise SlugTaken(question.slug) from error
    return draft


def free_slug(title: str) -> str:
    """A slug made from the title that no question has."""
    wanted = slug_of(title)
    if not Question.objects.filter(slug=wanted).exists():
        return wanted
    # Room for the number, or the draft could not be handed in before somebody shortened it.
    start = wanted[: SLUG_CHARACTERS - 6].rstrip("-")
    taken = set(Question.objects.filter(slug__startswith=start).values_list("slug", flat=True))
    number = next(n for n in range(2, len(taken) + 3) if f"{start}-{n}" not in taken)
    return f"{start}-{number}"


def _made_before(ref: str, document: Document, by: User) -> Draft | None:
    """The draft of a question this person made from the same text; None if it is another text or gone."""
    found = Draft.objects.filter(question__ref=ref, question__owner=by).select_related("question").first()
    first = DraftRevision.objects.filter(question__ref=ref, revision=1, saved_by=by).first()
    if found is None or first is None:
        return None
    return (
        found
        if {**document, "slug": document.get("slug") or first.document.get("slug")} == first.document
        else None
    )


def _keep_slug_free(question: Question, document: Document) -> None:
    slug = str(document.get("slug") or "")
    if slug and Question.objects.filter(slug__iexact=slug).exclude(pk=question.pk).exists():
        raise SlugTaken(slug)


def _leave_review(question_id: int, event: Event, note: str, *, by: User, now: datetime) -> Draft:
    question, draft = lock_question(question_id)
    if draft is None:
        raise NoDraft
    if draft.state != DraftState.IN_REVIEW:
        raise NotInReview
    draft.review_note = note
    _move(question, draft, DraftState.WORKING, by=by, now=now)
    log_event(event=event, by=by, now=now, question=question, note=note, revision=draft.revision)
    return draft


def _move(question: Question, draft: Draft, state: DraftState, *, by: User, now: datetime) -> None:
    """Puts draft, and a question that has nothing but the draft, into this state."""
    in_review = state == DraftState.IN_REVIEW
    draft.state = state
    draft.submitted_at, draft.submitted_by = (now, by) if in_review else (None, None)
    draft.save(update_fields=["state", "submitted_at", "submitted_by", "review_note"])
    if question.status in {Status.DRAFT, Status.IN_REVIEW}:
        question.status = Status.IN_REVIEW if in_review else Status.DRAFT
        question.save(update_fields=["status"])

"""Finds the question an address names, and asks whether its answer may be shown to this person."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.shortcuts import get_object_or_404
from django.utils.module_loading import import_string

from prepapp.accounts.models import User
from prepapp.bank.choices import Status
from prepapp.bank.models import Draft, DraftRevision, Flag, ImportRun, Pack, Question, QuestionVersion


def published_question(slug: str) -> Question:
    """The question without the texts an answer is measured by. 404 if it is not published."""
    return get_object_or_404(Question.objects.published().with_prompt(), slug=slug)


def published_question_with_answer(slug: str) -> Question:
    """The question with all texts. 404 if it is not published."""
    return get_object_or_404(Question.objects.published().with_current(), slug=slug)


def known_pack(slug: str) -> Pack:
    """The pack of that slug. 404 if there is none."""
    return get_object_or_404(Pack, slug=slug)


@dataclass(frozen=True)
class Closed:
    """Why an answer is not shown: the template that says it and what to do, and what it needs to know."""

    template: str
    about: Mapping[str, Any]


def why_closed(candidate: User | None, question_id: int, now: datetime) -> Closed | None:
    """What forbids this person the answer now; None if nothing does.

    `BANK_ANSWER_GUARDS` lists dotted paths of
    `guard(user: User, question_id: int, now: datetime) -> Closed | None`; the first reason counts. Apps above
    the bank know reasons the bank cannot: a running mock that asks the question. A visitor who has nothing
    running has no row, and no guard is asked.
    """
    if candidate is None:
        return None
    guards = (import_string(path) for path in getattr(settings, "BANK_ANSWER_GUARDS", ()))
    reasons = (guard(candidate, question_id, now) for guard in guards)
    return next((reason for reason in reasons if reason), None)


def closed_answers(candidate: User, question_ids: Collection[int], now: datetime) -> set[int]:
    """Those of the questions whose answer this person may not be shown now. `BANK_CLOSED_ANSWERS` lists
    dotted paths of `closed(user_id: UUID, question_ids: Collection[int], now: datetime) -> set[int]`, which
    say in one query what the guards say of a single question."""
    if not question_ids:
        return set()
    closed = (import_string(path) for path in settings.BANK_CLOSED_ANSWERS)
    return set().union(*(find(candidate.pk, question_ids, now) for find in closed))


def asked_version(version_id: int) -> QuestionVersion:
    """The version with its question, without its texts; retired questions stay in histories. 404 if nobody
    can have been asked it."""
    may_be_asked = (Status.PUBLISHED, Status.RETIRED)
    found = QuestionVersion.objects.filter(question__status__in=may_be_asked).select_related("question")
    return get_object_or_404(found.only("number", "title", "question__ref", "question__slug"), pk=version_id)


def flagged_question(question_id: int) -> Question:
    """A question with its texts and topic for the desk; drafts may have neither. 404 if nobody flagged it."""
    flagged = Flag.objects.filter(question=OuterRef("pk"))
    return get_object_or_404(Question.objects.with_current().filter(Exists(flagged)), pk=question_id)


def get_import(run_id: UUID) -> ImportRun:
    """An upload; everybody of the desk may look at each. 404 if there is none."""
    return get_object_or_404(ImportRun.objects.select_related("made_by"), pk=run_id)


def get_import_to_change(person: User, run_id: UUID) -> ImportRun:
    """The same for whoever decides what becomes of it: PermissionDenied if it is to publish, and this person
    may not do so without a second reader."""
    run = get_import(run_id)
    if run.publishes and not may_publish_imports(person):
        raise PermissionDenied
    return run


def may_publish_imports(person: User) -> bool:
    """Whether this person may let a file publish questions: admins, who alone may add versions."""
    return person.has_perm("bank.add_questionversion")


def desk_question(question_id: int) -> Question:
    """Any question, for the desk, with topic, owner, published text and draft. 404 if there is none."""
    kept = ("topic", "owner", "current_version", "draft__edited_by", "draft__submitted_by")
    return get_object_or_404(Question.objects.select_related(*kept), pk=question_id)


def draft_of(question: Question) -> Draft | None:
    """Its draft, if it has one."""
    return getattr(question, "draft", None)


def draft_revision(question_id: int, revision: int) -> DraftRevision:
    """A state the draft of a question has had. 404 if it never had it."""
    found = DraftRevision.objects.select_related("saved_by")
    return get_object_or_404(found, question=question_id, revision=revision)


def question_version(question_id: int, number: int) -> QuestionVersion:
    """One version of a question. 404 if there is none of that number."""
    found = QuestionVersion.objects.select_related("published_by")
    return get_object_or_404(found, question=question_id, number=number)

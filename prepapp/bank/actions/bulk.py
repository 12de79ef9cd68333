"""Acts on many questions at once: another topic, tags, packs, an owner. Each is one transaction and one
line in the log for every question it changed; what is as wanted already is left alone.

A draft of such a question takes the change along as its next revision, or publishing it would take the
change back.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import models, transaction

from prepapp.accounts.models import User
from prepapp.bank.actions.drafts import write_draft
from prepapp.bank.actions.log import log_event
from prepapp.bank.actions.references import references_in_use, save_asked
from prepapp.bank.choices import Event
from prepapp.bank.models import Draft, Pack, Question, Tag, Topic


@transaction.atomic
def move_questions(*, question_ids: Sequence[int], topic: Topic, by: User, now: datetime) -> list[Question]:
    """Puts questions into a topic. A published one gets a reference of it; its former one stays known,
    so that its file does not make it a second time. Returns those that moved."""
    moved, taken = [], references_in_use()
    for question, draft in _locked(question_ids):
        if question.topic_id == topic.pk:
            continue
        old = question.topic_id
        question.topic = topic
        save_asked(question, ["topic"], taken if question.current_version_id is not None else None)
        _take_along(question, draft, {"topic": topic.pk}, by=by, now=now)
        log_event(event=Event.MOVED, by=by, now=now, question=question, old=old, new=topic.pk)
        moved.append(question)
    return moved


@transaction.atomic
def tag_questions(
    *, question_ids: Sequence[int], name: str, is_on: bool, by: User, now: datetime
) -> list[Question]:
    """Gives questions a tag, which is made if it is new, or takes it from them. Returns those it changed."""
    tag, _ = Tag.objects.get_or_create(name=name) if is_on else (Tag.objects.filter(name=name).first(), False)
    if tag is None:
        return []
    changed, locked = [], _locked(question_ids)
    held = set(tag.questions.filter(pk__in=question_ids).values_list("pk", flat=True))
    for question, draft in locked:
        if (question.pk in held) == is_on:
            continue
        _link(Question.tags.through, "tag_id", question, tag.pk, is_on)
        _take_along(question, draft, {"tags": _listed(draft, "tags", name, is_on)}, by=by, now=now)
        log_event(event=Event.TAGGED, by=by, now=now, question=question, tag=name, on=is_on)
        changed.append(question)
    return changed


@transaction.atomic
def pack_questions(
    *, question_ids: Sequence[int], pack: Pack, is_on: bool, by: User, now: datetime
) -> list[Question]:
    """Puts questions into a pack, or takes them out. Returns those it changed."""
    changed, locked = [], _locked(question_ids)
    held = set(pack.questions.filter(pk__in=question_ids).values_list("pk", flat=True))
    for question, draft in locked:
        if (question.pk in held) == is_on:
            continue
        _link(Question.packs.through, "pack_id", question, pack.pk, is_on)
        _take_along(question, draft, {"packs": _listed(draft, "packs", pack.slug, is_on)}, by=by, now=now)
        log_event(event=Event.TAGGED, by=by, now=now, question=question, pack=pack.slug, on=is_on)
        changed.append(question)
    return changed


@transaction.atomic
def own_questions(
    *, question_ids: Sequence[int], owner: User | None, by: User, now: datetime
) -> list[Question]:
    """Gives questions an owner, or none. Returns those it changed."""
    changed = []
    for question, _ in _locked(question_ids):
        if question.owner_id == (owner.pk if owner else None):
            continue
        question.owner = owner
        question.save(update_fields=["owner"])
        log_event(event=Event.OWNED, by=by, now=now, question=question, owner=str(owner or ""))
        changed.append(question)
    return changed


def _locked(question_ids: Sequence[int]) -> list[tuple[Question, Draft | None]]:
    """The questions with their drafts, locked in the order of their numbers."""
    questions = list(
        Question.objects.select_for_update(of=("self",)).filter(pk__in=question_ids).order_by("pk")
    )
    drafts = {
        draft.question_id: draft
        for draft in Draft.objects.select_for_update(of=("self",))
        .filter(question__in=questions)
        .order_by("question_id")
    }
    return [(question, drafts.get(question.pk)) for question in questions]


def _link(through: type[models.Model], column: str, question: Question, other: int, is_on: bool) -> None:
    row: dict[str, Any] = {"question_id": question.pk, column: other}
    if is_on:
        through._default_manager.get_or_create(**row)
    else:
        through._default_manager.filter(**row).delete()


def _listed(draft: Draft | None, key: str, name: str, is_on: bool) -> list[str]:
    stated = list(draft.document.get(key) or []) if draft else []
    return (
        [*stated, name]
        if is_on and name not in stated
        else [item for item in stated if is_on or item != name]
    )


def _take_along(
    question: Question, draft: Draft | None, changes: dict[str, Any], *, by: User, now: datetime
) -> None:
    """Writes the change into the draft too; whoever files a question has not written its text, so they may
    still publish it."""
    if draft is None:
        return
    write_draft(question, draft, {**draft.document, **changes}, by=by, now=now, is_writer=False)

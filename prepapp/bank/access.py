"""Finds the question an address names, and asks whether its answer may be shown to this person."""

from datetime import datetime

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils.module_loading import import_string

from prepapp.accounts.models import User
from prepapp.bank.models import Question


def published_question(slug: str) -> Question:
    """The question without the texts an answer is measured by. 404 if it is not published."""
    return get_object_or_404(Question.objects.published().with_prompt(), slug=slug)


def published_question_with_answer(slug: str) -> Question:
    """The question with all texts. 404 if it is not published."""
    return get_object_or_404(Question.objects.published().with_current(), slug=slug)


def may_see_answer(candidate: User | None, question_id: int, now: datetime) -> bool:
    """Whether nothing forbids this person the answer now.

    `BANK_ANSWER_GUARDS` lists dotted paths of `guard(user: User, question_id: int, now: datetime) -> bool`.
    Apps above the bank know reasons the bank cannot: a running mock that asks the question. A visitor who
    has nothing running has no row, and no guard is asked.
    """
    if candidate is None:
        return True
    guards = (import_string(path) for path in getattr(settings, "BANK_ANSWER_GUARDS", ()))
    return all(guard(candidate, question_id, now) for guard in guards)

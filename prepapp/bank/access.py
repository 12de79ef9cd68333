"""Finds the question an address names, and asks whether its answer may be shown to this person."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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

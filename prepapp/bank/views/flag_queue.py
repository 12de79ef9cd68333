"""Flags at the desk: the queue by question, and one question with all that was said of it, to be answered."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.access import flagged_question
from prepapp.bank.actions.flags import settle_flag
from prepapp.bank.choices import FlagReason
from prepapp.bank.forms.flags import FlagFilterForm, SettleForm
from prepapp.bank.models import Question
from prepapp.bank.queries import answer_of, filter_choices
from prepapp.bank.queries.flags import (
    LAST_SETTLED_FIRST,
    OLDEST_FIRST,
    FlagGroup,
    flag_groups,
    flagged_questions,
    reason_counts,
)
from prepapp.bank.refusals import Refusal
from prepapp.common.clock import read_clock
from prepapp.common.pagination import keyset_page
from prepapp.common.requests import HtmxRequest

CONFLICT = 409
UNPROCESSABLE = 422


@require_safe
@login_required
@permission_required("bank.settle_flag", raise_exception=True)
def flag_queue(request: HtmxRequest) -> HttpResponse:
    """The flagged questions, the one that waits longest first."""
    form = FlagFilterForm(request.GET, choices=filter_choices())
    wanted = form.wanted()
    found = flagged_questions(wanted)
    order = LAST_SETTLED_FIRST if wanted.is_settled else OLDEST_FIRST
    cursor = request.GET.get("cursor", "")
    page = keyset_page(found, order, cursor=cursor)
    reasons = reason_counts(page.items, is_settled=wanted.is_settled)
    context = {
        "section": "desk",
        "form": form,
        "query": form.query(),
        "count": found.count(),
        "page": page,
        "rows": [(question, reasons[question.pk]) for question in page.items],
        "is_settled": wanted.is_settled,
    }
    if not request.htmx:
        return render(request, "bank/flag_queue.html", context)
    response = render(request, "bank/flag_queue.html#results", context)
    address = "&".join(part for part in (form.query(), f"cursor={cursor}" if cursor else "") if part)
    return push_url(response, f"{reverse('flags:flag-queue')}{'?' if address else ''}{address}")


@require_safe
@account_required
@permission_required("bank.settle_flag", raise_exception=True)
def flag_question(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """All that was said of one question, its text and rubric beside it."""
    question = flagged_question(question_id)
    return render(request, "bank/flag_question.html", _page(person, question, flag_groups(question.pk)))


@require_POST
@account_required
@permission_required("bank.settle_flag", raise_exception=True)
def flag_settle(request: HtmxRequest, person: User, question_id: int, reason: str) -> HttpResponse:
    """One answer to the open flags of a reason. Inside htmx that group comes back."""
    question = flagged_question(question_id)
    if reason not in FlagReason.values:
        raise Http404("no such reason")
    form = SettleForm(request.POST, reason=reason, may_retire=_may_retire(person))
    if not form.is_valid():
        return _refuse(request, person, question, form, reason, UNPROCESSABLE)
    choice = form.cleaned_data
    try:
        settled = settle_flag(
            question_id=question.pk, reason=FlagReason(reason), by=person, now=read_clock(), **choice
        )
    except Refusal as refusal:
        form.add_error(None, str(refusal))
        return _refuse(request, person, question, form, reason, CONFLICT)
    told = f"{settled} flag{'' if settled == 1 else 's'} answered. Who raised them is told."
    if not request.htmx:
        messages.success(request, told)
        return redirect("flags:flag-question", question.pk)
    page = _group_page(person, question, reason) | {"told": told}
    return render(request, "bank/flag_question.html#group", page)


def _refuse(
    request: HtmxRequest, person: User, question: Question, form: SettleForm, reason: str, status: int
) -> HttpResponse:
    """The group again, or the whole page, with what was typed and why it did not go."""
    if request.htmx:
        page = _group_page(person, question, reason) | {"form": form}
        return render(request, "bank/flag_question.html#group", page, status=status)
    groups = flag_groups(question.pk)
    if all(group.reason != reason for group in groups):
        groups = [FlagGroup(reason), *groups]
    page = _page(person, question, groups, {reason: form})
    return render(request, "bank/flag_question.html", page, status=status)


def _page(
    person: User, question: Question, groups: list[FlagGroup], bound: dict[str, SettleForm] | None = None
) -> dict[str, Any]:
    known = bound or {}
    version = question.current_version
    return {
        "section": "desk",
        "question": question,
        "version": version,
        "answer": answer_of(question) if version else None,
        "entries": [(group, known.get(group.reason) or _fresh(person, group.reason)) for group in groups],
        "open_flags": sum(len(group.open) for group in groups),
    }


def _group_page(person: User, question: Question, reason: str) -> dict[str, Any]:
    groups = flag_groups(question.pk)
    group = next((found for found in groups if found.reason == reason), FlagGroup(reason))
    version = question.current_version
    return {"question": question, "version": version, "group": group, "form": _fresh(person, reason)}


def _fresh(person: User, reason: str) -> SettleForm:
    return SettleForm(reason=reason, may_retire=_may_retire(person))


def _may_retire(person: User) -> bool:
    return person.has_perm("bank.publish_question")

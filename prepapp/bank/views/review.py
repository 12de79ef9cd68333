"""From a finished draft to a version: handed in by its writers, published or returned by somebody else."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.access import desk_question, draft_of
from prepapp.bank.actions import publish_draft, return_draft, withdraw_draft
from prepapp.bank.actions.handing_in import hand_in_draft
from prepapp.bank.choices import Change, DraftState
from prepapp.bank.comparison import compare
from prepapp.bank.forms.review import HandInForm, PublishForm, ReturnForm, RevisionForm
from prepapp.bank.lint.finding import FAIL
from prepapp.bank.models import Draft, Question
from prepapp.bank.queries import current_documents
from prepapp.bank.queries.desk import has_written
from prepapp.bank.queries.duplicates import find_alike
from prepapp.bank.queries.findings import draft_findings
from prepapp.bank.queries.preview import preview_of
from prepapp.bank.refusals import NearDuplicate, Refusal
from prepapp.bank.transfer.document import changes_meaning
from prepapp.bank.views.doors import may_curate, may_publish
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest

CONFLICT = 409
UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
@account_required
@may_curate
def question_submit(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """What stands in the way of handing in, and what it is like; then hands it in."""
    question, now = desk_question(question_id), read_clock()
    draft = draft_of(question)
    if draft is None or draft.state == DraftState.IN_REVIEW:
        return redirect("desk:question-detail", question.pk)
    if request.method != "POST":
        form = HandInForm(initial={"revision": draft.revision}, label_suffix="")
        return _handing_in(request, question, draft, form, now)
    form = HandInForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _handing_in(request, question, draft, form, now, status=UNPROCESSABLE)
    try:
        hand_in_draft(question_id=question.pk, by=person, now=now, **form.cleaned_data)
    except NearDuplicate as refusal:
        form.add_error("reason", str(refusal))
        return _handing_in(request, question, draft, form, now, status=UNPROCESSABLE)
    except Refusal as refusal:
        _read_anew(form, draft)
        return _handing_in(request, question, draft, form, now, status=CONFLICT, problem=str(refusal))
    messages.success(request, "Handed in. Somebody else reads it next.")
    return redirect("desk:question-detail", question.pk)


@require_POST
@account_required
@may_curate
def question_withdraw(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Takes the draft back from review, to go on writing."""
    question = desk_question(question_id)
    try:
        withdraw_draft(question_id=question.pk, by=person, now=read_clock())
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("desk:question-detail", question.pk)
    messages.success(request, "Taken back. Go on writing.")
    return redirect("desk:question-edit", question.pk)


@require_safe
@account_required
@may_curate
def question_review(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Everything a second person reads before publishing."""
    question = desk_question(question_id)
    if draft_of(question) is None:
        return redirect("desk:question-detail", question.pk)
    return _review(request, person, question, read_clock())


@require_POST
@account_required
@may_publish
def question_publish(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Makes the draft the next version."""
    question, now = desk_question(question_id), read_clock()
    form = PublishForm(request.POST, is_first=question.current_version_id is None, label_suffix="")
    if not form.is_valid():
        return _review(request, person, question, now, form=form, status=UNPROCESSABLE)
    data = form.cleaned_data
    try:
        version = publish_draft(
            question_id=question.pk,
            revision=data["revision"],
            change=form.decided,
            note=data["note"],
            by=person,
            now=now,
        )
    except Refusal as refusal:
        _read_anew(form, draft_of(question))
        return _review(request, person, question, now, form=form, problem=str(refusal), status=CONFLICT)
    messages.success(request, f"Published as version {version.number}.")
    return redirect("desk:question-detail", question.pk)


@require_POST
@account_required
@may_publish
def question_return(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Sends the draft back with what is to be mended."""
    question, now = desk_question(question_id), read_clock()
    form = ReturnForm(request.POST, auto_id="id_return_%s", label_suffix="")
    if not form.is_valid():
        return _review(request, person, question, now, return_form=form, status=UNPROCESSABLE)
    try:
        return_draft(question_id=question.pk, note=form.cleaned_data["note"], by=person, now=now)
    except Refusal as refusal:
        return _review(
            request, person, question, now, return_form=form, problem=str(refusal), status=CONFLICT
        )
    messages.success(request, "Returned. The writers find your note on their desk.")
    return redirect("desk:home")


def _read_anew(form: RevisionForm, draft: Draft | None) -> None:
    """The next press is about the text shown beside the refusal, or it could only be refused again."""
    if draft is not None:
        form.data = {name: form.data[name] for name in form.data} | {"revision": str(draft.revision)}


def _handing_in(
    request: HtmxRequest,
    question: Question,
    draft: Draft,
    form: HandInForm,
    now: datetime,
    *,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    findings = draft_findings(question, draft.document, now)
    page = {
        "section": "desk",
        "question": question,
        "draft": draft,
        "form": form,
        "failing": [found for found in findings if found.severity == FAIL],
        "warnings": [found for found in findings if found.severity != FAIL],
        "alike": find_alike(draft.document, question.pk),
        "mine": draft.document,
        "problem": problem,
    }
    page["has_twin"] = any(pair.severity == FAIL for pair in page["alike"])
    return render(request, "bank/desk/submit.html", page, status=status)


def _review(
    request: HtmxRequest,
    person: User,
    question: Question,
    now: datetime,
    *,
    form: PublishForm | None = None,
    return_form: ReturnForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    draft = draft_of(question)
    if draft is None:
        messages.error(request, problem or "There is no draft any more.")
        return redirect("desk:question-detail", question.pk)
    old = current_documents([question]).get(question.pk, {})
    page: dict[str, Any] = {
        "section": "desk",
        "question": question,
        "draft": draft,
        "preview": preview_of(draft.document),
        "is_first": not old,
        "changes": compare(old, draft.document) if old else [],
        "findings": draft_findings(question, draft.document, now),
        "alike": find_alike(draft.document, question.pk),
        "mine": draft.document,
        "is_own": has_written(person, draft),
        "suggests_major": changes_meaning(old, draft.document),
        "problem": problem,
    }
    sent = form or return_form
    page["typed"] = sent.cleaned_data.get("note", "") if problem and sent else ""
    change = Change.MAJOR if page["suggests_major"] else Change.MINOR
    page["form"] = form or PublishForm(
        initial={"revision": draft.revision, "change": change}, is_first=not old, label_suffix=""
    )
    page["return_form"] = return_form or ReturnForm(auto_id="id_return_%s", label_suffix="")
    return render(request, "bank/desk/review.html", page, status=status)

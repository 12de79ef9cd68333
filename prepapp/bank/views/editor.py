"""Writing a question: a new one, a draft, what the lint says and candidates would see while it is written."""

import re
from datetime import datetime
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.access import desk_question, draft_of
from prepapp.bank.actions import create_question, save_draft
from prepapp.bank.choices import DraftState
from prepapp.bank.forms.document_boxes import boxes_of, said_of
from prepapp.bank.forms.document_form import DocumentForm, data_of
from prepapp.bank.measures import measures
from prepapp.bank.models import Draft, Question
from prepapp.bank.queries import FilterChoices, filter_choices
from prepapp.bank.queries.documents import draft_text
from prepapp.bank.queries.findings import draft_findings
from prepapp.bank.queries.preview import preview_of
from prepapp.bank.refusals import DraftChanged, Refusal, SlugTaken
from prepapp.bank.transfer.document import Document
from prepapp.bank.views.doors import may_curate
from prepapp.bank.views.merging import conflict_page, number_of, read_form, topics_of
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest

CONFLICT = 409
UNPROCESSABLE = 422
DELETED = "This question was deleted while you were writing. Save to keep your text as a new one."


@require_http_methods(["GET", "HEAD", "POST"])
@account_required
@may_curate
def question_new(request: HtmxRequest, person: User) -> HttpResponse:
    """The empty form; the first save makes the question."""
    now, choices = read_clock(), filter_choices()
    if request.method != "POST":
        return _page(request, None, DocumentForm({}, base={}, topics=()), choices, now=now)
    form = read_form(request, {}, choices)
    if not form.document.get("title"):
        form.errors.setdefault("title", "Write a title; it may change later.")
    if not form.errors:
        try:
            draft = create_question(document=form.document, by=person, now=now, key=_key(request))
        except SlugTaken as refusal:
            form.errors["slug"] = str(refusal)
        else:
            return _saved(request, draft)
    return _page(request, None, form, choices, now=now, status=UNPROCESSABLE)


@require_http_methods(["GET", "HEAD", "POST"])
@account_required
@may_curate
def question_edit(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """The form of the draft; what is sent is saved if nobody saved since it was opened."""
    now, choices = read_clock(), filter_choices()
    try:
        question = desk_question(question_id)
    except Http404:
        form = read_form(request, {}, choices)
        if not form.document:
            raise
        return _page(request, None, form, choices, now=now, status=CONFLICT, problem=DELETED)
    draft = draft_of(question)
    if request.method != "POST":
        if draft is None or draft.state == DraftState.IN_REVIEW:
            return redirect("desk:question-detail", question.pk)
        form = DocumentForm(data_of(draft.document), base=draft.document, topics=topics_of(choices))
        return _page(request, question, form, choices, now=now, revision=draft.revision)
    revision = number_of(request, "revision")
    form = read_form(request, draft_text(question.pk, revision), choices)
    problem, status = "", UNPROCESSABLE
    if not form.errors:
        try:
            saved = save_draft(
                question_id=question.pk, document=form.document, revision=revision, by=person, now=now
            )
        except DraftChanged as refusal:
            return conflict_page(request, question, form, revision, refusal)
        except SlugTaken as refusal:
            form.errors["slug"] = str(refusal)
        except Refusal as refusal:
            problem, status = str(refusal), CONFLICT
        else:
            return _saved(request, saved)
    return _page(request, question, form, choices, now=now, revision=revision, status=status, problem=problem)


@require_POST
@account_required
@may_curate
def question_check(request: HtmxRequest, person: User, question_id: int | None = None) -> HttpResponse:
    """What is said of the text as it stands in the form, and how candidates would see it. Writes nothing."""
    question = None if question_id is None else desk_question(question_id)
    revision, choices = number_of(request, "revision"), filter_choices()
    form = read_form(request, draft_text(question.pk, revision) if question else {}, choices)
    part = "#checked" if request.htmx else ""
    return _page(request, question, form, choices, now=read_clock(), revision=revision, part=part)


def _page(
    request: HtmxRequest,
    question: Question | None,
    form: DocumentForm,
    choices: FilterChoices,
    *,
    now: datetime,
    revision: int = 0,
    status: int = 200,
    problem: str = "",
    part: str = "",
) -> HttpResponse:
    # A form nobody wrote in yet has nothing to be found in.
    findings = draft_findings(question, form.document, now) if form.data else []
    said = said_of(form, findings, measures(form.document))
    page = {
        "section": "desk",
        "question": question,
        "draft": draft_of(question) if question else None,
        "form": boxes_of(form, said, choices.topics),
        "errors": form.errors,
        "said": said,
        "preview": preview_of(form.document),
        "topic": dict(topics_of(choices)).get(str(form.document.get("topic")), ""),
        "packs": choices.packs,
        "category": _category(form.document),
        "revision": revision,
        "key": "" if question else _key(request) or uuid4().hex,
        "problem": problem,
    }
    return render(request, f"bank/desk/edit.html{part}", page, status=status)


def _key(request: HtmxRequest) -> str:
    """What tells this form of a new question from another, so that pressing twice makes one; '' if unsaid."""
    key = request.POST.get("key", "")
    return key if re.fullmatch(r"[0-9a-f]{32}", key) else ""


def _saved(request: HtmxRequest, draft: Draft) -> HttpResponse:
    """On to the form again, or to handing in."""
    if request.POST.get("act") == "submit":
        return redirect("desk:question-submit", draft.question_id)
    messages.success(request, f"Saved as revision {draft.revision}.")
    return redirect("desk:question-edit", draft.question_id)


def _category(document: Document) -> str:
    path = document.get("category")
    return " / ".join(str(part) for part in path) if isinstance(path, list) else str(path or "")

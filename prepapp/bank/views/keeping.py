"""One question at the desk: its state, its history, and what is done to it outside of its text."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import localdate
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.access import desk_question, draft_of, draft_revision, question_version
from prepapp.bank.actions import (
    confirm_facts,
    delete_question,
    discard_draft,
    open_draft,
    restore_questions,
    retire_questions,
)
from prepapp.bank.actions.bulk import own_questions
from prepapp.bank.comparison import compare
from prepapp.bank.forms.review import NoteForm, OwnerForm
from prepapp.bank.models import Question
from prepapp.bank.queries import version_documents
from prepapp.bank.queries.desk import desk_people, log_of, revisions_of, versions_of
from prepapp.bank.queries.documents import draft_text
from prepapp.bank.refusals import Refusal
from prepapp.bank.views.doors import may_curate, may_publish
from prepapp.bank.views.merging import number_of
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest

CONFLICT = 409
UNPROCESSABLE = 422


@require_safe
@account_required
@may_curate
def question_detail(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    return _page(request, desk_question(question_id))


@require_POST
@account_required
@may_curate
def question_open(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Opens a draft of the published text, if there is none."""
    question = desk_question(question_id)
    open_draft(question_id=question.pk, by=person, now=read_clock())
    return redirect("desk:question-edit", question.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@account_required
@may_curate
def question_discard(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Asks, then ends the draft; a question that was never published is deleted with it."""
    question = desk_question(question_id)
    draft = draft_of(question)
    if draft is None:
        return redirect("desk:question-detail", question.pk)
    if request.method != "POST":
        return render(request, "bank/desk/discard.html", {"section": "desk", "question": question})
    is_published = question.current_version_id is not None
    discard = discard_draft if is_published else delete_question
    try:
        discard(question_id=question.pk, revision=number_of(request, "revision"), by=person, now=read_clock())
    except Refusal as refusal:
        return _page(request, question, problem=str(refusal))
    messages.success(request, f"“{draft.title or question.slug}” is gone; the history keeps its text.")
    if is_published:
        return redirect("desk:question-detail", question.pk)
    return redirect("desk:home")


@require_POST
@account_required
@may_publish
def question_retire(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Takes a published question out of use."""
    question, form = desk_question(question_id), NoteForm(request.POST)
    if not form.is_valid():
        return _page(request, question, note_form=form, status=UNPROCESSABLE)
    note = form.cleaned_data["note"]
    if not retire_questions(question_ids=[question.pk], note=note, by=person, now=read_clock()):
        return _page(request, question, problem="Only a published question can be retired.")
    messages.success(request, "Retired. It stays in every history and is asked no more.")
    return redirect("desk:question-detail", question.pk)


@require_POST
@account_required
@may_publish
def question_restore(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Takes a retired question into use again."""
    question, form = desk_question(question_id), NoteForm(request.POST)
    if not form.is_valid():
        return _page(request, question, note_form=form, status=UNPROCESSABLE)
    note = form.cleaned_data["note"]
    if not restore_questions(question_ids=[question.pk], note=note, by=person, now=read_clock()):
        return _page(request, question, problem="Only a retired question can be taken up again.")
    messages.success(request, "Taken up again, as it was.")
    return redirect("desk:question-detail", question.pk)


@require_POST
@account_required
@may_curate
def question_checked(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Says that the facts of the published text were checked today."""
    question, now = desk_question(question_id), read_clock()
    try:
        confirm_facts(question_id=question.pk, today=localdate(now), by=person, now=now)
    except Refusal as refusal:
        return _page(request, question, problem=str(refusal))
    messages.success(request, "Noted: the facts were checked today.")
    return redirect("desk:question-detail", question.pk)


@require_POST
@account_required
@may_curate
def question_owner(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """Gives the question an owner, or none."""
    question, form = desk_question(question_id), OwnerForm(request.POST, people=desk_people())
    if not form.is_valid():
        return _page(request, question, owner_form=form, status=UNPROCESSABLE)
    own_questions(question_ids=[question.pk], owner=form.person, by=person, now=read_clock())
    messages.success(request, f"{form.person or 'Nobody'} looks after it now.")
    return redirect("desk:question-detail", question.pk)


@require_safe
@account_required
@may_curate
def question_revision(request: HtmxRequest, person: User, question_id: int, number: int) -> HttpResponse:
    """What a revision of the draft changed."""
    question, revision = desk_question(question_id), draft_revision(question_id, number)
    page = {
        "section": "desk",
        "question": question,
        "revision": revision,
        "changes": compare(draft_text(question.pk, number - 1), revision.document),
        "is_first": number == 1,
    }
    return render(request, "bank/desk/revision.html", page)


@require_safe
@account_required
@may_curate
def question_versioned(request: HtmxRequest, person: User, question_id: int, number: int) -> HttpResponse:
    """What a published version changed against the one before it."""
    question, version = desk_question(question_id), question_version(question_id, number)
    older = [row.pk for row in versions_of(question) if row.number < number][:1]
    documents = version_documents([version.pk, *older])
    page = {
        "section": "desk",
        "question": question,
        "version": version,
        "changes": compare(documents[older[0]] if older else {}, documents[version.pk]),
        "is_first": not older,
    }
    return render(request, "bank/desk/revision.html", page)


def _page(
    request: HtmxRequest,
    question: Question,
    *,
    problem: str = "",
    owner_form: OwnerForm | None = None,
    note_form: NoteForm | None = None,
    status: int = 0,
) -> HttpResponse:
    draft, version = draft_of(question), question.current_version
    page = {
        "section": "desk",
        "question": question,
        "title": (draft and draft.title) or (version and version.title) or question.slug,
        "draft": draft,
        "owner_form": owner_form or OwnerForm(people=desk_people(), initial={"owner": question.owner_id}),
        "note_form": note_form or NoteForm(),
        "versions": versions_of(question),
        "revisions": revisions_of(question),
        "log": log_of(question),
        "problem": problem,
    }
    return render(request, "bank/desk/question.html", page, status=status or (CONFLICT if problem else 200))

"""A draft as a candidate meets it: asked with a clock and a box, then self-graded. Nothing is stored."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.access import desk_question, draft_of
from prepapp.bank.forms import AnswerForm
from prepapp.bank.models import Question
from prepapp.bank.queries import current_documents
from prepapp.bank.queries.duplicates import find_alike
from prepapp.bank.queries.preview import preview_of
from prepapp.bank.transfer.document import Document
from prepapp.bank.views.doors import may_curate
from prepapp.common.requests import HtmxRequest


@require_http_methods(["GET", "HEAD", "POST"])
@account_required
@may_curate
def question_try(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """The question as in the room; sent, the answer beside the rubric."""
    question = desk_question(question_id)
    document = _text(question)
    form = AnswerForm(request.POST or None, label_suffix="")
    is_answered = request.method == "POST" and form.is_valid()
    page = {
        "section": "desk",
        "question": question,
        "preview": preview_of(document),
        "form": form,
        "text": form.cleaned_data["text"] if is_answered else request.POST.get("text", ""),
        "limit": settings.ANSWER_MAX_CHARACTERS,
    }
    if is_answered:
        return render(request, "bank/desk/try_graded.html", page)
    return render(request, "bank/desk/try.html", page, status=422 if request.method == "POST" else 200)


@require_safe
@account_required
@may_curate
def question_alike(request: HtmxRequest, person: User, question_id: int) -> HttpResponse:
    """The questions that are most like this one, each beside it."""
    question = desk_question(question_id)
    document = _text(question)
    page = {
        "section": "desk",
        "question": question,
        "mine": document,
        "alike": find_alike(document, question.pk),
    }
    part = "#alike" if request.htmx else ""
    return render(request, f"bank/desk/alike.html{part}", page)


def _text(question: Question) -> Document:
    """Of the draft, else the published one."""
    draft = draft_of(question)
    return draft.document if draft else current_documents([question]).get(question.pk, {})

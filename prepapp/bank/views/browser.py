"""Pages of the question browser. Curation has views of its own."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import push_url

from prepapp.accounts.access import candidate_of
from prepapp.bank.access import published_question, published_question_with_answer, why_closed
from prepapp.bank.forms import AnswerForm, QuestionFilterForm
from prepapp.bank.models import QUESTION_ORDER
from prepapp.bank.queries import answer_of, filter_choices, find_questions
from prepapp.common.clock import read_clock
from prepapp.common.pagination import keyset_page
from prepapp.common.requests import HtmxRequest


@require_safe
def question_list(request: HtmxRequest) -> HttpResponse:
    choices = filter_choices()
    form = QuestionFilterForm(request.GET, choices=choices, label_suffix="")
    found = find_questions(form.wanted())
    cursor = request.GET.get("cursor", "")
    page = {
        "section": "questions",
        "form": form,
        "query": form.query(),
        "count": found.count(),
        "page": keyset_page(found.as_rows(), QUESTION_ORDER, cursor=cursor),
        "disclaimer": choices.disclaimers.get(form.cleaned_data.get("pack", ""), ""),
    }
    if not request.htmx:
        return render(request, "bank/question_list.html", page)
    response = render(request, "bank/question_list.html#results", page)
    address = "&".join(part for part in (form.query(), f"cursor={cursor}" if cursor else "") if part)
    return push_url(response, f"{reverse('bank:question-list')}{'?' if address else ''}{address}")


@require_safe
def question_detail(request: HtmxRequest, slug: str) -> HttpResponse:
    page = {"section": "questions", "question": published_question(slug), "form": AnswerForm(label_suffix="")}
    return render(request, "bank/question_detail.html", page)


@require_POST
def question_answer(request: HtmxRequest, slug: str) -> HttpResponse:
    """Shows the answer to a reader who says they have tried. Nothing is stored."""
    question = published_question_with_answer(slug)
    form = AnswerForm(request.POST, label_suffix="")
    page = {"section": "questions", "question": question, "form": form}
    status = 200
    if not form.is_valid():
        status = 422
    elif closed := why_closed(candidate_of(request), question.pk, read_clock()):
        page["closed"], status = closed, 409
    else:
        page["answer"], page["text"] = answer_of(question), form.cleaned_data["text"]
    template = "bank/question_detail.html#answer" if request.htmx else "bank/question_detail.html"
    return render(request, template, page, status=status)

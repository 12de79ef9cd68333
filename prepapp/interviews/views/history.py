"""The past: the list of attempts, one of them as it was, two side by side, again, or gone."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import push_url

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.interviews import timing
from prepapp.interviews.access import get_attempt
from prepapp.interviews.actions.finish import close_overdue_of
from prepapp.interviews.actions.history import StillRunning, delete_attempt, retake_attempt, retake_plan
from prepapp.interviews.actions.start import find_started
from prepapp.interviews.forms import CompareForm, HistoryForm, RetakeForm
from prepapp.interviews.logbook.comparison import compare_answers
from prepapp.interviews.logbook.listing import (
    count_attempts,
    history_choices,
    history_page,
    history_rows,
    score_trend,
    time_used,
)
from prepapp.interviews.logbook.review import NoSuchGrading, review_of
from prepapp.interviews.queries import starts_since
from prepapp.interviews.refusals import NotStarted
from prepapp.interviews.views.starting import renew_session, say_if_another_runs


@require_safe
@candidate_required
def history(request: HtmxRequest, candidate: User) -> HttpResponse:
    """Every attempt, filtered, in pages. What is overdue is closed first, so that the first look and the
    second say the same."""
    now = read_clock()
    close_overdue_of(user=candidate, now=now)
    form = HistoryForm(request.GET, choices=None if request.htmx else history_choices())
    page: dict[str, Any] = {"section": "history", "form": form, "now": now, "query": _query(request)}
    if form.is_valid():
        wanted = form.wanted()
        cursor = request.GET.get("cursor", "")
        page["page"] = history_page(candidate, wanted, cursor=cursor)
        page["rows"] = history_rows(page["page"].items, now, _attempt_addresses())
        page["count"] = count_attempts(candidate, wanted)
        page["trend"] = [] if cursor else score_trend(candidate, wanted, now)
    template = "interviews/history.html#results" if request.htmx else "interviews/history.html"
    response = render(request, template, page, status=200 if form.is_valid() else 422)
    return push_url(response, _address(request)) if request.htmx else response


@require_safe
@candidate_required
def review(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """The attempt as it was asked and answered; `?grading=2` shows it with that grading."""
    now = read_clock()
    close_overdue_of(user=candidate, now=now)
    attempt = get_attempt(candidate, attempt_id)
    if attempt.is_running:
        return redirect("interviews:attempt", attempt.pk)
    wanted = request.GET.get("grading", "")
    if wanted and not (wanted.isascii() and wanted.isdigit() and len(wanted) < 6):
        raise Http404("no such grading")
    try:
        found = review_of(attempt, int(wanted) if wanted else None, now)
    except NoSuchGrading as error:
        raise Http404("no such grading") from error
    page = {
        "section": "history",
        "attempt": attempt,
        "review": found,
        "time_used": time_used(attempt),
        "plan": timing.time_plan(attempt.minutes, attempt.time_allowance) if attempt.is_mock else "",
        "start_key": uuid4(),
        "now": now,
    }
    return render(request, "interviews/review.html", page)


@require_safe
@candidate_required
def compare(request: HtmxRequest, candidate: User) -> HttpResponse:
    """Two attempts at one question side by side, the older one first."""
    form = CompareForm(request.GET)
    if not form.is_valid():
        raise Http404("nothing to compare")
    now = read_clock()
    close_overdue_of(user=candidate, now=now)
    attempts = [get_attempt(candidate, form.cleaned_data[name]) for name in ("a", "b")]
    before, after = sorted(attempts, key=lambda attempt: (attempt.started_at, attempt.pk))
    if running := next((attempt for attempt in attempts if attempt.is_running), None):
        return redirect("interviews:attempt", running.pk)
    comparison = compare_answers(before, after, form.cleaned_data["question"], now)
    if comparison is None:
        raise Http404("not asked in both")
    page = {
        "section": "history",
        "comparison": comparison,
        "before": before,
        "after": after,
        "now": now,
    }
    return render(request, "interviews/compare.html", page)


@require_POST
@candidate_required
def retake(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """The same interview again, with the same questions."""
    now = read_clock()
    original = get_attempt(candidate, attempt_id)
    form = RetakeForm(request.POST)
    if not form.is_valid():
        return _refuse(request, "That button was too old. Open the interview again and press it there.", 422)
    key = form.cleaned_data["start_key"]
    if starts_since(candidate, now) >= settings.STARTS_PER_HOUR and not find_started(
        candidate, retake_plan(original), original.mode, key, now
    ):
        return _refuse(
            request, "You started many interviews within an hour. Take a break and try again.", 429
        )
    try:
        done = retake_attempt(user=candidate, original=original, start_key=key, now=now)
    except NotStarted as reason:
        return _refuse(request, str(reason), 409)
    renew_session(request)
    say_if_another_runs(request, done.attempt, key)
    if done.is_this_start and done.replaced:
        questions = "1 question was" if done.replaced == 1 else f"{done.replaced} questions were"
        messages.info(request, f"{questions} retired since and replaced by another.")
    return redirect("interviews:attempt", done.attempt.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@candidate_required
def attempt_delete(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """Asks first, then deletes. Afterwards the address is 404 like any unknown one."""
    now = read_clock()
    close_overdue_of(user=candidate, now=now)
    attempt = get_attempt(candidate, attempt_id)
    page: dict[str, Any] = {"section": "history", "attempt": attempt, "now": now}
    if request.method == "POST":
        try:
            delete_attempt(attempt=attempt)
        except StillRunning as reason:
            page["problem"] = str(reason)
            return render(request, "interviews/delete.html", page, status=409)
        messages.success(request, f"“{attempt.title}” was deleted with its answers and marks.")
        return redirect("interviews:history")
    return render(request, "interviews/delete.html", page)


def _attempt_addresses() -> Callable[[UUID], str]:
    """The address of an attempt by its id. Reversed once, since a list has one in each row."""
    nobody = UUID(int=0)
    before, after = reverse("interviews:attempt", args=[nobody]).split(str(nobody))
    return lambda attempt_id: f"{before}{attempt_id}{after}"


def _query(request: HtmxRequest) -> str:
    """The filters that are set, as they stand in an address; the page itself left out."""
    return urlencode([(name, value) for name, value in request.GET.items() if value and name != "cursor"])


def _address(request: HtmxRequest) -> str:
    """This page's address without what is empty."""
    query = urlencode([(name, value) for name, value in request.GET.items() if value])
    return f"{reverse('interviews:history')}{'?' if query else ''}{query}"


def _refuse(request: HtmxRequest, reason: str, status: int) -> HttpResponse:
    return render(
        request, "interviews/start_refused.html", {"reason": reason, "section": "history"}, status=status
    )

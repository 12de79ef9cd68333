"""The result of a closed grading. Not here: the grading itself (`views.grading`), the attempt as it was
asked and answered (`views.history`)."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.interviews import scoring, timing
from prepapp.interviews.access import get_attempt
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.choices import State
from prepapp.interviews.forms import GradingChoiceForm
from prepapp.interviews.gradebook import outcome, reads
from prepapp.interviews.gradebook.changes import changed_since
from prepapp.interviews.gradebook.held_back import held_back_questions
from prepapp.interviews.gradebook.rows import Answer
from prepapp.interviews.models import Attempt, Grading


@require_safe
@ensure_csrf_cookie
@candidate_required
def result(request: HttpRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """The newest closed grading, or the one that `?grading=` names."""
    attempt = get_attempt(candidate, attempt_id, related=("track",))
    now = read_clock()
    close_if_overdue(attempt=attempt, now=now)
    if attempt.state != State.GRADED:
        return redirect("interviews:attempt", attempt.pk)
    form = GradingChoiceForm(request.GET)
    gradings = reads.closed_gradings(attempt.pk)
    wanted = form.cleaned_data["grading"] if form.is_valid() else 0
    grading = next((found for found in gradings if wanted in {None, found.number}), None)
    if grading is None:
        raise Http404("no such grading")
    page = _page(attempt, grading, now) | {
        "section": "history",
        "attempt": attempt,
        "gradings": gradings,
        "is_newest": grading == gradings[0],
        "is_guest": candidate.is_guest,
        "start_key": uuid4(),
    }
    return render(request, "interviews/result.html", page)


def _page(attempt: Attempt, grading: Grading, now: datetime) -> dict[str, Any]:
    answers = reads.graded_answers(attempt.pk, grading.pk)
    topics = outcome.by_topic(answers, is_mock=attempt.is_mock)
    calibrated = outcome.calibration(answers)
    musts = _musts(attempt, answers, now)
    changed = changed_since([answer.response for answer in answers], attempt.user_id, now)
    return {
        "grading": grading,
        "score": None if grading.score is None else scoring.score_text(grading.score),
        "band": None if grading.score is None else scoring.band_of(grading.score),
        "answers": answers,
        "marked": [answer for answer in answers if answer.needs_marks],
        "topics": topics,
        "kinds": outcome.by_kind(answers, is_mock=attempt.is_mock),
        "musts": musts,
        "timings": outcome.timings(answers, attempt.time_allowance),
        "calibrated": calibrated,
        "said_more": sum(row.steps > 0 for row in calibrated),
        "said_less": sum(row.steps < 0 for row in calibrated),
        "shown": outcome.shown(answers),
        "lessons": [answer for answer in answers if answer.grade and answer.grade.fix_next],
        "changed": [
            (answer, changed[answer.response.pk])
            for answer in answers
            if answer.response.pk in changed
            and not changed[answer.response.pk].is_closed
            and answer.response.parent_position is None
        ],
        "weakest": outcome.weakest(topics, musts),
        "is_untimed": attempt.is_mock and attempt.time_allowance == TimeAllowance.UNTIMED,
        "plan": timing.time_plan(attempt.minutes, attempt.time_allowance) if attempt.is_mock else "",
        "hints": sum(answer.response.hints_shown for answer in answers),
    }


def _musts(attempt: Attempt, answers: list[Answer], now: datetime) -> list[outcome.MissedMust]:
    """The must-haves missed. Of a question that a running mock asks only that there are some: what they
    are would help with its answer."""
    found = outcome.missed_musts(answers, is_mock=attempt.is_mock)
    held_back = held_back_questions(attempt.user_id, now) if found else set()
    return [
        replace(missed, points=[]) if missed.answer.response.version.question_id in held_back else missed
        for missed in found
    ]

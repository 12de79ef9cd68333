"""The front page: the first mock for a visitor, the next step for somebody who has been here."""

from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.access import candidate_of
from prepapp.bank.queries import sample_question, tracks_with_counts
from prepapp.common.clock import read_clock
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.queries import attempts_to_grade, recent_attempts, running_attempts

# Enough to see what a point is; the rest stays a question.
SHOWN_POINTS = 2


@require_safe
@ensure_csrf_cookie
def front(request: HttpRequest) -> HttpResponse:
    now = read_clock()
    candidate = candidate_of(request)
    page = {"section": "practise", "tracks": tracks_with_counts(), "start_key": uuid4(), "now": now}
    if candidate is None:
        sample = sample_question(now.date())
        points = sample.current_version.main_points if sample else []
        page |= {
            "sample": sample,
            "sample_points": points[:SHOWN_POINTS],
            "hidden_points": len(points[SHOWN_POINTS:]),
        }
        return render(request, "interviews/front.html", page)
    running = running_attempts(candidate)
    if any([close_if_overdue(attempt=attempt, now=now) for attempt in running]):
        running = running_attempts(candidate)
    page["running"] = running
    page["to_grade"] = attempts_to_grade(candidate)
    page["recent"] = recent_attempts(candidate, 5)
    page["chosen_track"] = candidate.track
    page["level"] = candidate.level
    return render(request, "interviews/practise.html", page)

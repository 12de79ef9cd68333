"""The front page: the first mock for a visitor, the next step for somebody who has been here."""

from dataclasses import asdict
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.access import candidate_of
from prepapp.bank.queries import sample_question, tracks_with_counts
from prepapp.common.clock import read_clock
from prepapp.interviews.actions.finish import close_overdue_attempts
from prepapp.interviews.queries import attempts_to_grade, recent_attempts, running_attempts
from prepapp.interviews.timing import is_overdue

# Enough to see what a point is; the rest stays a question.
SHOWN_POINTS = 2


@require_safe
@ensure_csrf_cookie
def front(request: HttpRequest) -> HttpResponse:
    now = read_clock()
    candidate = candidate_of(request)
    page: dict[str, Any] = {"section": "practise", "tracks": _quick_starts()}
    if candidate is None:
        sample = sample_question(now.date())
        points = getattr(sample.current_version, "main_points", []) if sample else []
        page |= {
            "sample": sample,
            "sample_points": points[:SHOWN_POINTS],
            "hidden_points": len(points[SHOWN_POINTS:]),
        }
        return render(request, "interviews/front.html", page)
    running = running_attempts(candidate)
    grace = settings.INTERVIEW_GRACE_SECONDS
    if any(is_overdue(attempt.deadline_at, now, grace) for attempt in running):
        close_overdue_attempts(now=now, only=Q(user=candidate))
        running = running_attempts(candidate)
    page["running"] = running
    page["to_grade"] = attempts_to_grade(candidate)
    page["recent"] = recent_attempts(candidate, 5)
    page["chosen_track"] = candidate.track
    page["level"] = candidate.level
    return render(request, "interviews/practise.html", page)


def _quick_starts() -> list[dict[str, Any]]:
    """The tracks, each with a start key of its own: a press on one never finds what another made."""
    return [{**asdict(track), "start_key": uuid4()} for track in tracks_with_counts()]

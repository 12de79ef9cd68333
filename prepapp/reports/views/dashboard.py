"""The front page of a candidate: the next best thing to do, where they stand, what was last."""

from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from prepapp.accounts.models import User
from prepapp.interviews.actions.finish import close_overdue_attempts
from prepapp.interviews.queries import open_and_recent_attempts
from prepapp.interviews.timing import is_overdue
from prepapp.interviews.views.starting import quick_starts
from prepapp.reports.queries.dashboard import dashboard


def home(request: HttpRequest, candidate: User, now: datetime) -> HttpResponse:
    """Called by the front page through `CANDIDATE_HOME`. What is overdue is closed first, so that the first
    look and the second say the same."""
    attempts = open_and_recent_attempts(candidate)
    grace = settings.INTERVIEW_GRACE_SECONDS
    if any(attempt.is_running and is_overdue(attempt.deadline_at, now, grace) for attempt in attempts):
        close_overdue_attempts(now=now, only=Q(user=candidate))
        attempts = open_and_recent_attempts(candidate)
    board = dashboard(candidate, attempts, now)
    tracks = quick_starts(board.tracks)
    page = {
        "section": "practise",
        "board": board,
        "tracks": tracks,
        "own_track": next((track for track in tracks if track["code"] == candidate.track), None),
        "level": candidate.level,
        "start_key": uuid4(),
    }
    return render(request, "reports/dashboard.html", page)

"""The front page: the first mock for a visitor. Whoever has been here gets what `CANDIDATE_HOME` names."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.access import candidate_of
from prepapp.accounts.models import User
from prepapp.bank.queries import sample_question, tracks_with_counts
from prepapp.common.clock import read_clock
from prepapp.interviews.views.starting import quick_starts

# Draws the page of a candidate; the clock was read already.
Home = Callable[[HttpRequest, User, datetime], HttpResponse]
# Enough to see what a point is; the rest stays a question.
SHOWN_POINTS = 2


@require_safe
@ensure_csrf_cookie
def front(request: HttpRequest) -> HttpResponse:
    now = read_clock()
    candidate = candidate_of(request)
    if candidate is not None:
        home: Home = import_string(settings.CANDIDATE_HOME)
        return home(request, candidate, now)
    sample = sample_question(now.date())
    points = getattr(sample.current_version, "main_points", []) if sample else []
    page = {
        "section": "practise",
        "tracks": quick_starts(tracks_with_counts()),
        "sample": sample,
        "sample_points": points[:SHOWN_POINTS],
        "hidden_points": len(points[SHOWN_POINTS:]),
    }
    return render(request, "interviews/front.html", page)

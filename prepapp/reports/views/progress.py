"""The progress page: a topic over time, kinds and levels, missed must-haves, time against plan."""

from typing import Any
from uuid import uuid4

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.reports.queries.evidence import mastery_constants
from prepapp.reports.queries.progress import MOCKS, WEEKS, marking, missed_musts, practised, topic_course
from prepapp.reports.queries.standings import standings

# Topics to choose from before the rest is folded.
SHOWN_TOPICS = 8


@require_safe
@ensure_csrf_cookie
@candidate_required
def progress(request: HtmxRequest, candidate: User) -> HttpResponse:
    """`?topic=` chooses whose line is drawn; without one, or with one that has none, it is the neediest."""
    now = read_clock()
    measured = standings(candidate, now).measured
    wanted = request.GET.get("topic", "")
    chosen = next((topic for topic in measured if topic.topic == wanted), None)
    page: dict[str, Any] = {
        "section": "progress",
        "topics": measured[:SHOWN_TOPICS],
        "folded": measured[SHOWN_TOPICS:],
        "is_folded": chosen in measured[SHOWN_TOPICS:],
        "is_unmeasured": bool(wanted) and chosen is None,
        "chosen": chosen or next(iter(measured), None),
        "bar": mastery_constants().bar,
        "weeks": WEEKS,
        "mocks": MOCKS,
        "start_key": uuid4(),
    }
    if page["chosen"]:
        page["course"] = topic_course(candidate, page["chosen"].topic, page["chosen"].title, now)
    if request.htmx:
        return render(request, "reports/progress.html#over-time", page)
    page["marking"] = marking(candidate)
    if measured:
        page |= {"practised": practised(candidate), "musts": missed_musts(candidate, now)}
    return render(request, "reports/progress.html", page)

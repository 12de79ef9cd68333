"""What changed about a question since it was asked: a page, and the part that other pages open in place."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.interviews.access import get_attempt
from prepapp.interviews.logbook.changes import changed_text

CONFLICT = 409


@require_safe
@candidate_required
def changes(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """Old against new. 404 unless it changed and its answer was revealed; 409 while it is closed again."""
    attempt = get_attempt(candidate, attempt_id, related=())
    found = changed_text(attempt, position, read_clock())
    if found is None:
        raise Http404("nothing has changed there")
    page = {
        "section": "history",
        "attempt": attempt,
        "position": position,
        "version": found.response.version,
        "changed": found.changed,
        "changes": found.fields,
    }
    template = "interviews/changes.html#changes" if request.htmx else "interviews/changes.html"
    return render(request, template, page, status=CONFLICT if found.changed.is_closed else 200)

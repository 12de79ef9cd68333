"""Ending an interview: a last look at what is empty, then hand it in, or give it up."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.interviews import timing
from prepapp.interviews.access import get_attempt
from prepapp.interviews.actions.finish import abandon_attempt, close_if_overdue, finish_attempt
from prepapp.interviews.choices import Ending, State
from prepapp.interviews.queries import read_map, shown

# Said when the button comes second: after another device, the deadline, or the same button.
ENDED_BEFORE: dict[str, str] = {
    Ending.FINISHED: "This interview had already been handed in. Nothing was changed.",
    Ending.DEADLINE: "Time was up: this interview was handed in at its deadline, with what had been saved.",
    Ending.ABANDONED: "This interview had been given up. It cannot be handed in any more.",
}


@require_http_methods(["GET", "HEAD", "POST"])
@ensure_csrf_cookie
@candidate_required
def finish(request: HttpRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    attempt = get_attempt(candidate, attempt_id, related=())
    now = read_clock()
    if request.method == "POST":
        if "time_is_up" in request.POST and not timing.is_over(attempt.deadline_at, now):
            # Sent by the page, not by the person: more time was given meanwhile.
            return redirect("interviews:attempt", attempt.pk)
        if not finish_attempt(attempt=attempt, now=now):
            messages.info(request, ENDED_BEFORE[attempt.ending])
        next_page = "grade" if attempt.state == State.GRADING else "attempt"
        return redirect(f"interviews:{next_page}", attempt.pk)
    if close_if_overdue(attempt=attempt, now=now) or not attempt.is_running:
        return redirect("interviews:attempt", attempt.pk)
    entries = shown(read_map(attempt.pk), 0)
    left = timing.seconds_left(attempt.deadline_at, now)
    page = {
        "attempt": attempt,
        "map": entries,
        "empty": [entry for entry in entries if not entry.is_answered],
        "flagged": [entry for entry in entries if entry.is_flagged],
        "left": left,
        "left_text": "" if left is None else timing.clock_text(int(left)),
    }
    return render(request, "interviews/finish.html", page)


@require_POST
@candidate_required
def abandon(request: HttpRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    attempt = get_attempt(candidate, attempt_id, related=())
    if not abandon_attempt(attempt=attempt, now=read_clock()):
        messages.info(request, ENDED_BEFORE[attempt.ending])
    return redirect("interviews:attempt", attempt.pk)

"""The address of an attempt: leads to the room, the grading or the result, whichever is due."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.interviews.access import get_attempt
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.choices import State
from prepapp.interviews.queries import resume_position


@require_safe
@candidate_required
def attempt(request: HttpRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    found = get_attempt(candidate, attempt_id, related=())
    close_if_overdue(attempt=found, now=read_clock())
    if found.state == State.RUNNING:
        return redirect("interviews:room", found.pk, resume_position(found.pk))
    if found.state == State.GRADING:
        return redirect("interviews:grade", found.pk)
    if found.state == State.GRADED:
        return redirect("interviews:result", found.pk)
    return redirect("interviews:review", found.pk)

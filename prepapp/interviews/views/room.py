"""The room: one question at a time, a clock, and answers that are never lost."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from prepapp.accounts.access import candidate_of
from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.decorators import candidate_required, rate_limited
from prepapp.accounts.models import User
from prepapp.bank.queries import asked_text
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.interviews import timing
from prepapp.interviews.access import get_attempt
from prepapp.interviews.actions.answers import (
    add_time,
    clean_answer,
    flag_answer,
    leave_answer,
    save_answer,
    show_hint,
)
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.forms import GoForm, SaveForm
from prepapp.interviews.gradebook.reads import answer_is_held_back
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.queries import MapEntry, asked_response, hints, leaving_matters, read_map, shown
from prepapp.interviews.recipes import Phase, read_recipe
from prepapp.interviews.refusals import (
    AnswerTooLong,
    AttemptClosed,
    HeldBack,
    NotAsked,
    Refusal,
    RevisionConflict,
    UnreadableText,
)

STATUS_OF: dict[type[Refusal], int] = {
    AnswerTooLong: 422,
    UnreadableText: 422,
    RevisionConflict: 409,
    NotAsked: 409,
    AttemptClosed: 409,
    HeldBack: 409,
}


@require_safe
@ensure_csrf_cookie
@candidate_required
def room(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    attempt = get_attempt(candidate, attempt_id, related=("blueprint",))
    now = read_clock()
    if close_if_overdue(attempt=attempt, now=now) or not attempt.is_running:
        return redirect("interviews:attempt", attempt.pk)
    return _room(request, attempt, position, now)


@require_POST
@rate_limited(as_json=True)
def save(request: HtmxRequest, attempt_id: UUID, position: int) -> HttpResponse:
    """Autosave. Answers in JSON, because the page keeps its own state line and its text box."""
    candidate = candidate_of(request)
    if candidate is None:
        sign_in = f"{reverse('account_login')}?next={reverse('interviews:room', args=[attempt_id, position])}"
        return JsonResponse({"problem": "signed-out", "sign_in": sign_in}, status=401)
    form = SaveForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"problem": "unreadable", "message": _unreadable(form)}, status=422)
    try:
        saved = save_answer(
            user=candidate,
            attempt_id=attempt_id,
            position=position,
            text=clean_answer(form.cleaned_data["text"]),
            revision=form.cleaned_data["revision"],
            spent=form.cleaned_data["spent"],
            now=read_clock(),
        )
    except Response.DoesNotExist as error:
        raise Http404("no such answer") from error
    except RevisionConflict as conflict:
        answer = {"problem": "conflict", "revision": conflict.revision, "text": conflict.text}
        return JsonResponse(answer, status=409)
    except Refusal as refusal:
        return JsonResponse({"problem": "refused", "message": str(refusal)}, status=STATUS_OF[type(refusal)])
    return JsonResponse({"revision": saved.revision, "at": saved.saved_at.timestamp(), "late": saved.is_late})


@require_POST
@rate_limited(labels={"text": "Your answer"})
@candidate_required
def go(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """Saves, then moves: the form of the room, with script and without."""
    attempt = get_attempt(candidate, attempt_id, related=("blueprint",))
    now = read_clock()
    form = GoForm(request.POST)
    if not form.is_valid():
        typed = request.POST.get("text")
        return _room(request, attempt, position, now, typed=typed, problem=_unreadable(form))
    choice = form.cleaned_data
    is_late = False
    try:
        if choice["unchanged"]:
            add_time(attempt=attempt, position=position, spent=choice["spent"])
        else:
            is_late = save_answer(
                user=candidate,
                attempt_id=attempt_id,
                position=position,
                text=clean_answer(choice["text"]),
                revision=choice["revision"],
                spent=choice["spent"],
                now=now,
            ).is_late
    except Response.DoesNotExist as error:
        raise Http404("no such answer") from error
    except Refusal as refusal:
        typed = choice["text"]
        return _room(request, attempt, position, now, typed=typed, problem=str(refusal), refusal=refusal)
    if close_if_overdue(attempt=attempt, now=now) or is_late or not attempt.is_running:
        return _leave(request, reverse("interviews:attempt", args=[attempt.pk]))
    wish = choice["go"]
    squares = read_map(attempt.pk)
    if wish != "stay" and leaving_matters(squares, position, is_skipped=wish == "skip"):
        leave_answer(attempt=attempt, position=position, is_skipped=wish == "skip", now=now)
        squares = read_map(attempt.pk)
    if wish == "finish":
        return _leave(request, reverse("interviews:finish", args=[attempt.pk]))
    return _arrive(request, attempt, _target(squares, position, wish), now, squares)


@require_POST
@rate_limited()
@candidate_required
def flag(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """Sets or clears 'come back to this'; swaps the bottom bar only, never the text box."""
    attempt = get_attempt(candidate, attempt_id, related=())
    if close_if_overdue(attempt=attempt, now=read_clock()) or not attempt.is_running:
        return _leave(request, reverse("interviews:attempt", args=[attempt.pk]))
    if not flag_answer(attempt=attempt, position=position, is_flagged=request.POST.get("flag") == "1"):
        raise Http404("no such question")
    if not request.htmx:
        return redirect("interviews:room", attempt.pk, position)
    return render(request, "interviews/room.html#room-bar", _bar(attempt, position))


@require_POST
@rate_limited()
@candidate_required
def hint(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """One more hint, in practice only."""
    attempt = get_attempt(candidate, attempt_id, related=())
    response = asked_response(attempt.pk, position)
    if response is None or attempt.is_mock:
        raise Http404("no hints here")
    if not attempt.is_running:
        return _leave(request, reverse("interviews:attempt", args=[attempt.pk]))
    now = read_clock()
    if answer_is_held_back(response.pk, now):
        if request.htmx:
            return render(request, "interviews/components/hints_held_back.html", status=409)
        refusal = HeldBack()
        return _room(request, attempt, position, now, problem=str(refusal), refusal=refusal)
    show_hint(attempt=attempt, position=position, available=len(hints(response, 99, now)))
    if not request.htmx:
        return redirect("interviews:room", attempt.pk, position)
    response.refresh_from_db(fields=["hints_shown"])
    page = {"attempt": attempt, "response": response, "hints": hints(response, response.hints_shown, now)}
    return render(request, "interviews/room.html#hints", page)


@require_safe
@rate_limited(as_json=True)
@candidate_required
def clock(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """What is left, as the server sees it; the page asks now and then and after a sleep."""
    attempt = get_attempt(candidate, attempt_id, related=())
    now = read_clock()
    close_if_overdue(attempt=attempt, now=now)
    left = timing.seconds_left(attempt.deadline_at, now)
    return JsonResponse({"left": left, "running": attempt.is_running})


def _room(
    request: HtmxRequest,
    attempt: Attempt,
    position: int,
    now: datetime,
    *,
    typed: str | None = None,
    problem: str = "",
    refusal: Refusal | None = None,
    squares: list[MapEntry] | None = None,
) -> HttpResponse:
    response = asked_response(attempt.pk, position)
    if response is None:
        raise Http404("no such question")
    # Without a clock there is nothing to stretch.
    allowance = attempt.time_allowance if attempt.is_mock else TimeAllowance.NORMAL
    page = (
        _bar(attempt, position, squares)
        | _clock(attempt, now)
        | {
            "response": response,
            "question": asked_text(response.version_id, response.follow_up_id),
            "text": response.text if typed is None else typed,
            "problem": problem,
            "conflict": refusal if isinstance(refusal, RevisionConflict) else None,
            "limit": settings.ANSWER_MAX_CHARACTERS,
            "hints": hints(response, response.hints_shown, now) if response.hints_shown else [],
            "planned": timing.planned_minutes(response.minutes, allowance),
            "guide_minutes": timing.planned_minutes(attempt.minutes, allowance),
            "guide": [
                (timing.planned_minutes(phase.minutes, allowance), phase.text) for phase in _guide(attempt)
            ],
        }
    )
    template = "interviews/room.html#room" if request.htmx else "interviews/room.html"
    status = STATUS_OF[type(refusal)] if refusal else 422 if problem else 200
    return render(request, template, page, status=status)


def _guide(attempt: Attempt) -> Sequence[Phase]:
    """How the time may be spent. The recipe is read as it is now and only helps: one that this release
    cannot read must not shut a room that runs."""
    if attempt.blueprint is None:
        return ()
    try:
        return read_recipe(attempt.blueprint.recipe).guide
    except ValueError:
        return ()


def _bar(attempt: Attempt, position: int, squares: list[MapEntry] | None = None) -> dict[str, Any]:
    entries = shown(read_map(attempt.pk) if squares is None else squares, position)
    positions = [entry.position for entry in entries]
    return {
        "attempt": attempt,
        "map": entries,
        "current": next((entry for entry in entries if entry.is_current), None),
        "total": max((entry.label for entry in entries if not entry.is_follow_up), key=int, default="1"),
        "has_previous": bool(positions) and position > positions[0],
    }


def _clock(attempt: Attempt, now: datetime) -> dict[str, Any]:
    left = timing.seconds_left(attempt.deadline_at, now)
    return {
        "left": left,
        "left_text": "" if left is None else timing.clock_text(int(left)),
        "plan": timing.time_plan(attempt.minutes, attempt.time_allowance)
        if attempt.is_mock
        else "practice, no clock",
        "is_stretched": left is not None and attempt.time_allowance != TimeAllowance.NORMAL,
    }


def _target(squares: list[MapEntry], position: int, wish: str) -> int | None:
    """The position to show; None past the last question."""
    positions = [square.position for square in squares if square.is_asked]
    if wish == "stay":
        return position
    if wish in {"next", "skip"}:
        return next((found for found in positions if found > position), None)
    if wish == "previous":
        return next((found for found in reversed(positions) if found < position), positions[0])
    return int(wish) if int(wish) in positions else position


def _arrive(
    request: HtmxRequest, attempt: Attempt, position: int | None, now: datetime, squares: list[MapEntry]
) -> HttpResponse:
    if position is None:
        return _leave(request, reverse("interviews:finish", args=[attempt.pk]))
    if not request.htmx:
        return redirect("interviews:room", attempt.pk, position)
    page = _room(request, attempt, position, now, squares=squares)
    page.headers["HX-Push-Url"] = reverse("interviews:room", args=[attempt.pk, position])
    return page


def _leave(request: HtmxRequest, url: str) -> HttpResponse:
    """To another screen. Inside htmx the whole page moves, so that no screen lands in a panel."""
    if not request.htmx:
        return redirect(url)
    return HttpResponse(status=204, headers={"HX-Redirect": url})


def _unreadable(form: SaveForm) -> str:
    """What was wrong with the request, in one sentence."""
    if any("null characters" in str(error).lower() for error in form.errors.get("text", [])):
        return "The answer holds a character that cannot be stored (NUL). Remove it and save again."
    return "The save could not be read. Your text stays on this page; reload it and try again."

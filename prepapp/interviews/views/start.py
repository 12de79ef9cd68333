"""Choosing and starting an interview."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from prepapp.accounts.access import candidate_of, guest_id_for, remember_guest
from prepapp.accounts.models import User
from prepapp.bank.choices import Level
from prepapp.bank.models import Track
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.interviews.actions.start import (
    Plan,
    blueprint_plan,
    custom_plan,
    drill_plan,
    find_started,
    start_as_guest,
    start_attempt,
)
from prepapp.interviews.choices import Mode
from prepapp.interviews.forms import ChooseForm, CustomForm, DrillForm, StartForm
from prepapp.interviews.models import Attempt, Blueprint
from prepapp.interviews.queries import (
    drill_blueprint,
    drill_topics,
    offers,
    starts_since,
    topic_session,
)
from prepapp.interviews.refusals import NotStarted, TooManyStarts
from prepapp.interviews.views.starting import renew_session, say_if_another_runs


@require_safe
@ensure_csrf_cookie
def start(request: HtmxRequest) -> HttpResponse:
    """The formats of a track at a level, each with what the bank can give."""
    candidate = candidate_of(request)
    form = ChooseForm(request.GET)
    form.is_valid()
    tracks = list(Track.objects.all())
    track = form.cleaned_data.get("track") or _usual_track(candidate, tracks)
    level = form.cleaned_data.get("level") or (candidate.level if candidate else Level.INTERMEDIATE)
    page = {
        "section": "practise",
        "tracks": tracks,
        "track": track,
        "level": level,
        "levels": Level.choices,
        "mode": form.cleaned_data.get("mode") or Mode.MOCK,
        "offers": offers(candidate, {item.code: item.title for item in tracks}, track.code, level)
        if track
        else [],
        "allowance": candidate.time_allowance if candidate else "1.00",
    }
    template = "interviews/start.html#formats" if request.htmx else "interviews/start.html"
    return render(request, template, page)


@require_POST
def start_new(request: HtmxRequest) -> HttpResponse:
    """One press of a start button."""
    now = read_clock()
    form = StartForm(request.POST)
    if not form.is_valid():
        return refuse(request, "That interview is not offered any more. Choose another one.", 422)
    choice = form.cleaned_data
    plan = blueprint_plan(choice["blueprint"], choice["track"].code, choice["level"])
    return begin(request, plan, choice["mode"], choice["start_key"], now)


@require_http_methods(["GET", "HEAD", "POST"])
@ensure_csrf_cookie
def drill(request: HtmxRequest) -> HttpResponse:
    """The topics of a track to choose from; a press on one, here or on any page, starts its drill."""
    now = read_clock()
    candidate = candidate_of(request)
    blueprint = drill_blueprint()
    if request.method == "POST":
        return _start_drill(request, candidate, blueprint, now)
    tracks = list(Track.objects.all())
    choice = ChooseForm(request.GET)
    choice.is_valid()
    track = choice.cleaned_data.get("track") or _usual_track(candidate, tracks)
    page = {
        "section": "practise",
        "blueprint": blueprint,
        "track": track,
        "tracks": tracks,
        "topics": drill_topics(track.code, blueprint.minutes) if track and blueprint else [],
        "start_key": uuid4(),
    }
    template = "interviews/drill.html#topics" if request.htmx else "interviews/drill.html"
    return render(request, template, page)


@require_http_methods(["GET", "HEAD", "POST"])
@ensure_csrf_cookie
def custom(request: HtmxRequest) -> HttpResponse:
    """An interview put together by hand."""
    now = read_clock()
    candidate = candidate_of(request)
    data = request.POST if request.method == "POST" else None
    tracks = list(Track.objects.all())
    wanted = (data or request.GET).get("track", "")
    track = next((found for found in tracks if found.code == wanted), _usual_track(candidate, tracks))
    level = request.GET.get("level") or (candidate.level if candidate else Level.INTERMEDIATE)
    initial: dict[str, Any] = {"track": track, "start_key": uuid4(), "level": level}
    if topics := request.GET.getlist("topics"):
        initial |= {"topics": topics} | topic_session(candidate, track.code if track else "", topics)
    initial |= {name: request.GET[name] for name in ("count", "minutes", "mode") if name in request.GET}
    form = CustomForm(data, track=track.code if track else "", initial=initial)
    status = 200 if form.is_valid() or data is None else 422
    if request.method == "POST" and form.is_valid():
        choice = form.cleaned_data
        topics = [topic.code for topic in choice["topics"]]
        plan = custom_plan(choice["track"].code, topics, choice["level"], choice["count"], choice["minutes"])
        try:
            return begin(request, plan, choice["mode"], choice["start_key"], now, quietly=False)
        except NotStarted as reason:
            form.add_error(None, str(reason))
            status = 429 if isinstance(reason, TooManyStarts) else 422
    page = {"section": "practise", "form": form, "track": track, "tracks": tracks}
    page["problems"] = [*form.non_field_errors(), *form["track"].errors, *form["start_key"].errors]
    # A key that could not be read would fail again.
    page["start_key"] = uuid4() if form["start_key"].errors else form["start_key"].value()
    template = "interviews/custom.html#custom-form" if request.htmx else "interviews/custom.html"
    return render(request, template, page, status=status)


def _start_drill(
    request: HtmxRequest, candidate: User | None, blueprint: Blueprint | None, now: datetime
) -> HttpResponse:
    form = DrillForm(request.POST)
    if blueprint is None or not form.is_valid():
        return refuse(request, "That drill is not offered any more. Choose another interview.", 422)
    topic = form.cleaned_data["topic"]
    level = candidate.level if candidate else Level.INTERMEDIATE
    plan = drill_plan(
        user=candidate, blueprint=blueprint, topic=(topic.pk, topic.title), level=level, now=now
    )
    return begin(request, plan, Mode.MOCK, form.key(), now)


def begin(
    request: HtmxRequest, plan: Plan, mode: str, start_key: UUID, now: datetime, *, quietly: bool = True
) -> HttpResponse:
    """Starts what was planned and goes there. A refusal is a page, or with `quietly` off an exception."""
    try:
        attempt = _start(request, plan, mode, start_key, now)
    except NotStarted as refusal:
        if not quietly:
            raise
        return refuse(request, str(refusal), 429 if isinstance(refusal, TooManyStarts) else 409)
    renew_session(request)
    say_if_another_runs(request, attempt, start_key)
    if attempt.started_at == now:
        if attempt.reason:
            messages.info(request, attempt.reason)
        return redirect("interviews:room", attempt.pk, 1)
    return redirect("interviews:attempt", attempt.pk)


def _start(request: HtmxRequest, plan: Plan, mode: str, start_key: UUID, now: datetime) -> Attempt:
    """The attempt of the candidate, or of the guest that this makes of a visitor. NotStarted if neither."""
    candidate, seed = candidate_of(request), _seed(start_key)
    if candidate is None:
        if not ratelimit.consume(request, action="guest"):
            raise TooManyStarts("Too many interviews were started from your network. Try again later.")
        attempt = start_as_guest(
            guest_id=guest_id_for(request, start_key),
            plan=plan,
            mode=mode,
            start_key=start_key,
            seed=seed,
            now=now,
        )
        remember_guest(request, attempt.user)
        return attempt
    if starts_since(candidate, now) >= settings.STARTS_PER_HOUR and not find_started(
        candidate, plan, mode, start_key, now
    ):
        raise TooManyStarts("You started many interviews within an hour. Take a break and try again.")
    return start_attempt(user=candidate, plan=plan, mode=mode, start_key=start_key, seed=seed, now=now)


def refuse(request: HtmxRequest, reason: str, status: int) -> HttpResponse:
    """The page that says why nothing was started."""
    return render(
        request, "interviews/start_refused.html", {"reason": reason, "section": "practise"}, status=status
    )


def _usual_track(candidate: User | None, tracks: list[Track]) -> Track | None:
    wanted = candidate.track if candidate else ""
    return next((track for track in tracks if track.code == wanted), tracks[0] if tracks else None)


def _seed(start_key: UUID) -> int:
    """A number that fits a signed 64-bit column; the same start draws the same questions."""
    return start_key.int & ((1 << 62) - 1)

"""The preferences page, and the short form of it after the first sign-in."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.module_loading import import_string
from django.views.decorators.http import require_http_methods

from prepapp.accounts.actions import save_preferences
from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.cookies import THEME_COOKIE, TIME_ZONE_COOKIE, YEAR, set_readable_cookie
from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.forms.preferences import AboutYouForm, PreferencesForm
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock


@require_http_methods(["GET", "HEAD", "POST"])
@candidate_required
def preferences(request: HttpRequest, candidate: User) -> HttpResponse:
    form = PreferencesForm(_data(request), person=candidate, **_surroundings(request, read_clock()))
    if request.method == "POST" and form.is_valid():
        save_preferences(person=candidate, values=form.cleaned_data)
        messages.success(request, "Your preferences are saved.")
        reply = redirect("accounts:preferences")
        set_readable_cookie(request, reply, THEME_COOKIE, candidate.theme, YEAR)
        return reply
    page = {"form": form, "allowances": TimeAllowance.choices}
    return render(request, "accounts/preferences.html", page, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def about_you(request: HttpRequest) -> HttpResponse:
    person = request.user
    assert isinstance(person, User)
    form = AboutYouForm(_data(request), person=person, **_surroundings(request, read_clock()))
    home = resolve_url(settings.LOGIN_REDIRECT_URL)
    if request.method == "POST" and form.is_valid():
        save_preferences(person=person, values=form.cleaned_data)
        return redirect(home)
    page = {"form": form, "home": home}
    return render(request, "accounts/about_you.html", page, status=422 if form.errors else 200)


def _data(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _surroundings(request: HttpRequest, now: datetime) -> dict[str, Any]:
    """What the forms need besides the person: the tracks there are, the time, the browser's zone."""
    return {
        "tracks": import_string(settings.TRACK_CHOICES)(),
        "now": now,
        "guess": request.COOKIES.get(TIME_ZONE_COOKIE, ""),
    }

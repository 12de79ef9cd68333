"""Doors of views: who may enter at all, and how often."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme

from prepapp.accounts.access import candidate_of
from prepapp.accounts.models import User
from prepapp.accounts.views.limits import refuse_for_now
from prepapp.common.clock import read_stopwatch
from prepapp.common.rate_limit import Buckets
from prepapp.common.requests import HtmxRequest

View = Callable[..., HttpResponseBase]

_buckets = Buckets()


def candidate_required(view: View) -> View:
    """Passes the candidate (signed in, or a guest with work in this session) as second argument.

    Everybody else is sent to sign in and comes back afterwards.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        candidate = candidate_of(request)
        if candidate is None:
            return redirect_to_login(_way_back(request))
        return view(request, candidate, *args, **kwargs)

    return guarded


def account_required(view: View) -> View:
    """Passes the signed-in person as second argument. Everybody else, guests too, is sent to sign in and
    comes back afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return redirect_to_login(_way_back(request))
        return view(request, request.user, *args, **kwargs)

    return guarded


def rate_limited(*, as_json: bool = False, labels: Mapping[str, str] | None = None) -> Callable[[View], View]:
    """Lets a candidate through to this view no more often than `RATE_LIMIT_BURST` at once and
    `RATE_LIMIT_PER_MINUTE` after that, in this process; then 429. No query and no cache: what keeps an
    answer safe may depend on neither (ADR 12).

    The arguments are those of `refuse_for_now`. Whoever is nobody is left to the view, which lets them do
    nothing.
    """

    def limit(view: View) -> View:
        @wraps(view)
        def limited(request: HtmxRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            candidate = candidate_of(request)
            wait = candidate and _buckets.take(
                (view.__name__, candidate.pk),
                burst=settings.RATE_LIMIT_BURST,
                per_minute=settings.RATE_LIMIT_PER_MINUTE,
                now=read_stopwatch(),
            )
            if wait:
                return refuse_for_now(request, wait, as_json=as_json, labels=labels)
            return view(request, *args, **kwargs)

        return limited

    return limit


def _way_back(request: HttpRequest) -> str:
    """The page to return to after signing in: where a form was sent from, since its own address takes
    no reading."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    came_from = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(came_from, {request.get_host()}, request.is_secure()):
        return "/"
    return urlsplit(came_from).path

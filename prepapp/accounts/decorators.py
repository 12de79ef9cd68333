"""Doors of views: who may enter at all."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme

from prepapp.accounts.access import candidate_of

View = Callable[..., HttpResponseBase]


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


def _way_back(request: HttpRequest) -> str:
    """The page to return to after signing in: where a form was sent from, since its own address takes
    no reading."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    came_from = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(came_from, {request.get_host()}, request.is_secure()):
        return "/"
    return urlsplit(came_from).path

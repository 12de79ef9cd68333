"""Doors of views: who may enter at all."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase

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
            return redirect_to_login(request.get_full_path())
        return view(request, candidate, *args, **kwargs)

    return guarded

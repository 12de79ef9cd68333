"""The answers to too many requests. allauth finds the page as `handler429` of the root addresses; what one
person does too often is refused by `decorators.rate_limited`."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from prepapp.common.requests import HtmxRequest

RETRY_AFTER_SECONDS = 60
MESSAGE = "Too many requests within a short time, so nothing was changed. Try again in a moment."


def too_many_requests(request: HttpRequest) -> HttpResponse:
    page = {"seconds": RETRY_AFTER_SECONDS}
    return _wait(render(request, "accounts/too_many_requests.html", page, status=429), RETRY_AFTER_SECONDS)


def refuse_for_now(
    request: HtmxRequest, seconds: int, *, as_json: bool = False, labels: Mapping[str, str] | None = None
) -> HttpResponse:
    """To be tried again in `seconds`. A form that was sent without script comes back with everything that
    was in it: the page is not stored, so going back would show the form as it was before. `labels` names
    the fields that a person types."""
    if as_json:
        return _wait(JsonResponse({"problem": "too-many", "message": MESSAGE}, status=429), seconds)
    if request.htmx:
        return _wait(HttpResponse(MESSAGE, status=429), seconds)
    page = {"seconds": seconds, "address": request.path, "fields": _fields(request, labels or {})}
    return _wait(render(request, "accounts/too_many_requests.html", page, status=429), seconds)


def _fields(request: HttpRequest, labels: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(name, label or '', value) of each field that was sent; the page has a token of its own."""
    return [
        (name, labels.get(name, ""), value)
        for name, values in request.POST.lists()
        if name != "csrfmiddlewaretoken"
        for value in values
    ]


def _wait(reply: HttpResponse, seconds: int) -> HttpResponse:
    reply.headers["Retry-After"] = str(seconds)
    return reply

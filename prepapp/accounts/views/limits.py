"""The answer to too many requests from one place. allauth finds it as `handler429` of the root addresses."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

RETRY_AFTER_SECONDS = 60


def too_many_requests(request: HttpRequest) -> HttpResponse:
    reply = render(request, "accounts/too_many_requests.html", status=429)
    reply.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return reply

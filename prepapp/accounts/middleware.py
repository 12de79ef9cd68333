"""The time zone that dates are shown in, per request."""

import zoneinfo
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from prepapp.accounts.access import candidate_of
from prepapp.accounts.cookies import TIME_ZONE_COOKIE

GetResponse = Callable[[HttpRequest], HttpResponse]


class PersonMiddleware:
    """Activates the zone the person confirmed, else the one the browser reported, else UTC."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with timezone.override(_zone(request)):
            return self.get_response(request)


def _zone(request: HttpRequest) -> zoneinfo.ZoneInfo:
    reported = request.COOKIES.get(TIME_ZONE_COOKIE, "")
    person = candidate_of(request)
    if person and (person.is_time_zone_confirmed or not reported):
        reported = person.time_zone
    try:
        return zoneinfo.ZoneInfo(reported or "UTC")
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return zoneinfo.ZoneInfo("UTC")

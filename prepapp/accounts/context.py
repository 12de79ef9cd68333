"""What page templates need to know about the person."""

from django.conf import settings
from django.http import HttpRequest

from prepapp.accounts.access import candidate_of
from prepapp.accounts.choices import Theme
from prepapp.accounts.cookies import THEME_COOKIE


def person(request: HttpRequest) -> dict[str, object]:
    """`candidate`: user, guest or None. `theme`: light, dark or empty (follow the device).

    What was chosen on this device comes first, then what the person chose on any other.
    """
    candidate = candidate_of(request)
    theme = request.COOKIES.get(THEME_COOKIE, "")
    if theme not in Theme.values and candidate:
        theme = candidate.theme
    return {
        "candidate": candidate,
        "theme": theme if theme in {Theme.LIGHT, Theme.DARK} else "",
        "csrf_cookie_name": settings.CSRF_COOKIE_NAME,
    }

"""The cookies that hold a visitor's preferences. They carry nothing secret: every value is checked when
read, and a forged one changes only what its owner sees."""

from django.http import HttpRequest, HttpResponse

TIME_ZONE_COOKIE = "time_zone"
THEME_COOKIE = "theme"
# Guest and account of a claim, for the browser to give the guest's drafts to the account; see answers.js.
CLAIM_COOKIE = "claimed"

YEAR = 365 * 24 * 3600
DAY = 24 * 3600


def set_readable_cookie(
    request: HttpRequest, reply: HttpResponse, name: str, value: str, max_age: int
) -> None:
    """A cookie that scripts of the page may read."""
    reply.set_cookie(name, value, max_age=max_age, samesite="Lax", secure=request.is_secure())

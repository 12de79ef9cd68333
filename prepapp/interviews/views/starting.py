"""What pages with start buttons have in common, and what a start and a retake have towards the person who
pressed. Not here: what is started (`actions.start`)."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format

from prepapp.bank.queries import TrackSize
from prepapp.interviews.models import Attempt


def quick_starts(tracks: Iterable[TrackSize]) -> list[dict[str, Any]]:
    """The tracks, each with a start key of its own: a press on one never finds what another made."""
    return [{**asdict(track), "start_key": uuid4()} for track in tracks]


def renew_session(request: HttpRequest) -> None:
    """Gives the session its full age from now, so that it never ends in the middle of an interview. A guest
    has nothing but the session to come back with."""
    request.session.set_expiry(settings.SESSION_COOKIE_AGE)


def say_if_another_runs(request: HttpRequest, attempt: Attempt, start_key: UUID) -> None:
    """Says so when the press led to an interview that another start made. A repeat of the same press has
    the same key and says nothing."""
    if attempt.start_key == start_key:
        return
    began = date_format(timezone.localtime(attempt.started_at), "j M, H:i")
    messages.info(
        request,
        f"“{attempt.title}” of {began} is still running, so here it is. "
        "Hand it in or give it up, then start another.",
    )

"""Finds a person's own rows from ids in an address, or answers 404. A foreign id and an unknown id are
the same to the outside."""

from uuid import UUID

from django.http import Http404

from prepapp.accounts.models import User
from prepapp.interviews.models import Attempt


def get_attempt(
    user: User, attempt_id: UUID, *, related: tuple[str, ...] = ("track", "blueprint")
) -> Attempt:
    """The person's attempt with the rows named in `related`. Http404 if it is not theirs."""
    attempts = Attempt.objects.for_user(user)
    if related:
        attempts = attempts.select_related(*related)
    attempt = attempts.filter(pk=attempt_id).first()
    if attempt is None:
        raise Http404("no such attempt")
    return attempt

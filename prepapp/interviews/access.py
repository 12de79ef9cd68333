"""Finds a person's own rows from ids in an address, or answers 404. A foreign id and an unknown id are
the same to the outside."""

from functools import cache
from uuid import UUID

from django.db.models import UUIDField
from django.http import Http404

from prepapp.accounts.models import User
from prepapp.common.statements import Kept
from prepapp.interviews.models import Attempt, AttemptQuerySet


def get_attempt(
    user: User, attempt_id: UUID, *, related: tuple[str, ...] = ("track", "blueprint")
) -> Attempt:
    """The person's attempt with the rows named in `related`. Http404 if it is not theirs."""
    attempt = _own_attempt(related).first(user=user.pk, attempt=attempt_id)
    if attempt is None:
        raise Http404("no such attempt")
    return attempt


@cache
def _own_attempt(related: tuple[str, ...]) -> Kept[Attempt]:
    def build(user: UUID, attempt: UUID) -> AttemptQuerySet:
        own = Attempt.objects.filter(user=user, pk=attempt)
        return own.select_related(*related) if related else own

    return Kept(build, user=UUIDField(), attempt=UUIDField())

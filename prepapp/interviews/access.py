"""Finds a person's own rows from ids in an address, or answers 404. A foreign id and an unknown id are
the same to the outside."""

from functools import cache
from uuid import UUID

from django.db.models import Q, UUIDField
from django.http import Http404
from django.shortcuts import get_object_or_404

from prepapp.accounts.models import User
from prepapp.bank.models import SampleAnswer
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


def get_sample(user: User, sample_id: int) -> SampleAnswer:
    """A sample answer that is offered, or that the person has marked before, with its question's topic and
    the meaning of its version. Http404 otherwise."""
    offered, marked = SampleAnswer.objects.offered(), SampleAnswer.objects.filter(gradings__user=user)
    seen = SampleAnswer.objects.filter(Q(pk__in=offered.values("pk")) | Q(pk__in=marked.values("pk")))
    shown = seen.select_related("question", "version").only(
        "level", "position", "answer", "question__topic", "version__meaning"
    )
    return get_object_or_404(shown, pk=sample_id)

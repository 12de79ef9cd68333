"""A kept query says what the same query says when it is built anew, whatever the values; on every database."""

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    UUIDField,
)
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext
from zeal.errors import NPlusOneError

from prepapp.common.statements import Kept
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, Response
from tests.factories.interviews import STARTED_AT, AttemptFactory

pytestmark = pytest.mark.django_db


def test_columns_come_as_the_fields_give_them() -> None:
    made = [AttemptFactory(state=State.GRADED, mode=mode) for mode in Mode]

    def build(user: object) -> QuerySet:
        columns = (
            "has_score",
            "score",
            "id",
            "blueprint__recipe",
            "started_at",
            "finished_at",
            "user__is_staff",
            "title",
        )
        has_score = ExpressionWrapper(Q(score__isnull=False), output_field=BooleanField())
        return Attempt.objects.filter(user=user).annotate(has_score=has_score).values_list(*columns)

    kept = Kept(build, user=UUIDField())
    for attempt in made:
        anew = list(build(attempt.user_id))
        assert [tuple(row) for row in kept.rows(user=attempt.user_id)] == anew
        assert anew[0][0] is True
        assert isinstance(anew[0][1], Decimal)
        assert anew[0][2] == attempt.pk
        assert anew[0][6] is False
    assert kept.rows(user=uuid4()) == []


def test_objects_come_with_relations_and_annotations() -> None:
    made = AttemptFactory(responses=3, responses__follow_ups=1)

    def build(attempt: object, asked: object) -> QuerySet:
        later = Response.objects.filter(attempt=OuterRef("attempt"), position__gt=OuterRef("position"))
        return (
            Response.objects.filter(attempt=attempt, asked_at__lte=asked)
            .select_related("attempt__user", "follow_up", "version__question")
            .annotate(topic=F("version__question__topic__title"), has_more=Exists(later))
            .defer("text")
            .order_by("-position")
        )

    kept = Kept(build, attempt=UUIDField(), asked=DateTimeField())
    anew, found = list(build(made.pk, STARTED_AT)), kept.all(attempt=made.pk, asked=STARTED_AT)
    assert [each.position for each in found] == [each.position for each in anew] == [6, 5, 4, 3, 2, 1]
    with CaptureQueriesContext(connection) as none:
        for one, other in zip(found, anew, strict=True):
            assert one.get_deferred_fields() == other.get_deferred_fields() == {"text"}
            for name in ("attempt", "attempt.user", "follow_up", "version", "version.question"):
                assert _follow(one, name) == _follow(other, name)
            assert (one.topic, one.has_more, one.asked_at) == (other.topic, other.has_more, other.asked_at)
            assert one._state.db == "default"
            assert not one._state.adding
    assert not none.captured_queries
    assert kept.all(attempt=made.pk, asked=STARTED_AT - timedelta(seconds=1)) == []
    assert kept.first(attempt=uuid4(), asked=STARTED_AT) is None


def test_a_loop_that_loads_row_by_row_is_found_out() -> None:
    made = AttemptFactory(responses=3)
    kept = Kept(lambda attempt: Response.objects.filter(attempt=attempt), attempt=UUIDField())
    found = kept.all(attempt=made.pk)
    assert len(found) == 3
    with pytest.raises(NPlusOneError):
        assert [response.version for response in found]


def test_it_is_put_together_once_and_runs_each_time() -> None:
    built = []

    def build(title: object) -> QuerySet:
        built.append(title)
        return Attempt.objects.filter(title=title).order_by("id")[:1]

    kept = Kept(build, title=CharField())
    AttemptFactory(title="one")
    assert kept.first(title="two") is None
    two = AttemptFactory(title="two")
    with CaptureQueriesContext(connection) as sent:
        assert kept.first(title="two") == two
        assert kept.first(title="two' OR ''='") is None
    assert len(sent) == 2
    assert len(built) == 1


@pytest.mark.django_db(transaction=True)
def test_a_lock_needs_a_transaction_every_time() -> None:
    made = AttemptFactory()
    kept = Kept(lambda pk: Attempt.objects.select_for_update().filter(pk=pk), pk=UUIDField())
    with transaction.atomic():
        assert kept.first(pk=made.pk) == made
    if connection.features.has_select_for_update:
        with pytest.raises(TransactionManagementError):
            kept.first(pk=made.pk)


def _follow(found: object, path: str) -> object:
    for name in path.split("."):
        found = getattr(found, name)
    return found

"""Every row on exactly one page, whatever is equal, and a foreign cursor is refused."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from django.db.models import DecimalField, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf

from prepapp.accounts.models import User
from prepapp.bank.models import Question, Topic, Track, TrackTopic
from prepapp.common.pagination import BadCursor, keyset_page
from tests.factories.bank import TopicFactory, TrackFactory, create_questions

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, 0, 0, 123_456, tzinfo=UTC)


def walk(queryset: QuerySet, order: tuple[str, ...], size: int = 20) -> list[list]:
    """All pages forward; on the way every page is reached backwards as well and must be the same."""
    pages = [keyset_page(queryset, order, size=size)]
    assert pages[0].previous == ""
    while pages[-1].next:
        pages.append(keyset_page(queryset, order, cursor=pages[-1].next, size=size))
    for before, page in pairwise(pages):
        assert keyset_page(queryset, order, cursor=page.previous, size=size).items == before.items
    return [page.items for page in pages]


@pytest.mark.parametrize(
    "order", [("created_at", "id"), ("-created_at", "-id"), ("-created_at", "id"), ("created_at", "-ref")]
)
def test_equal_values_come_once_each(order: tuple[str, ...]) -> None:
    made = create_questions(45)
    pages = walk(Question.objects.all(), order)
    assert [len(page) for page in pages] == [20, 20, 5]
    assert [row for page in pages for row in page] == list(Question.objects.order_by(*order))
    assert len(made) == 45


@pytest.mark.parametrize("order", [("-date_joined", "-id"), ("date_joined", "-id")])
def test_instants_a_microsecond_apart_and_uuids(order: tuple[str, ...]) -> None:
    User.objects.bulk_create(
        User(is_guest=True, date_joined=NOW + timedelta(microseconds=n // 3)) for n in range(30)
    )
    pages = walk(User.objects.all(), order, size=4)
    assert [row for page in pages for row in page] == list(User.objects.order_by(*order))


def test_decimals_and_nulls_through_an_annotation() -> None:
    track = TrackFactory()
    for n in range(12):
        topic = TopicFactory()
        TrackTopic.objects.create(track=track, topic=topic, weight=Decimal(n // 3 + 1) / 8)
    blank = NullIf("weight", Value(Decimal("0.25"), output_field=DecimalField()))
    rows = TrackTopic.objects.filter(track=track).annotate(
        score=Coalesce(blank, Value(Decimal(-1)), output_field=DecimalField(max_digits=8, decimal_places=6))
    )
    pages = walk(rows, ("-score", "id"), size=5)
    assert [row.pk for page in pages for row in page] == list(
        rows.order_by("-score", "id").values_list("pk", flat=True)
    )


def test_fields_behind_a_relation() -> None:
    for topic in (TopicFactory(position=2), TopicFactory(position=1)):
        create_questions(7, topic=topic)
    order = ("-topic__position", "ref")
    pages = walk(Question.objects.select_related("topic"), order, size=3)
    assert [row for page in pages for row in page] == list(Question.objects.order_by(*order))


def test_rows_that_come_in_between_shift_nothing() -> None:
    create_questions(6, topic=TopicFactory(code="b.b"))
    first = keyset_page(Question.objects.all(), ("ref",), size=3)
    create_questions(2, topic=TopicFactory(code="a.a"))
    second = keyset_page(Question.objects.all(), ("ref",), cursor=first.next, size=3)
    assert not {row.pk for row in first.items} & {row.pk for row in second.items}
    assert len(second.items) == 3
    assert second.next == ""


@pytest.mark.parametrize("exactly", [0, 1, 3])
def test_the_last_page_offers_no_next(exactly: int) -> None:
    create_questions(exactly)
    page = keyset_page(Question.objects.all(), ("ref",), size=3)
    assert (len(page.items), page.next, page.previous) == (exactly, "", "")


def test_a_page_whose_rows_are_gone_is_empty() -> None:
    TrackFactory.create_batch(4)
    first = keyset_page(Track.objects.all(), ("code",), size=3)
    Track.objects.exclude(code__in=[row.code for row in first.items]).delete()
    page = keyset_page(Track.objects.all(), ("code",), cursor=first.next, size=3)
    assert (page.items, page.next, page.previous) == ([], "", "")


def test_foreign_and_broken_cursors_are_refused() -> None:
    create_questions(4)
    cursor = keyset_page(Question.objects.all(), ("ref",), size=3).next
    for bad in ("x", cursor[:-1], f"{cursor}x", "W10:1abc:d", "\0", "é" * 5000):
        with pytest.raises(BadCursor):
            keyset_page(Question.objects.all(), ("ref",), cursor=bad, size=3)
    with pytest.raises(BadCursor):
        keyset_page(Question.objects.all(), ("-ref",), cursor=cursor, size=3)
    with pytest.raises(BadCursor):
        keyset_page(Topic.objects.all(), ("ref",), cursor=cursor, size=3)


def test_a_null_key_is_a_mistake_of_ours() -> None:
    User.objects.bulk_create(User(is_guest=True) for _ in range(3))
    with pytest.raises(ValueError, match="email is null"):
        keyset_page(User.objects.all(), ("email", "id"), size=2)


def test_a_page_is_one_query(django_assert_num_queries) -> None:
    create_questions(5)
    with django_assert_num_queries(1):
        cursor = keyset_page(Question.objects.all(), ("ref",), size=2).next
    with django_assert_num_queries(1):
        keyset_page(Question.objects.all(), ("ref",), cursor=cursor, size=2)

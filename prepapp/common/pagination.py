"""Pages of a list by position, not by number: a page costs the same wherever it is, and rows that come or
go between two requests neither repeat nor disappear.

Here: `keyset_page` for any QuerySet with a total order, `first_page` for rows read elsewhere. Not here:
filters, links, templates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core import signing
from django.core.exceptions import BadRequest
from django.db.models import Model, Q, QuerySet

Row = TypeVar("Row", bound=Model)

PAGE_SIZE = 20
_FORWARD, _BACK = "f", "b"

# What JSON cannot hold, by a letter of its own. Instants keep their microseconds.
_CODECS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    datetime: ("t", datetime.isoformat, datetime.fromisoformat),
    date: ("d", date.isoformat, date.fromisoformat),
    Decimal: ("n", str, Decimal),
    UUID: ("u", str, UUID),
}
_DECODERS = {letter: decode for letter, _, decode in _CODECS.values()}


class BadCursor(BadRequest):
    """The cursor was not made for this list: answered with 400 wherever it is not caught."""


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Some rows in order, and the cursors of the pages beside them ('' where there is none)."""

    items: list[Row]
    next: str
    previous: str


def keyset_page(
    queryset: QuerySet[Row], order: Sequence[str], *, cursor: str = "", size: int = PAGE_SIZE
) -> Page[Row]:
    """The page at `cursor`; the first one without. One query of `size` + 1 rows.

    `order` is written as for `order_by`, directions may be mixed: ("-started_at", "-id"). Together its
    fields must be unique and none may be null (order by a `Coalesce` annotation instead); those behind a
    relation need a `select_related`. BadCursor if the cursor is not one of this model and order.
    """
    keys = _keys(order)
    back, values = _read(cursor, _salt(queryset.model, order), len(keys)) if cursor else (False, [])
    if back:
        queryset = queryset.order_by(*(name if descending else f"-{name}" for name, descending in keys))
    else:
        queryset = queryset.order_by(*order)
    if values:
        queryset = queryset.filter(_beyond(keys, values, back))
    rows = list(queryset[: size + 1])
    if not values:
        return first_page(rows, order, size=size)
    has_more, items = len(rows) > size, rows[:size]
    if back:
        items.reverse()
    # Where one came from there is something, even if its rows are gone by now.
    has_next, has_previous = (True, has_more) if back else (has_more, True)
    return Page(
        items=items,
        next=_write(_FORWARD, items[-1], order) if has_next and items else "",
        previous=_write(_BACK, items[0], order) if has_previous and items else "",
    )


def first_page(rows: Sequence[Row], order: Sequence[str], *, size: int = PAGE_SIZE) -> Page[Row]:
    """The page without a cursor, of rows that were read elsewhere: in this order, one more than shown."""
    items = list(rows[:size])
    return Page(items=items, next=_write(_FORWARD, items[-1], order) if len(rows) > size else "", previous="")


def _keys(order: Sequence[str]) -> list[tuple[str, bool]]:
    return [(name.removeprefix("-"), name.startswith("-")) for name in order]


def _salt(model: type[Model], order: Sequence[str]) -> str:
    return f"{__name__}:{model._meta.label}:{','.join(order)}"


def _beyond(keys: Sequence[tuple[str, bool]], values: Sequence[Any], back: bool) -> Q:
    """Rows that come after these values in the order; before them with `back`."""
    lookups = ["lt" if descending != back else "gt" for _, descending in keys]
    (first, _), first_value = keys[0], values[0]
    after = Q()
    equal: dict[str, Any] = {}
    for (name, _), lookup, value in zip(keys, lookups, values, strict=True):
        after |= Q(**equal, **{f"{name}__{lookup}": value})
        equal[name] = value
    # Implied by what follows; a plain range is what lets an index on the first field be used.
    return Q(**{f"{first}__{lookups[0]}e": first_value}) & after


def _write(direction: str, row: Model, order: Sequence[str]) -> str:
    values = [_encode(name, attrgetter(name.replace("__", "."))(row)) for name, _ in _keys(order)]
    return signing.dumps([direction, *values], salt=_salt(type(row), order))


def _read(cursor: str, salt: str, length: int) -> tuple[bool, list[Any]]:
    try:
        direction, *values = signing.loads(cursor, salt=salt)
    except signing.BadSignature as error:
        raise BadCursor("This part of the list cannot be found. Start again from its first page.") from error
    if len(values) != length:
        raise BadCursor("This part of the list cannot be found. Start again from its first page.")
    return direction == _BACK, [_decode(value) for value in values]


def _encode(name: str, value: Any) -> Any:
    if value is None:
        raise ValueError(f"{name} is null: a list cannot be paged by it")
    codec = _CODECS.get(type(value))
    return [codec[0], codec[1](value)] if codec else value


def _decode(value: Any) -> Any:
    return _DECODERS[value[0]](value[1]) if isinstance(value, list) else value

"""Queries that are put together once. Building a query and turning it into SQL costs several times what
running it does; the few that every request of an interview sends are therefore kept as SQL.

Here: `Kept`, for a QuerySet of which only values change from run to run. Not here: the queries, which stay
beside what they belong to, written for the ORM like any other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row", bound=Model)


class Given(Expression):
    """Stands in a kept query for a value that comes with each run, as the field stores it."""

    def __init__(self, field: "Field[Any, Any]", name: str) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]

    def stored(self, value: Any) -> Any:
        return self.output_field.get_db_prep_value(value, connection)


@dataclass(frozen=True)
class _Compiled:
    """The SQL with what is needed to read its rows. `read` is None where the query asks for plain columns."""

    sql: str
    parameters: tuple[Any, ...]
    converters: tuple[tuple[int, Any, Any], ...]
    locks: bool
    read: Callable[[list[Any]], Any] | None


class Kept(Generic[Row]):
    """A query that `build` makes from placeholders, one for each field named here, by its name.

    Everything but the values must be the same in every run: no lists to look in, no cursor, no None where a
    value is compared. Relations that are selected, annotations, locks and slices work as ever.
    """

    def __init__(self, build: Callable[..., "QuerySet[Row, Any]"], **fields: "Field[Any, Any]") -> None:
        self._build = build
        self._given = {name: Given(field, name) for name, field in fields.items()}
        self._known: _Compiled | None = None

    def rows(self, **values: Any) -> list[list[Any]]:
        """The columns of each row, in the order in which the query names them."""
        return _run(self._compiled(), values)

    def all(self, **values: Any) -> list[Row]:
        compiled = self._compiled()
        assert compiled.read is not None, "a query of columns has no objects"
        return [compiled.read(row) for row in _run(compiled, values)]

    def first(self, **values: Any) -> Row | None:
        """The first of the rows, None without any; the query itself should ask for no more."""
        return next(iter(self.all(**values)), None)

    def _compiled(self) -> _Compiled:
        if self._known is None:
            self._known = self._compile()
        return self._known

    def _compile(self) -> _Compiled:
        queryset = self._build(**self._given)
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, parameters = compiler.as_sql()
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        has_objects = compiler.klass_info and not queryset.query.values_select
        return _Compiled(
            sql=sql,
            parameters=tuple(parameters),
            converters=tuple(
                (position, convert, column)
                for position, (converts, column) in converters.items()
                for convert in converts
            ),
            locks=queryset.query.select_for_update and connection.features.has_select_for_update,
            read=_reader(compiler, queryset.db) if has_objects else None,
        )


def _run(compiled: _Compiled, values: dict[str, Any]) -> list[list[Any]]:
    if compiled.locks and connection.get_autocommit():
        raise TransactionManagementError("This query locks rows, so it needs a transaction.")
    parameters = [
        each.stored(values[each.name]) if isinstance(each, Given) else each for each in compiled.parameters
    ]
    with connection.cursor() as cursor:
        cursor.execute(compiled.sql, parameters)
        rows = [list(row) for row in cursor.fetchall()]
    for position, convert, column in compiled.converters:
        for row in rows:
            row[position] = convert(row[position], column, connection)
    return rows


def _reader(compiler: Any, alias: str) -> Callable[[list[Any]], Any]:
    """Makes objects of rows the way a QuerySet does."""
    info, select = compiler.klass_info, compiler.select
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column.target.attname for column, *_ in select[start:end]]
    related = get_related_populators(info, select, alias)  # type: ignore[call-arg]
    annotations = tuple(compiler.annotation_col_map.items())

    def read(row: list[Any]) -> Any:
        found = info["model"].from_db(alias, names, row[start:end])
        for each in related:
            each.populate(row, found)
        for name, position in annotations:
            setattr(found, name, row[position])
        return found

    return read

"""Reads named columns of tables from an SQLite database that came from a stranger.

The bytes are opened in memory, never as a file. Nothing of the database's own runs: only plain tables are
read, never views, virtual tables or columns that compute their content; a query that works too long stops.
Nothing is compared or sorted, so that collations which are not here (Anki has one) are not asked for.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

from prepapp.bank.transfer.readers.limits import MAX_UNPACKED

_MAGIC = b"SQLite format 3\0"
# Virtual machine steps between two looks, and looks before a query is stopped: seconds of work, where the
# largest collection that is taken needs a fraction of one.
_STEPS = 100_000
_LOOKS = 2_000
# Far more than the cards of any collection that is taken.
_MOST_ROWS = 200_000
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})

Rows = list[tuple[Any, ...]]


class Unreadable(ValueError):
    """`str()` continues a sentence that names the database."""


def read_tables(
    data: bytes, columns: Mapping[str, tuple[str, ...]], *, most_rows: Mapping[str, int]
) -> dict[str, Rows]:
    """The rows of each table, with these columns in this order; none for a table that is not there.

    At most one row more than `most_rows` says of the table. Text that is not UTF-8 comes as bytes.
    Unreadable if the bytes are no sound database.
    """
    if not data.startswith(_MAGIC) or len(data) < 100:
        raise Unreadable("is no database")
    connection = sqlite3.connect(":memory:")
    try:
        # A database in write-ahead mode cannot be opened without a second file; its content is the same.
        connection.deserialize(data[:18] + b"\x01\x01" + data[20:])
        _tame(connection)
        present = _plain_tables(connection).intersection(columns)
        for table in present:
            if any(hidden for *_, hidden in connection.execute(f'PRAGMA table_xinfo("{table}")')):
                raise Unreadable("has columns that compute their content")
        _lock(connection)
        found: dict[str, Rows] = {table: [] for table in columns}
        for table in present:
            found[table] = _rows(connection, table, columns[table], most_rows.get(table, _MOST_ROWS))
        return found
    except Unreadable:
        raise
    except (sqlite3.Error, OverflowError, ValueError) as error:
        raise Unreadable("is damaged or laid out in a way we do not know") from error
    finally:
        connection.close()


def _tame(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_UNPACKED)
    connection.text_factory = _text_or_bytes
    looks = iter(range(_LOOKS))
    connection.set_progress_handler(lambda: next(looks, None) is None, _STEPS)


def _plain_tables(connection: sqlite3.Connection) -> set[str]:
    """The tables with a page of their own, which views and virtual tables have not."""
    stored = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    return {name for (name,) in stored.fetchall()}


def _lock(connection: sqlite3.Connection) -> None:
    """From here on nothing but reading columns."""
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
    )


def _rows(connection: sqlite3.Connection, table: str, names: tuple[str, ...], most: int) -> Rows:
    # Both are constants of the caller.
    query = f'SELECT {", ".join(names)} FROM "{table}" LIMIT ?'  # noqa: S608
    rows: Rows = []
    size = 0
    for row in connection.execute(query, [most + 1]):
        # In a database made by hand cells may share their content: what is read can be more than was sent.
        size += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if size > MAX_UNPACKED:
            raise Unreadable(f"holds more than {MAX_UNPACKED // 1_000_000} MB of text")
        rows.append(row)
    return rows


def _text_or_bytes(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value

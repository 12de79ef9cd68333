"""Writes a table with one row per question, separated by commas or tabs.

UTF-8 with a byte order mark, without which spreadsheets take the letters for another encoding. Not here: what
stands in a cell (`cells`).
"""

import csv
import io
from collections.abc import Sequence

from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.writers.cells import COLUMNS, cells_of
from prepapp.bank.transfer.writers.unwritable import Unwritable


def write_csv(entries: Sequence[Entry]) -> bytes:
    """A table separated by commas. Unwritable if a text is longer than a cell that is read."""
    return _table(entries, ",")


def write_tsv(entries: Sequence[Entry]) -> bytes:
    """A table separated by tabs. Unwritable if a text is longer than a cell that is read."""
    return _table(entries, "\t")


def _table(entries: Sequence[Entry], separator: str) -> bytes:
    target = io.StringIO(newline="")
    # All in quotes: a spreadsheet that also takes semicolons for separators would part other cells, and run
    # what stands behind one.
    writer = csv.writer(target, delimiter=separator, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    writer.writerows(_texts(entry) for entry in entries)
    return target.getvalue().encode("utf-8-sig")


def _texts(entry: Entry) -> list[str]:
    cells = cells_of(entry)
    for column, text in cells.items():
        if len(text) > csv.field_size_limit():
            name = entry.document.get("slug") or entry.ref
            raise Unwritable(
                f"{name}: {column} is {len(text):,} characters long and a cell holds "
                f"{csv.field_size_limit():,}; export to JSON or YAML instead"
            )
    return list(cells.values())

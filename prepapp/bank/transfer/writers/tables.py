"""Writes a table with one row per question, separated by commas or tabs.

UTF-8 with a byte order mark, without which spreadsheets take the letters for another encoding. Not here: what
stands in a cell (`cells`).
"""

import csv
import io
from collections.abc import Sequence

from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.writers.cells import COLUMNS, cells_of


def write_csv(entries: Sequence[Entry]) -> bytes:
    """A table separated by commas."""
    return _table(entries, ",")


def write_tsv(entries: Sequence[Entry]) -> bytes:
    """A table separated by tabs."""
    return _table(entries, "\t")


def _table(entries: Sequence[Entry], separator: str) -> bytes:
    target = io.StringIO(newline="")
    # All in quotes: a spreadsheet that also takes semicolons for separators would part other cells, and run
    # what stands behind one.
    writer = csv.writer(target, delimiter=separator, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    writer.writerows(list(cells_of(entry).values()) for entry in entries)
    return target.getvalue().encode("utf-8-sig")

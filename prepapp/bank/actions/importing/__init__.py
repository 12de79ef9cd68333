"""A file on its way into the bank: uploaded, prepared, confirmed, written, undone. Only `write_import` and
`undo_import` change the bank, each in one transaction."""

from prepapp.bank.actions.importing.preparing import prepare_import
from prepapp.bank.actions.importing.running import (
    confirm_import,
    discard_import,
    forget_previews,
    give_up_imports,
    note_progress,
    start_import,
)
from prepapp.bank.actions.importing.undoing import undo_import
from prepapp.bank.actions.importing.writing import write_import

__all__ = [
    "confirm_import",
    "discard_import",
    "forget_previews",
    "give_up_imports",
    "note_progress",
    "prepare_import",
    "start_import",
    "undo_import",
    "write_import",
]

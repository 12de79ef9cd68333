"""Writes a bank as JSON: `{"format": "prepapp-bank", "version": 1, "questions": [...]}`."""

import json
from collections.abc import Sequence

from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.readers.json_bank import VERSION
from prepapp.bank.transfer.writers.yaml_bank import loose


def write_json_bank(entries: Sequence[Entry]) -> bytes:
    """One object per question with its reference, its status and the keys of its document."""
    questions = [
        {
            "schema": 1,
            **({"id": entry.ref} if entry.ref else {}),
            **({"status": entry.status} if entry.status else {}),
            **loose(entry.document),
        }
        for entry in entries
    ]
    bank = {"format": "prepapp-bank", "version": VERSION, "questions": questions}
    return (json.dumps(bank, ensure_ascii=False, indent=1) + "\n").encode()

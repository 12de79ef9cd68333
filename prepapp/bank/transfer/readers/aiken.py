"""Recognises Aiken, a text format of Moodle for multiple choice, and says why nothing of it is taken."""

import re

from prepapp.bank.transfer.item import Reading
from prepapp.bank.transfer.readers.free_text import refused
from prepapp.bank.transfer.readers.text_files import decode

_ANSWER = re.compile(r"^ANSWER: ?[A-Z][ \t]*$", re.MULTILINE)


def read_aiken(data: bytes, name: str) -> Reading:
    """Always a refusal; it names how many questions the file has."""
    decoded = decode(data)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n") if decoded else ""
    found = len(_ANSWER.findall(text))
    counted = f"its {found:,} question{'' if found == 1 else 's'}" if found else "the file"
    message = (
        f"an Aiken file holds multiple choice only, so {counted} cannot be answered in one's own words; "
        "write the questions as essays, in GIFT with an empty {}"
    )
    return refused("aiken", "Aiken", message)

"""A question answered by a word or two, as one answered in one's own words.

Answers worth full marks are the model answer; what else was foreseen is a pitfall.
"""

from collections.abc import Iterable
from typing import NamedTuple

from prepapp.bank.transfer.readers.free_text import Draft

FULL_MARKS = 100


class Answer(NamedTuple):
    """`worth` in per cent; `feedback` as Markdown."""

    text: str
    worth: float
    feedback: str


def put_answers(draft: Draft, answers: Iterable[Answer]) -> None:
    """Model answer and pitfalls from the answers of a file."""
    full: list[str] = []
    pitfalls: list[str] = []
    for answer in answers:
        if not answer.text.strip():
            continue
        whole = f"{answer.text}: {answer.feedback}" if answer.feedback.strip() else answer.text
        if answer.worth >= FULL_MARKS:
            full.append(whole)
        elif answer.text.strip() != "*" or answer.feedback.strip():
            pitfalls.append(whole)
            if answer.worth > 0:
                message = f"{answer.text[:60]!r} was worth {answer.worth:g} % in the file"
                draft.sink.note("pitfalls", message)
    draft.put("model_answer", full[0] if len(full) == 1 else "\n".join(f"- {text}" for text in full))
    if pitfalls:
        draft.document["pitfalls"] = pitfalls
    if any("*" in text for text in full):
        message = "an asterisk in a short answer stood for any text; write out what is meant"
        draft.sink.note("model_answer", message)

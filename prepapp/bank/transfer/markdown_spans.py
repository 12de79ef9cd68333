"""Pieces of a line with their markup, joined so that every piece of markup is read as such.

CommonMark takes asterisks for markup only where blanks and punctuation around them allow it. Where they do
not, the text is kept and the markup dropped.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from prepapp.bank.transfer.markdown_escape import code_span


@dataclass(frozen=True)
class Span:
    """Markdown of one piece. `mark` is put around it; `code` says that it is plain text for backticks."""

    text: str
    mark: str = ""
    code: bool = False


def join_spans(spans: Sequence[Span]) -> str:
    """One string. Blanks at the edges of marked text move outside the mark."""
    merged = _merge_code([span for span in spans if span.text])
    text, after_mark = "", False
    for index, span in enumerate(merged):
        following = merged[index + 1].text[:1] if index + 1 < len(merged) else ""
        before, core, after = _split(span.text)
        previous = (text + before)[-1:]
        marked = bool(span.mark and core) and not (after_mark and not before)
        if marked and _holds(previous, core, after[:1] or following):
            text += f"{before}{span.mark}{_edged(core)}{span.mark}{after}"
            after_mark = not after
        else:
            text += span.text
            after_mark = False
    return text


def _merge_code(spans: Sequence[Span]) -> list[Span]:
    """Code pieces that touch become one: backticks that touch would not be told apart."""
    merged: list[Span] = []
    pending = ""
    for span in (*spans, Span("")):
        if span.code:
            pending += span.text
            continue
        if pending:
            merged.append(Span(code_span(pending) or " "))
            pending = ""
        if span.text:
            merged.append(span)
    return merged


def _split(text: str) -> tuple[str, str, str]:
    core = text.strip(" \n")
    if not core:
        return text, "", ""
    start = text.index(core[0])
    return text[:start], core, text[start + len(core) :]


def _edged(core: str) -> str:
    """The text with the signs at its edges escaped that were harmless next to a blank and are not next to a
    mark."""
    core = f"\\{core}" if core[0] == "*" else core
    last = core.rstrip("*\\")
    tail = core[len(last) :]
    pieces = re.findall(r"\\.|.", tail)
    return last + "".join(rf"\{piece}" if len(piece) == 1 else piece for piece in pieces)


def _holds(previous: str, core: str, following: str) -> bool:
    """Whether marks around `core` are read as marks, by the rules for left and right flanking runs."""
    if "\n\n" in core or core[0].isspace() or core[-1].isspace():
        return False
    opens = not _is_punctuation(core[0]) or not previous or previous.isspace() or _is_punctuation(previous)
    closes = (
        not _is_punctuation(core[-1]) or not following or following.isspace() or _is_punctuation(following)
    )
    return opens and closes


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"

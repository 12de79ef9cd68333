"""Reads GIFT, the text format of Moodle questions.

The parser is our own: no maintained library for GIFT exists on the Python index; those there are give up at
correctly escaped signs. Questions are told apart as Moodle does it: blank lines part them, braces hold the
answers, what is in the braces says the type.

What becomes of what: essays and short answers become free text; title → title, stem → prompt, general
feedback → model answer (of an essay) or going deeper (of a short answer), answers worth full marks → model
answer, other answers → pitfalls, `$CATEGORY` → category or topic, `[id:...]` and `[tag:...]` in a comment
above a question → as in Moodle XML. Other types are listed as skipped; text without braces is a note.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prepapp.bank.transfer.categories import place
from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.free_text import Draft, complete, excerpt, refused, too_large
from prepapp.bank.transfer.readers.gift_text import (
    BLANK,
    Parts,
    holds,
    split_at,
    split_braces,
    split_format,
    split_title,
    split_weight,
    unescape,
)
from prepapp.bank.transfer.readers.moodle_text import category_path, convert
from prepapp.bank.transfer.readers.short_answers import FULL_MARKS, Answer, put_answers
from prepapp.bank.transfer.readers.text_files import decode

FORMAT = "gift"
# Of a question with its answers and comments: ten times the longest text.
MAX_BLOCK = 200_000
_CATEGORY = "$CATEGORY:"
_COMMENT = "//"
_MARK = re.compile(r"\[(id|tag):((?:\\\]|[^\]\n]){1,500})\]")
_TRUE_FALSE = frozenset({"T", "F", "TRUE", "FALSE"})
_SKIPPED = {
    "numerical": "the answer is a number",
    "multichoice": "the answer is a choice",
    "matching": "the answer is a pairing",
    "truefalse": "the answer is a choice",
}


def read_gift(data: bytes, name: str) -> Reading:
    """All questions and notes of a GIFT file, in its order. Refused whole if it is no Unicode text."""
    if reason := too_large(data):
        return refused(FORMAT, "GIFT", reason)
    decoded = decode(data)
    if decoded is None:
        return refused(FORMAT, "GIFT", "the file is not UTF-8; save it with the encoding UTF-8")
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    return complete(FORMAT, f"GIFT, {decoded.encoding}", _items(text))


@dataclass
class _Block:
    """Lines between blank lines without comments, numbered from 1; what comments say of the question."""

    first: int
    last: int
    lines: list[str]
    comments: list[str]

    @property
    def place(self) -> str:
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"


def _items(text: str) -> Iterator[Item]:
    category: list[str] = []
    for block in _blocks(text):
        while block.lines and block.lines[0].lstrip().startswith(_CATEGORY):
            named = block.lines.pop(0).lstrip().removeprefix(_CATEGORY)
            category = category_path(unescape(named.strip()))
            block.first += 1
        question = "\n".join(block.lines).strip()
        size = len(question) + sum(map(len, block.comments))
        if size > MAX_BLOCK:
            message = f"is {size:,} characters long from one blank line to the next; keep it to {MAX_BLOCK:,}"
            yield Item(block.place, faults=(Notice("", message),))
        elif question:
            draft = Draft(block.place)
            draft.document |= place(category)
            yield _read(question, block.comments, draft)


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if not line.strip():
            if block and block.lines:
                yield block
            block = None
            continue
        block = block or _Block(number, number, [], [])
        if line.lstrip().startswith(_COMMENT):
            block.comments.append(line)
            continue
        if not block.lines:
            block.first = number
        block.lines.append(line)
        block.last = number


def _read(question: str, comments: list[str], draft: Draft) -> Item:
    title, rest = split_title(question)
    draft.put("title", title)
    parts = split_braces(rest)
    if parts.answers is None and not parts.trouble:
        note = unescape(parts.stem)
        return draft.item(skipped=f"a note without an answer part, not a question: {excerpt(note)}")
    stem, text_format = split_format(parts.stem)
    draft.convert("prompt", convert(stem, text_format))
    if parts.trouble:
        draft.sink.fault("prompt", parts.trouble)
        return draft.item()
    kind = _kind(parts.answers or "")
    if kind in _SKIPPED:
        missing = ", in a gap of the text" if BLANK in parts.stem and kind == "multichoice" else ""
        return draft.item(skipped=f"type not supported: {kind} ({_SKIPPED[kind]}{missing})")
    _marks(comments, draft)
    feedback, feedback_format = split_format(parts.feedback, text_format)
    draft.convert("model_answer" if kind == "essay" else "deeper", convert(feedback, feedback_format))
    if kind == "shortanswer":
        put_answers(draft, _answers(parts, text_format))
    return draft.item()


def _kind(answers: str) -> str:
    if not answers:
        return "essay"
    if answers.startswith("#"):
        return "numerical"
    if holds(answers, "~"):
        return "multichoice"
    if holds(answers, "=") and holds(answers, "->"):
        return "matching"
    if split_at(answers, "#", 1)[0].strip().upper() in _TRUE_FALSE:
        return "truefalse"
    return "shortanswer"


def _answers(parts: Parts, text_format: str) -> Iterator[Answer]:
    for answer in split_at(parts.answers or "", "="):
        if not answer.strip():
            continue
        weight, rest = split_weight(answer.strip())
        text, *feedback = split_at(rest, "#", 1)
        said = convert(*split_format(feedback[0], text_format)).text if feedback else ""
        yield Answer(split_format(text)[0], FULL_MARKS if weight is None else weight, said)


def _marks(comments: list[str], draft: Draft) -> None:
    found = _MARK.findall("\n".join(comments))
    for name, value in found:
        if name == "id":
            draft.identify("id number", value.replace("\\]", "]"))
    draft.tag([value.replace("\\]", "]") for name, value in found if name == "tag"])

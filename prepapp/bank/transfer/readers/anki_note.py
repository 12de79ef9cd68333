"""A note of Anki as a question, whichever file it came in.

What becomes of what: the field named Front, Question, Prompt or Text, else the first → prompt; the one named
Back, Answer or Solution, else the next → model answer; Title → title; all others → going deeper, under their
names; deck → category or topic; tags → tags. A cloze note asks with gaps and answers with them filled.
Notes of our own export have fields for more. Pictures and sounds are named as lost.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape

from prepapp.bank.transfer.categories import place
from prepapp.bank.transfer.category_path import split_category
from prepapp.bank.transfer.html_text import Converted, to_markdown, to_plain_blocks
from prepapp.bank.transfer.item import Item
from prepapp.bank.transfer.readers.free_text import Draft
from prepapp.common.markdown import MAX_CHARACTERS, render

# The note type of our own export, and its fields: names as Anki shows them, in their order.
OWN_TYPE = "prepapp question"
OWN_TEXTS = {"Prompt": "prompt", "Context": "context", "Data": "data", "Model answer": "model_answer"}
OWN_FIELDS = ("Reference", "Title", *OWN_TEXTS, "Rubric", "Topic", "Category", "Markdown")

_ROLES = {
    "front": "prompt",
    "question": "prompt",
    "prompt": "prompt",
    "text": "prompt",
    "back": "model_answer",
    "answer": "model_answer",
    "solution": "model_answer",
    "model answer": "model_answer",
    "title": "title",
}
_SOUND = re.compile(r"\[sound:([^\]\n]{1,300})\]")
# The innermost gap: no other begins inside it.
_INSIDE = r"(?:(?!\{\{c\d|\}\}|::).)*"
_CLOZE = re.compile(rf"\{{\{{c\d{{1,3}}::({_INSIDE})(?:::({_INSIDE}))?\}}\}}", re.DOTALL)
_NESTED = 10


@dataclass(frozen=True)
class Note:
    """`fields` are pairs of a name, '' if unknown, and a text; `is_html` says how to read the texts."""

    place: str
    fields: Sequence[tuple[str, str]]
    tags: Sequence[str] = ()
    deck: str = ""
    note_type: str = ""
    guid: str = ""
    is_html: bool = True


def read_note(note: Note) -> Item:
    """The item of a note. Nothing of it is lost without a notice."""
    draft = Draft(note.place)
    if note.note_type != OWN_TYPE:
        draft.document |= place(note.deck.split("::"))
    draft.tag([tag.replace("_", " ") if note.note_type == OWN_TYPE else tag for tag in note.tags])
    if note.note_type == OWN_TYPE:
        _read_own(dict(note.fields), draft)
        return draft.item()
    if note.guid:
        draft.document["source"] = f"Anki note id: {note.guid}"
    named = _by_role(note.fields)
    if any(_CLOZE.search(text) for _, text in named["prompt"]):
        gaps = " ".join(text for _, text in named["prompt"])
        named = {**named, "prompt": [("", _fill(gaps, asking=True))]}
        named["model_answer"] = [("", _fill(gaps, asking=False)), *named["model_answer"]]
        draft.sink.note("prompt", "a cloze note: the prompt has its gaps, the model answer has them filled")
    for key, found in named.items():
        texts = [_text(text, note, draft, key) for _, text in found]
        if key == "deeper":
            texts = [
                f"{name}: {text}" if name else text for (name, _), text in zip(found, texts, strict=True)
            ]
        if key == "title":
            texts = [" ".join(text.split()) for text in texts]
        draft.put(key, "\n\n".join(text for text in texts if text.strip()))
    if names := [name or "a field without a name" for name, _ in named["deeper"]]:
        draft.sink.note("deeper", f"holds what the note had besides front and back: {', '.join(names)[:200]}")
    return draft.item()


def _by_role(fields: Sequence[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """The fields that are not blank, by the text they become."""
    kept = [(name.strip(), text) for name, text in fields if text.strip()]
    roles: list[str] = [_ROLES.get(name.casefold(), "") for name, _ in kept]
    for role in ("prompt", "model_answer"):
        if role not in roles and "" in roles:
            roles[roles.index("")] = role
    named: dict[str, list[tuple[str, str]]] = {"title": [], "prompt": [], "model_answer": [], "deeper": []}
    for role, field in zip(roles, kept, strict=True):
        named[role or "deeper"].append(field)
    return named


def _fill(text: str, *, asking: bool) -> str:
    """A cloze text with its gaps as Anki shows them, or with their contents."""

    def replace(match: re.Match[str]) -> str:
        return f"[{match[2] or '...'}]" if asking else match[1]

    for _ in range(_NESTED):
        text, count = _CLOZE.subn(replace, text)
        if not count:
            break
    return text


def _text(text: str, note: Note, draft: Draft, key: str) -> str:
    sounds = tuple(f'the sound "{name}"' for name in _SOUND.findall(text))
    text = _SOUND.sub("", text)
    converted = to_markdown(text) if note.is_html else Converted(text)
    draft.report(key, (*converted.lost, *sounds))
    return converted.text


def _read_own(fields: dict[str, str], draft: Draft) -> None:
    draft.identify("Anki reference", fields.get("Reference", ""))
    sources = _sources(fields.get("Markdown", ""))
    for name, key in OWN_TEXTS.items():
        converted = to_markdown(fields.get(name, ""))
        if (source := sources.get(key)) and markdown_of_card(source) == converted.text:
            converted = Converted(source)
        draft.convert(key, converted)
    draft.put("title", " ".join(to_plain_blocks(fields.get("Title", ""))[0]))
    points, lost = to_plain_blocks(fields.get("Rubric", ""))
    draft.rubric(points, "card")
    draft.report("rubric", lost)
    topic = fields.get("Topic", "").strip()
    draft.document |= place([topic] if topic else _category(fields))


def card_of(markdown: str) -> str:
    """The HTML a card shows for a text."""
    if len(markdown) > MAX_CHARACTERS:
        return escape(markdown).replace("\n", "<br>")
    return render(markdown).strip()


def markdown_of_card(markdown: str) -> str:
    """What is read back of the card of a text. Where it is not the text, our notes carry the text as well; it
    counts as long as nobody edited the card."""
    return to_markdown(card_of(markdown)).text


def _sources(field: str) -> dict[str, str]:
    try:
        found = json.loads(unescape(field)) if field else {}
    except (ValueError, RecursionError):
        return {}
    return (
        {key: text for key, text in found.items() if isinstance(text, str)} if isinstance(found, dict) else {}
    )


def _category(fields: dict[str, str]) -> list[str]:
    return split_category(" ".join(to_plain_blocks(fields.get("Category", ""))[0]))

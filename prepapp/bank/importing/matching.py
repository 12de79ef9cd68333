"""Which question an item of a file is: the one with its reference, else with its slug, else with the slug
made from its title. The same item gives the same answer every time, so that a file can be imported again."""

import hashlib
import re
from dataclasses import dataclass

from prepapp.bank.importing.known import Bank, Known
from prepapp.bank.rules import SLUG_CHARACTERS, slug_of
from prepapp.bank.transfer.document import Document
from prepapp.bank.transfer.item import Item

# As the schema of question files has it.
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OPENING_WORDS = 8
_DIGITS = 8


@dataclass(frozen=True)
class Identity:
    """`ref` is '' if the file gives none, `slug` is '' if there is nothing to tell the item by. `stated` is
    the slug as the file writes it; with '' it was made from the title, or from the first words of the
    prompt."""

    ref: str
    slug: str
    stated: str


def identify(item: Item) -> Identity:
    """What this item is known by."""
    stated = str(item.document.get("slug") or "")
    slug = _slug(stated)
    return Identity(item.ref, slug or _made_slug(item.document), stated if slug else "")


def match(identity: Identity, bank: Bank) -> Known | None:
    """The question of the bank this is; None if it is new."""
    found = bank.refs.get(identity.ref) if identity.ref else None
    if found is None:
        found = bank.slugs.get(identity.slug)
    return bank.questions[found] if found is not None else None


def keeps_reference(ref: str, topic: str) -> bool:
    """Whether a new question of this topic is published under the reference its file gives it."""
    return re.fullmatch(rf"{re.escape(topic)}-[0-9]{{3,6}}", ref) is not None


def _slug(stated: str) -> str:
    """The slug in the form the bank has: case and blanks around it do not tell two questions apart."""
    folded = stated.strip().casefold()
    if not folded:
        return ""
    return folded if _SLUG.fullmatch(folded) and len(folded) <= SLUG_CHARACTERS else _readable(folded)


def _made_slug(document: Document) -> str:
    title, prompt = (str(document.get(key) or "").strip() for key in ("title", "prompt"))
    if title:
        return _readable(title)
    if prompt:
        opening = " ".join(prompt.split()[:_OPENING_WORDS])
        return f"{slug_of(opening)[: SLUG_CHARACTERS - _DIGITS - 1].rstrip('-')}-{_digest(prompt)}"
    return ""


def _readable(text: str) -> str:
    """A slug made of the text. If letters or digits are lost on the way it gets some of its own, so that two
    texts that a slug cannot tell apart stay two."""
    slug = slug_of(text)
    kept = 0 if slug == slug_of("") else sum(sign.isalnum() for sign in slug)
    if kept >= sum(sign.isalnum() for sign in text):
        return slug
    return f"{slug[: SLUG_CHARACTERS - _DIGITS - 1].rstrip('-')}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).casefold().encode("utf-8", "replace")).hexdigest()[:_DIGITS]

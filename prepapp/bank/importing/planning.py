"""A row of the report for each item of a file: created, updated, unchanged, skipped or failed, and why."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from prepapp.bank.choices import RowOutcome, Status
from prepapp.bank.importing.known import Bank, Known
from prepapp.bank.importing.matching import Identity, identify, keeps_reference, match
from prepapp.bank.importing.merging import merge, says_the_same
from prepapp.bank.transfer.document import Document
from prepapp.bank.transfer.item import Item, Notice

# What keeps a document from being published: (field, message) of each failing rule.
Judge = Callable[[Document], list[Notice]]

MOST_FINDINGS = 10
# In words on a screen, where they differ from the label of the status.
_WANTED = {
    Status.PUBLISHED: "published",
    Status.RETIRED: "retired",
    Status.IN_REVIEW: "in review",
}


@dataclass(frozen=True)
class Row:
    """What comes of one item. `document` is what would be stored, `known` the question it changes; a new one
    is to get `slug`, and `ref` if that is free. `status` is the one the question has afterwards."""

    position: int
    place: str
    label: str
    outcome: RowOutcome
    status: str = ""
    notices: tuple[Notice, ...] = ()
    document: Document = field(default_factory=dict)
    ref: str = ""
    slug: str = ""
    known: Known | None = None


def plan_items(
    items: Iterable[Item], bank: Bank, *, publishes: bool, judge: Judge, today: date
) -> Iterator[Row]:
    """The rows, one by one. With `publishes` a new question that is complete gets the status of the file."""
    seen: dict[str, Item] = {}
    for position, item in enumerate(items, 1):
        yield _plan(position, item, bank, seen, publishes=publishes, judge=judge, today=today)


def count_outcomes(rows: Iterable[Row]) -> dict[str, int]:
    """How many rows there are of each outcome, those without any included."""
    counts = Counter(row.outcome for row in rows)
    return {str(outcome): counts[outcome] for outcome in RowOutcome}


def _plan(
    position: int,
    item: Item,
    bank: Bank,
    seen: dict[str, Item],
    *,
    publishes: bool,
    judge: Judge,
    today: date,
) -> Row:
    def row(outcome: RowOutcome, *notices: Notice, **fields: Any) -> Row:
        return Row(position, item.place, item.label, outcome, notices=notices, **fields)

    if item.skipped:
        return row(RowOutcome.SKIPPED, Notice("", item.skipped), *item.notices)
    identity = identify(item)
    faults = [*item.faults, *_faults(item, identity, bank, seen)]
    if faults:
        return row(RowOutcome.FAILED, *faults, *item.notices)
    known = match(identity, bank)
    if known is None:
        return _new(row, item, identity, publishes=publishes, judge=judge)
    return _existing(row, item, identity, known, bank, today=today)


def _faults(item: Item, identity: Identity, bank: Bank, seen: dict[str, Item]) -> Iterator[Notice]:
    """What keeps an item out that its reader could not see."""
    if not identity.slug:
        if not item.faults:
            yield Notice("title", "neither slug, title nor prompt tells this question apart; give it a title")
        return
    by = "slug" if identity.stated else "title"
    for name, what, key in (("ref", "reference", identity.ref), (by, by, identity.slug)):
        first = seen.setdefault(f"{'ref' if name == 'ref' else 'slug'} {key}", item) if key else item
        if first is not item:
            where = f"{first.place} ({first.label})" if first.label else first.place
            yield Notice(
                name,
                f"is the {what} of {where} already, case and blanks aside; give one of the two another",
            )
            return
    if any(_unstorable(text) for text in _texts(item.document)):
        yield Notice("", "holds a sign that no text may hold (NUL or half of a character); remove it")
    topic = str(item.document.get("topic") or "")
    if topic and topic not in bank.topics:
        yield Notice("topic", f"there is no topic {topic!r} in this bank; use the code of one there is")
    owners = {bank.refs.get(identity.ref), bank.slugs.get(identity.slug)} - {None}
    if identity.ref and len(owners) == 2:
        yield Notice(
            "slug",
            f"{identity.slug!r} belongs to another question than {identity.ref} here; change one of the two",
        )


def _new(row: Callable[..., Row], item: Item, identity: Identity, *, publishes: bool, judge: Judge) -> Row:
    document = {"slug": identity.slug, **item.document} | {"slug": identity.slug}
    notices = [*item.notices, *_slug_notice(identity), *_missing(document)]
    status, reasons = _status(item, document, publishes=publishes, judge=judge)
    if status == Status.DRAFT and item.status == Status.RETIRED:
        document["wanted_status"] = str(Status.RETIRED)
    if status != Status.DRAFT and item.ref and not keeps_reference(item.ref, str(document.get("topic"))):
        notices.append(Notice("ref", f"{item.ref!r} is no reference of its topic; it gets a new one"))
    return row(
        RowOutcome.CREATED,
        *notices,
        *reasons,
        status=str(status),
        document=document,
        ref=item.ref,
        slug=identity.slug,
    )


def _status(item: Item, document: Document, *, publishes: bool, judge: Judge) -> tuple[Status, list[Notice]]:
    """The status a new question gets, and why it is another than the file says."""
    if not item.status or item.status == Status.DRAFT:
        return Status.DRAFT, []
    wanted = Status(item.status)
    said = f"the file says {_WANTED[wanted]}"
    if wanted == Status.IN_REVIEW:
        return Status.DRAFT, [Notice("status", f"{said}; it becomes a draft, to be handed in again")]
    if not publishes:
        kept = ", and what the file says is kept with it" if wanted == Status.RETIRED else ""
        return Status.DRAFT, [Notice("status", f"{said}; it becomes a draft for a reviewer{kept}")]
    failing = judge(document)
    if failing:
        more = len(failing) - MOST_FINDINGS
        tail = [Notice("", f"and {more} more to mend")] if more > 0 else []
        return Status.DRAFT, [
            Notice("status", f"{said}; it becomes a draft, since this is to be mended first"),
            *failing[:MOST_FINDINGS],
            *tail,
        ]
    return wanted, []


def _existing(
    row: Callable[..., Row],
    item: Item,
    identity: Identity,
    known: Known,
    bank: Bank,
    *,
    today: date,
) -> Row:
    stated = _of_this_question(item, identity, known)
    notices = [*item.notices, *_status_notice(item, known), *_ref_notice(item, known)]
    about = {"status": known.status, "known": known, "slug": known.slug}
    if known.published is not None:
        merged = merge(known.published, _without_category(stated, known.published))
        if says_the_same(known.published, merged, ref=known.ref, today=today):
            return row(RowOutcome.UNCHANGED, *notices, **about)
    base = known.draft if known.draft is not None else known.published or {}
    document = merge(base, _without_category(stated, base))
    if known.draft is not None and document == known.draft:
        return row(RowOutcome.UNCHANGED, *notices, **about)
    if blocked := _blocked(known):
        return row(RowOutcome.FAILED, blocked, *notices, **about)
    if known.published is not None:
        notices.append(Notice("", "the published text stays; the draft of it gets what the file says"))
    if not identity.stated and not item.ref:
        notices.append(Notice("title", f"was taken for {known.slug!r}, which has this title"))
    return row(RowOutcome.UPDATED, *notices, document=document, **about)


def _of_this_question(item: Item, identity: Identity, known: Known) -> Document:
    """What the item states, under the slug the question has unless it is given another one."""
    stated = dict(item.document)
    if identity.slug == known.slug.casefold() or not identity.stated:
        stated.pop("slug", None)
    elif "slug" in stated:
        stated["slug"] = identity.slug
    if item.status == Status.RETIRED and known.published is None:
        stated["wanted_status"] = str(Status.RETIRED)
    return stated


def _without_category(stated: Document, base: Document) -> Document:
    """Where somebody has chosen a topic, the category a file had it in has done its work."""
    if not base.get("topic") or stated.get("topic"):
        return stated
    return {key: value for key, value in stated.items() if key not in {"category", "topic"}}


def _blocked(known: Known) -> Notice | None:
    """Why the draft of a question may not be written over."""
    if known.draft is None:
        return None
    if known.is_in_review:
        return Notice("", "its draft is in review; take it back or let it be published, then import again")
    if not known.is_from_import:
        who = known.editor or "Somebody"
        return Notice("", f"{who} is writing a draft of it; publish or discard that, then import again")
    return None


def _status_notice(item: Item, known: Known) -> Iterator[Notice]:
    stored = Status(known.status)
    if not item.status or item.status == stored or (item.status, stored) == (Status.DRAFT, Status.IN_REVIEW):
        return
    if known.published is None:
        if item.status != Status.DRAFT:
            said = _WANTED[Status(item.status)]
            yield Notice("status", f"the file says {said}; it is a {stored.label.lower()} here and stays one")
        return
    said = _WANTED.get(Status(item.status), "draft")
    yield Notice("status", f"the file says {said}; it is {stored.label.lower()} here and stays so")


def _ref_notice(item: Item, known: Known) -> Iterator[Notice]:
    if item.ref and item.ref != known.ref and known.published is not None:
        yield Notice("ref", f"is {known.ref} here, not {item.ref}")


def _slug_notice(identity: Identity) -> Iterator[Notice]:
    if identity.stated and identity.stated != identity.slug:
        yield Notice("slug", f"{identity.stated!r} becomes {identity.slug!r}")


def _missing(document: Document) -> Iterator[Notice]:
    """The gaps a curator has to fill first. An import makes up none of them."""
    if not document.get("rubric"):
        yield Notice("rubric", "no rubric")
    if not document.get("topic"):
        path = " / ".join(map(str, document.get("category") or ()))
        kept = f"; the category {path} is kept as a hint" if path else ""
        yield Notice("topic", f"no topic{kept}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield str(key)
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _unstorable(text: str) -> bool:
    return "\x00" in text or any("\ud800" <= sign <= "\udfff" for sign in text)

"""Files of packs written to the tables, as often as one likes.

Here: `load_packs`. Not here: reading files (`transfer.pack_file`), which questions a pack holds, which is
asked when it is needed (`queries.packs`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from prepapp.bank.models import Pack, Question, Topic, Track
from prepapp.bank.queries.packs import new_references
from prepapp.bank.transfer.pack_file import PackFile

_COLUMNS = (
    *("title", "disclaimer", "summary", "include", "weights", "pinned", "context_notes", "blueprints"),
    *("rounds", "tips", "mistakes", "reading", "reviewed_date", "recheck_months", "content_hash"),
)


@dataclass(frozen=True)
class PacksResult:
    """What came of the files, each of which is counted once. `kept`: packs that somebody edited in the app.
    `unknown`: what packs name and this bank does not have, by pack."""

    new: int
    changed: int
    unchanged: int
    kept: tuple[str, ...]
    unknown: tuple[tuple[str, tuple[str, ...]], ...]


@transaction.atomic
def load_packs(*, files: Sequence[PackFile]) -> PacksResult:
    """Writes the packs that differ from what is stored, all or none. Five queries, and at most two
    statements more where there is something to write.

    What a pack names and the bank does not have is no obstacle: it counts from the moment it is there.
    """
    # One loader at a time, as with questions: the row locks of the tracks stand for the whole bank.
    list(Track.objects.select_for_update().order_by("code").values_list("code"))
    slugs = [file.id for file in files]
    locked = Pack.objects.select_for_update().filter(slug__in=slugs).order_by("pk")
    stored = {pack.slug: pack for pack in locked}
    kept = [file.id for file in files if file.id in stored and stored[file.id].is_edited]
    new, changed = [], []
    for file in files:
        pack = stored.get(file.id)
        if pack is None:
            new.append(_filled(Pack(slug=file.id), file))
        elif not pack.is_edited and pack.content_hash != file.content_hash:
            changed.append(_filled(pack, file))
    if new:
        Pack.objects.bulk_create(new)
    if changed:
        Pack.objects.bulk_update(changed, _COLUMNS)
    return PacksResult(
        new=len(new),
        changed=len(changed),
        unchanged=len(files) - len(new) - len(changed) - len(kept),
        kept=tuple(kept),
        unknown=_unknown(files),
    )


def _filled(pack: Pack, file: PackFile) -> Pack:
    content = file.content
    for name in _COLUMNS:
        if name in content:
            setattr(pack, name, content[name])
    pack.reviewed_date, pack.content_hash = file.reviewed, file.content_hash
    return pack


def _unknown(files: Sequence[PackFile]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Topics and ids that no row has, in the order of the files."""
    named = {
        file.id: dict.fromkeys(
            [*file.include.topics, *file.weights, *file.include.ids, *file.pinned, *file.context_notes]
        )
        for file in files
    }
    every = {name for names in named.values() for name in names}
    known = {
        *Question.objects.filter(ref__in=every).values_list("ref", flat=True),
        *Topic.objects.filter(pk__in=every).values_list("pk", flat=True),
        *new_references(),
    }
    missing = {slug: tuple(name for name in names if name not in known) for slug, names in named.items()}
    return tuple((slug, names) for slug, names in missing.items() if names)

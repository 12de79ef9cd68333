"""Packs as pages and draws need them: the rule as a condition on rows, sizes, what a pack covers.

Membership is asked anew each time, so a question is in from the moment it is published, tagged or moved, and
out when it is retired. Not here: drawing an interview from a pack.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Count, Exists, OuterRef, Q

from prepapp.bank.choices import Level
from prepapp.bank.models import Pack, Question, QuestionQuerySet, Topic
from prepapp.bank.rendering import reference_link


@dataclass(frozen=True)
class PackSize:
    """A pack and how many published questions it holds."""

    pack: Pack
    questions: int


@dataclass(frozen=True)
class TopicShare:
    """How many questions of a topic a pack holds: all of them, and by level in the order of levels."""

    code: str
    title: str
    questions: int
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Claim:
    """A line of a pack's page. Without a source it is advice: `link` is the address to follow, `site` whose
    it is. `name` and `minutes` are those of a round; `title` is that of something to read."""

    text: str
    link: str
    site: str
    name: str = ""
    minutes: str = ""
    title: str = ""


@dataclass(frozen=True)
class PackPage:
    """What the page of a pack says beside its questions."""

    rounds: list[Claim]
    tips: list[Claim]
    mistakes: list[Claim]
    reading: list[Claim]


def pack_page(pack: Pack) -> PackPage:
    """The lines of the page. An address that is not one to follow is shown as none."""
    return PackPage(
        rounds=[_claim(row["what"], row, row["name"], row["minutes"]) for row in pack.rounds],
        tips=[_claim(row["text"], row) for row in pack.tips],
        mistakes=[_claim(row["text"], row) for row in pack.mistakes],
        reading=[_claim(row["note"], {"source": row["url"]}, title=row["title"]) for row in pack.reading],
    )


def _claim(text: str, row: Mapping[str, Any], name: str = "", minutes: str = "", title: str = "") -> Claim:
    link = reference_link(row.get("source", ""))
    return Claim(text, link, urlsplit(link).hostname or "", name, minutes, title)


def new_references() -> dict[str, str]:
    """References that questions had before they moved to another topic, with the one each has now. Files of
    packs go on naming the old ones. One query."""
    moved = Question.objects.exclude(former_refs=[]).values_list("ref", "former_refs")
    return {old: ref for ref, former in moved for old in former}


def pack_condition(pack: Pack, moved: Mapping[str, str]) -> Q:
    """What a question must be to be in the pack, published or not: in by the rule, or put there by hand or
    by its own file."""
    rule = pack.rule
    linked = Question.packs.through._default_manager.filter(question=OuterRef("pk"), pack=pack.pk)
    found = Q(Exists(linked))
    if rule.ids:
        found |= Q(ref__in=_current(rule.ids, moved))
    return found | _condition(pack) if rule.has_conditions else found


def pack_questions(pack: Pack, moved: Mapping[str, str]) -> QuestionQuerySet:
    """The published questions of the pack."""
    return Question.objects.published().filter(pack_condition(pack, moved))


def questions_of(slug: str) -> Q:
    """`pack_condition` of the pack of that slug; nothing is in one that does not exist. Two queries."""
    pack = Pack.objects.filter(slug=slug).first()
    return pack_condition(pack, new_references()) if pack else Q(pk__in=[])


def pack_sizes(packs: Iterable[Pack] | None = None) -> list[PackSize]:
    """Every pack in its order, or these. Three queries, however many there are; two for these."""
    found = list(Pack.objects.all() if packs is None else packs)
    moved = new_references()
    counts = {f"pack{pack.pk}": Count("pk", filter=pack_condition(pack, moved)) for pack in found}
    sizes = Question.objects.published().aggregate(**counts) if counts else {}
    return [PackSize(pack, sizes[f"pack{pack.pk}"]) for pack in found]


def pack_shares(pack: Pack, moved: Mapping[str, str]) -> list[TopicShare]:
    """What the pack covers, topic by topic in their order. Two queries."""
    rows = (
        pack_questions(pack, moved)
        .order_by()
        .values_list("topic_id", "current_version__level")
        .annotate(number=Count("pk"))
    )
    levels: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, level, number in rows:
        levels[topic][level] = number
    titles = Topic.objects.filter(pk__in=levels).values_list("pk", "title")
    return [
        TopicShare(
            code,
            title,
            sum(levels[code].values()),
            tuple(levels[code].get(level, 0) for level in Level.values),
        )
        for code, title in titles
    ]


def current_notes(pack: Pack, moved: Mapping[str, str]) -> dict[str, str]:
    """The setting the pack gives to questions, by the reference each has now."""
    return {moved.get(ref, ref): text for ref, text in pack.context_notes.items()}


def current_pins(pack: Pack, moved: Mapping[str, str]) -> set[str]:
    """The references that pinned questions have now."""
    return set(_current(pack.pinned, moved))


def _current(refs: Sequence[str], moved: Mapping[str, str]) -> list[str]:
    return [moved.get(ref, ref) for ref in refs]


def _condition(pack: Pack) -> Q:
    rule = pack.rule
    found = Q()
    if rule.has_places:
        tagged = Question.tags.through._default_manager.filter(
            question=OuterRef("pk"), tag__name__in=rule.tags
        )
        found |= Q(topic__in=rule.topics)
        found |= Q(Exists(tagged)) if rule.tags else Q()
        for track in rule.tracks:
            found |= Q(topic__code__startswith=f"{track}.")
    if rule.levels:
        found &= Q(current_version__level__in=rule.levels)
    if rule.kinds:
        found &= Q(current_version__kind__in=rule.kinds)
    return found

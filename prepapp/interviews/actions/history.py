"""What a candidate does with an attempt of the past: take it again, or delete it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from prepapp.accounts.models import User
from prepapp.bank.choices import Kind
from prepapp.bank.models import FollowUp, Question, TrackTopic
from prepapp.interviews.actions.start import Plan, find_started, pack_slot, start_with_picks
from prepapp.interviews.actions.watching import lock_owner, tell_watchers
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.pack_offers import WHOLE, pack_pool
from prepapp.interviews.queries import question_pool, question_pools
from prepapp.interviews.recipes import read_recipe
from prepapp.interviews.refusals import CannotFill, Refusal
from prepapp.interviews.selection import LEVELS, Candidate, FollowUpItem, Pick, Slot, join_pools, select

_SEED_BITS = 62


class StillRunning(Refusal):
    """The attempt runs; it must end before it can be deleted."""


@dataclass(frozen=True)
class _Current:
    """A question as it is asked now, with its follow-ups by key."""

    candidate: Candidate
    follow_ups: dict[str, FollowUpItem]


@dataclass(frozen=True)
class Retake:
    """`is_this_start` is False when another attempt of the same kind still runs and was returned instead.
    `replaced` is how many questions could not be asked again."""

    attempt: Attempt
    is_this_start: bool
    replaced: int = 0


def retake_attempt(*, user: User, original: Attempt, start_key: UUID, now: datetime) -> Retake:
    """Starts the same interview with the same questions, in the texts they have now.

    Retired questions are replaced by others of their kind. Pressed twice it is one attempt, as with every
    start. Raises CannotFill, writing nothing, when a question cannot be replaced.
    """
    plan = retake_plan(original)
    if (known := find_started(user, plan, original.mode, start_key, now)) is not None:
        return Retake(known, known.start_key == start_key)
    seed = start_key.int % (1 << _SEED_BITS)
    picks, replaced = _pick_again(user, original, seed)
    attempt = start_with_picks(
        user=user, plan=plan, picks=picks, mode=original.mode, start_key=start_key, seed=seed, now=now
    )
    return Retake(attempt, attempt.start_key == start_key, replaced)


def retake_plan(original: Attempt) -> Plan:
    """The plan the attempt was started with, without its slots: the questions are known."""
    track = original.track_id or ""
    kind = original.blueprint.slug if original.blueprint else "custom"
    pack = original.pack
    return Plan(
        title=original.title,
        slot_name=pack_slot(pack, kind) if pack else f"{kind}:{track}",
        track=track,
        level=original.level,
        minutes=original.minutes,
        slots=(),
        blueprint=original.blueprint,
        pack=pack,
    )


def delete_attempt(*, attempt: Attempt) -> None:
    """Deletes the attempt with its answers, late texts, gradings and marks. Harmless when repeated.

    Locks the row first, so that a save or an ending that has begun is finished before. StillRunning.
    """
    with transaction.atomic():
        lock_owner(attempt.user_id)
        locked = Attempt.objects.select_for_update().filter(pk=attempt.pk).first()
        if locked is None:
            return
        if locked.is_running:
            raise StillRunning("This interview is still running. Hand it in or give it up, then delete it.")
        locked.delete()
        tell_watchers(locked.user_id, started_at=locked.started_at, finished_at=locked.finished_at)


def _pick_again(user: User, original: Attempt, seed: int) -> tuple[list[Pick], int]:
    """The picks in their old order, and how many of them are replacements."""
    groups = _groups(original)
    slots = [_slot(group, original.level) for group in groups]
    asked = {group[0].version.question_id for group in groups}
    current = _current(asked)
    picks: dict[int, Pick] = {}
    for place, (group, slot) in enumerate(zip(groups, slots, strict=True)):
        found = current.get(group[0].version.question_id)
        if found is not None and len(found.follow_ups) >= slot.follow_ups + slot.follow_up_only:
            picks[place] = Pick(found.candidate, slot, _same_follow_ups(group, found.follow_ups))
    gone = [place for place in range(len(groups)) if place not in picks]
    if gone:
        every, wanted = _to_replace(user, original, {place: slots[place] for place in gone}, groups)
        pool = [found for found in every if found.question_id not in asked]
        others = _replacements(pool, wanted, original.level, seed)
        picks |= dict(zip(gone, others, strict=True))
    return [picks[place] for place in range(len(groups))], len(gone)


def _to_replace(
    user: User, original: Attempt, slots: Mapping[int, Slot], groups: Sequence[Sequence[Response]]
) -> tuple[list[Candidate], list[Slot]]:
    """What the places are filled from anew, and the places; where rounds of several tracks are mixed, each
    with the track its question came from."""
    tracks = _tracks(original)
    if original.pack:
        pool = pack_pool(user, original.pack, tracks)
    elif len(tracks) == 1:
        pool = question_pool(user, tracks[0])
    else:
        pool = join_pools(question_pools(user, tracks), tracks)
    if len(tracks) == 1:
        return pool, list(slots.values())
    topics = {place: groups[place][0].version.question.topic_id for place in slots}
    pairs = set(TrackTopic.objects.filter(topic__in=topics.values()).values_list("track", "topic"))
    return pool, [
        replace(slot, track=next((track for track in tracks if (track, topics[place]) in pairs), tracks[0]))
        for place, slot in slots.items()
    ]


def _tracks(original: Attempt) -> tuple[str, ...]:
    """The tracks its questions come from, its own first. A recipe that this release cannot read adds none."""
    own = original.track_id or WHOLE
    if original.blueprint is None:
        return (own,)
    try:
        return tuple(dict.fromkeys([own, *read_recipe(original.blueprint.recipe).tracks_for(own)]))
    except ValueError:
        return (own,)


def _groups(original: Attempt) -> list[list[Response]]:
    """The planned answers, each main one with its follow-ups."""
    groups: list[list[Response]] = []
    planned = Response.objects.filter(attempt=original).select_related("version__question", "follow_up")
    for response in planned.order_by("position"):
        if response.parent_position is None:
            groups.append([])
        groups[-1].append(response)
    return groups


def _slot(group: Sequence[Response], level: str) -> Slot:
    """The place this question stood in, as narrow as the question itself."""
    first = group[0]
    is_follow_up_only = first.follow_up_id is not None
    return Slot(
        kinds=(first.version.kind,),
        minutes=first.minutes,
        level_offset=LEVELS.index(first.version.level) - LEVELS.index(level),
        follow_ups=0 if is_follow_up_only else len(group) - 1,
        follow_up_only=is_follow_up_only,
    )


def _current(question_ids: set[int]) -> dict[int, _Current]:
    """Those of the questions that can still be asked, by id. Two queries."""
    questions = list(
        Question.objects.published().filter(pk__in=question_ids).select_related("current_version")
    )
    versions = [question.current_version_id for question in questions]
    follow_ups: dict[int, dict[str, FollowUpItem]] = defaultdict(dict)
    for part in FollowUp.objects.filter(version__in=versions).order_by("position"):
        follow_ups[part.version_id][part.key] = FollowUpItem(part.pk, part.minutes)
    found = {}
    for question in questions:
        version = question.current_version
        assert version is not None
        found[question.pk] = _Current(
            Candidate(
                version_id=version.pk,
                question_id=question.pk,
                topic=question.asked_topic_id,
                level=version.level,
                kind=version.kind,
                minutes=version.minutes,
            ),
            follow_ups[version.pk],
        )
    return found


def _same_follow_ups(group: Sequence[Response], now: dict[str, FollowUpItem]) -> tuple[FollowUpItem, ...]:
    """Those asked before; in place of one that is gone, the first not yet asked."""
    keys = [response.follow_up.key for response in group if response.follow_up]
    spare = iter([key for key in now if key not in keys])
    return tuple(now[key if key in now else next(spare)] for key in keys)


def _replacements(
    pool: Sequence[Candidate], slots: Sequence[Slot], level: str, seed: int
) -> tuple[Pick, ...]:
    """A question for each slot: of the same kind if the bank has enough of them, else of any."""
    for kinds in (None, tuple(Kind.values)):
        wanted = [replace(slot, kinds=kinds or slot.kinds) for slot in slots]
        selection = select(pool, wanted, level, seed)
        if selection.is_complete:
            return selection.picks
    are = "1 of these questions is" if len(slots) == 1 else f"{len(slots)} of these questions are"
    raise CannotFill(
        f"{are} no longer asked, and the bank has nothing to put in the place. Start a new interview instead."
    )

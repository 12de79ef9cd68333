"""Starting an interview: which questions, one attempt however often the button is pressed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import CharField, Q, UUIDField
from django.utils import timezone
from django.utils.module_loading import import_string

from prepapp.accounts.actions import find_or_create_guest
from prepapp.accounts.models import User
from prepapp.bank.models import Pack
from prepapp.common.statements import Kept
from prepapp.interviews import timing
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.drill import drill_words, make_drill
from prepapp.interviews.models import Attempt, Blueprint, Response
from prepapp.interviews.pack_offers import WHOLE, pack_pool, pack_settings, pack_shortage
from prepapp.interviews.queries import drill_track, question_pool, question_pools, shortage_text, topic_pool
from prepapp.interviews.recipes import read_recipe
from prepapp.interviews.refusals import CannotFill, GuestClaimed
from prepapp.interviews.selection import Pick, Selection, Slot, custom_slots, join_pools, select


@dataclass(frozen=True)
class Plan:
    """What is to be started, before questions are chosen."""

    title: str
    slot_name: str
    track: str
    level: str
    minutes: int
    slots: Sequence[Slot]
    blueprint: Blueprint | None = None
    topics: tuple[str, ...] = ()
    # Where rounds of several tracks are mixed, all of them; else nothing but `track` is drawn from.
    tracks: tuple[str, ...] = ()
    drill: "DrillWish | None" = None
    reason: str = ""
    # Drawn from instead of tracks.
    pack: Pack | None = None


@dataclass(frozen=True)
class DrillWish:
    """The topic to drill, and the person's strong topics, any of which may come along; as (code, title)."""

    topic: tuple[str, str]
    strong: tuple[tuple[str, str], ...] = ()


def blueprint_plan(blueprint: Blueprint, track: str, level: str) -> Plan:
    """The plan of a format of the house. ValueError if its recipe cannot be read, or is that of a drill."""
    recipe = read_recipe(blueprint.recipe)
    if recipe.is_drill:
        raise ValueError("a drill is planned for a topic")
    home = recipe.home(track)
    return Plan(
        title=blueprint.title,
        slot_name=f"{blueprint.slug}:{home}",
        track=home,
        level=level,
        minutes=blueprint.minutes,
        slots=recipe.slots_for(level, track),
        tracks=recipe.tracks_for(track),
        blueprint=blueprint,
    )


def pack_plan(pack: Pack, blueprint: Blueprint, level: str) -> Plan:
    """The plan of a format drawn from a pack. It belongs to the format's own track, or to none. ValueError if
    its recipe cannot be read, or is that of a drill."""
    plan = blueprint_plan(blueprint, WHOLE, level)
    longest = Attempt._meta.get_field("title").max_length
    title = f"{blueprint.title}: {pack.title}"[:longest]
    return replace(plan, title=title, slot_name=pack_slot(pack, blueprint.slug), pack=pack)


def pack_slot(pack: Pack, kind: str) -> str:
    """What only one of can run at a time."""
    return f"{kind}:pack{pack.pk}"


def custom_plan(track: str, topics: Sequence[str], level: str, count: int, minutes: int) -> Plan:
    """The plan of an interview a candidate put together."""
    return Plan(
        title="Custom interview",
        slot_name=f"custom:{track}",
        track=track,
        level=level,
        minutes=minutes,
        slots=custom_slots(count, minutes),
        topics=tuple(topics),
    )


def drill_plan(
    *, user: User | None, blueprint: Blueprint, topic: tuple[str, str], level: str, now: datetime
) -> Plan:
    """The plan of a drill of one topic (code, title). Only a topic that is one is called a weak area."""
    is_weak, strong = _drill_advice(user, topic[0], now)
    return Plan(
        title=f"{blueprint.title if is_weak else 'Drill'}: {topic[1]}",
        slot_name=f"{blueprint.slug}:{topic[0]}",
        track=drill_track(topic[0], user.track if user else ""),
        level=level,
        minutes=blueprint.minutes,
        slots=(),
        blueprint=blueprint,
        drill=DrillWish(topic, tuple(strong)),
    )


def start_attempt(*, user: User, plan: Plan, mode: str, start_key: UUID, seed: int, now: datetime) -> Attempt:
    """The attempt of this start. Pressed twice, from two tabs or replayed, it is the same attempt with
    the same deadline: `(user, start_key)` and one running attempt per `(user, slot)` are constraints.

    Writing nothing, raises CannotFill when the bank has too few fitting questions, and GuestClaimed when
    the visitor's work has just gone to an account.
    """
    if (known := find_started(user, plan, mode, start_key, now)) is not None:
        return known
    if plan.drill is not None:
        plan, picks = _choose_drill(user, plan, plan.drill, seed, now)
    else:
        picks = _choose(user, plan, seed).picks
    return start_with_picks(
        user=user, plan=plan, picks=picks, mode=mode, start_key=start_key, seed=seed, now=now
    )


def start_as_guest(
    *, guest_id: UUID | None, plan: Plan, mode: str, start_key: UUID, seed: int, now: datetime
) -> Attempt:
    """The attempt of a visitor's first start, with the guest it makes of them: both or, when it is refused,
    neither. Pressed twice before the first reply, it is the same guest and the same attempt. `guest_id` as
    in `find_or_create_guest`, the rest as in `start_attempt`.
    """
    with transaction.atomic():
        guest = find_or_create_guest(guest_id=guest_id, now=now)
        return start_attempt(user=guest, plan=plan, mode=mode, start_key=start_key, seed=seed, now=now)


def find_started(user: User, plan: Plan, mode: str, start_key: UUID, now: datetime) -> Attempt | None:
    """The attempt this start already made, or the one of the same kind that still runs."""
    return _find(user, start_key, _slot(mode, plan), now)


def start_with_picks(
    *, user: User, plan: Plan, picks: Sequence[Pick], mode: str, start_key: UUID, seed: int, now: datetime
) -> Attempt:
    """Makes the attempt with questions that were chosen before; the caller has asked `find_started`, which
    also closes what is overdue. Of two at once one makes it, and both get that one."""
    slot = _slot(mode, plan)
    try:
        with transaction.atomic():
            attempt = Attempt.objects.create(
                user=user,
                track_id=plan.track or None,
                blueprint=plan.blueprint,
                pack=plan.pack,
                title=plan.title,
                mode=mode,
                level=plan.level,
                start_key=start_key,
                slot=slot,
                seed=seed,
                minutes=plan.minutes,
                reason=plan.reason,
                time_allowance=user.time_allowance,
                started_at=now,
                deadline_at=None
                if mode == Mode.PRACTICE
                else timing.deadline_of(now, plan.minutes, user.time_allowance),
            )
            settings_of = pack_settings(plan.pack, picks) if plan.pack else {}
            Response.objects.bulk_create(_responses(attempt, picks, settings_of, now))
    except IntegrityError:
        # Another request of this person won the race; both constraints name the winner.
        winner = _find(user, start_key, slot, now)
        if winner is not None:
            return winner
        if not User.objects.filter(pk=user.pk).exists():
            raise GuestClaimed(
                "You signed in from another tab at this moment. Nothing was lost: press start again."
            ) from None
        raise
    return attempt


def _slot(mode: str, plan: Plan) -> str:
    return f"{mode}:{plan.slot_name}"


def _find(user: User, start_key: UUID, slot: str, now: datetime) -> Attempt | None:
    """The attempt this start already made, or the one of the same kind that still runs."""
    attempts = _STARTED.all(user=user.pk, start_key=start_key, slot=slot)
    for attempt in sorted(attempts, key=lambda found: found.start_key != start_key):
        if attempt.start_key == start_key:
            return attempt
        if not close_if_overdue(attempt=attempt, now=now):
            return attempt
    return None


_STARTED = Kept(
    lambda user, start_key, slot: Attempt.objects.filter(
        Q(start_key=start_key) | Q(slot=slot, state=State.RUNNING), user=user
    ),
    user=UUIDField(),
    start_key=UUIDField(),
    slot=CharField(),
)


def _choose(user: User, plan: Plan, seed: int) -> Selection:
    if plan.pack is not None:
        pool = pack_pool(user, plan.pack, plan.tracks)
    elif len(plan.tracks) > 1:
        pool = join_pools(question_pools(user, plan.tracks), plan.tracks)
    else:
        pool = question_pool(user, plan.track)
    if plan.topics:
        pool = [candidate for candidate in pool if candidate.topic in plan.topics]
    selection = select(pool, plan.slots, plan.level, seed)
    if not selection.is_complete:
        shortage = pack_shortage if plan.pack else shortage_text
        raise CannotFill(shortage(selection, len(plan.slots)))
    return selection


def _choose_drill(
    user: User, plan: Plan, wish: DrillWish, seed: int, now: datetime
) -> tuple[Plan, tuple[Pick, ...]]:
    """The plan with the minutes its questions take and how they were chosen."""
    titles = dict([*wish.strong, wish.topic])
    pool = topic_pool(user, titles)
    strong = [code for code, _ in wish.strong]
    drill = make_drill(pool, wish.topic[0], strong, plan.level, plan.minutes, seed)
    if not drill.picks:
        has_any = any(candidate.topic == wish.topic[0] for candidate in pool)
        raise CannotFill(
            f"The bank has no question on {wish.topic[1]} that fits into {plan.minutes} minutes. "
            "Put a custom interview of it together, with more time."
            if has_any
            else f"The bank has no question on {wish.topic[1]} yet. Choose another topic."
        )
    return replace(
        plan, minutes=drill.minutes, reason=drill_words(drill, titles, timezone.get_current_timezone(), now)
    ), drill.picks


def _drill_advice(user: User | None, topic: str, now: datetime) -> tuple[bool, list[tuple[str, str]]]:
    """Whether the topic is weak for the person, and their strong topics: what `DRILL_ADVISER` knows."""
    if user is None:
        return False, []
    is_weak, strong = import_string(settings.DRILL_ADVISER)(user=user, topic=topic, now=now)
    return is_weak, strong


def _responses(
    attempt: Attempt, picks: Sequence[Pick], settings_of: Mapping[int, str], now: datetime
) -> list[Response]:
    """One row per question and follow-up, in the order they will be asked. Follow-ups stay unasked until
    the main answer is given, except where the follow-up is all that is asked. The setting of a question goes
    with what is asked of it first."""
    rows: list[Response] = []
    for pick in picks:
        parent = None
        setting = settings_of.get(pick.candidate.question_id, "")
        if not pick.slot.follow_up_only:
            parent = len(rows) + 1
            rows.append(
                Response(
                    attempt=attempt,
                    user_id=attempt.user_id,
                    position=parent,
                    version_id=pick.candidate.version_id,
                    minutes=pick.candidate.minutes,
                    setting=setting,
                    asked_at=now,
                )
            )
        for item in pick.follow_ups:
            rows.append(
                Response(
                    attempt=attempt,
                    user_id=attempt.user_id,
                    position=len(rows) + 1,
                    version_id=pick.candidate.version_id,
                    follow_up_id=item.id,
                    parent_position=parent,
                    minutes=item.minutes,
                    setting="" if parent else setting,
                    asked_at=now if parent is None else None,
                )
            )
    return rows

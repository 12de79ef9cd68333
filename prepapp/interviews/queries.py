"""What the pages read. Nothing here writes."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    DateTimeField,
    F,
    Max,
    PositiveSmallIntegerField,
    Q,
    QuerySet,
    UUIDField,
    Value,
    When,
)

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.models import User
from prepapp.bank.choices import Status
from prepapp.bank.models import FollowUp, Question, QuestionQuerySet, RubricPoint, TrackTopic
from prepapp.common.statements import Kept
from prepapp.interviews.choices import State
from prepapp.interviews.gradebook.reads import answer_is_held_back
from prepapp.interviews.models import Attempt, Blueprint, Response
from prepapp.interviews.recipes import read_recipe
from prepapp.interviews.selection import Candidate, FollowUpItem, Selection, join_pools, select
from prepapp.interviews.timing import time_plan

# The last interviews a candidate sees on the front page.
RECENT = 5


def question_pool(user: User | None, track: str) -> list[Candidate]:
    """Every published question of a track as the selection sees it: 2 queries, 3 with a user whose past
    attempts count."""
    follow_ups = _POOL_FOLLOW_UPS.rows(track=track)
    return [candidate for _, candidate in _candidates(user, _POOL.rows(track=track), follow_ups)]


def question_pools(user: User | None, tracks: Collection[str]) -> dict[str, list[Candidate]]:
    """The pools of several tracks by code, in as many queries as one takes."""
    questions = Question.objects.published().filter(topic__tracktopic__track__in=tracks)
    pools: dict[str, list[Candidate]] = {track: [] for track in tracks}
    rows = list(questions.values_list("topic__tracktopic__track_id", *_OF_A_CANDIDATE))
    for track, candidate in _candidates(user, rows, _follow_ups(rows)):
        pools[track].append(candidate)
    return pools


def topic_pool(user: User | None, topics: Collection[str]) -> list[Candidate]:
    """Every published question of these topics, whatever their tracks, in as many queries as a track's."""
    return pool_of(user, Question.objects.published().filter(topic__in=topics))


def pool_of(user: User | None, questions: QuestionQuerySet) -> list[Candidate]:
    """These questions as the selection sees them, in as many queries as a track's."""
    rows = list(questions.values_list("topic_id", *_OF_A_CANDIDATE))
    return [candidate for _, candidate in _candidates(user, rows, _follow_ups(rows))]


_OF_A_CANDIDATE = (
    *("id", "topic_id", "current_version_id", "current_version__level", "current_version__kind"),
    "current_version__minutes",
)
_POOL = Kept(
    lambda track: (
        Question.objects.published()
        .filter(topic__tracktopic__track=track)
        .values_list("topic__tracktopic__track_id", *_OF_A_CANDIDATE)
    ),
    track=CharField(),
)
_POOL_FOLLOW_UPS = Kept(
    lambda track: _of_versions(
        Question.objects.published().filter(topic__tracktopic__track=track).values("current_version")
    ),
    track=CharField(),
)


def _of_versions(versions: Any) -> "QuerySet[FollowUp, Any]":
    rows = FollowUp.objects.filter(version__in=versions).order_by("version_id", "position")
    return rows.values_list("version_id", "id", "minutes")


def _follow_ups(questions: Sequence[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    return _of_versions({row[3] for row in questions})


def _candidates(
    user: User | None, rows: Sequence[Sequence[Any]], asked_next: Iterable[Sequence[Any]]
) -> Iterator[tuple[str, Candidate]]:
    """The questions as the selection sees them, each with the value of its first column."""
    follow_ups: dict[int, list[FollowUpItem]] = defaultdict(list)
    for version_id, follow_up_id, minutes in asked_next:
        follow_ups[version_id].append(FollowUpItem(follow_up_id, minutes))
    asked = _last_asked(user)
    for found, question_id, topic, version_id, level, kind, minutes in rows:
        yield (
            found,
            Candidate(
                version_id=version_id,
                question_id=question_id,
                topic=topic,
                level=level,
                kind=kind,
                minutes=minutes,
                follow_ups=tuple(follow_ups[version_id]),
                last_asked_at=asked.get(question_id),
            ),
        )


def _last_asked(user: User | None) -> dict[int, datetime]:
    if user is None:
        return {}
    return dict(_LAST_ASKED.rows(user=user.pk))


_LAST_ASKED = Kept(
    lambda user: (
        Response.objects.filter(user=user)
        .values_list("version__question_id")
        .annotate(last=Max("attempt__started_at"))
        .order_by()
    ),
    user=UUIDField(),
)


@dataclass(frozen=True)
class Offer:
    """A blueprint on the start page, with what the bank can give it now."""

    blueprint: Blueprint
    track: str
    track_title: str
    selection: Selection
    questions: int
    time_plan: str
    start_key: UUID
    is_drill: bool = False

    @property
    def is_complete(self) -> bool:
        return self.selection.is_complete

    @property
    def shortage(self) -> str:
        return shortage_text(self.selection, self.questions)


def shortage_text(
    selection: Selection,
    wanted: int,
    source: str = "The bank",
    instead: str = "another track, level or length",
) -> str:
    """Says what is missing, so that the candidate can choose something else."""
    slot = selection.unfilled[0]
    kinds = " or ".join(slot.kinds) if len(slot.kinds) <= 2 else "fitting"
    return (
        f"{source} can fill {len(selection.picks)} of {wanted} places: it has too few {kinds} questions of "
        f"at most {slot.minutes} minutes here. Choose {instead}."
    )


def offers(user: User | None, tracks: dict[str, str], track: str, level: str) -> list[Offer]:
    """Every active blueprint with a trial selection, so that the page says beforehand what cannot be
    filled; for a drill the topic is chosen first. Three queries. `tracks` maps code to title."""
    allowance = user.time_allowance if user else TimeAllowance.NORMAL
    recipes = [
        (blueprint, read_recipe(blueprint.recipe)) for blueprint in Blueprint.objects.filter(is_active=True)
    ]
    pools = question_pools(None, {home for _, recipe in recipes for home in recipe.tracks_for(track)})
    found = []
    for blueprint, recipe in recipes:
        home = recipe.home(track)
        slots = recipe.slots_for(level, track)
        found.append(
            Offer(
                blueprint=blueprint,
                track=home,
                track_title=tracks.get(home, home),
                selection=select(join_pools(pools, recipe.tracks_for(track)), slots, level, 0),
                questions=len(slots),
                time_plan=time_plan(blueprint.minutes, allowance),
                start_key=uuid4(),
                is_drill=recipe.is_drill,
            )
        )
    return found


def topic_session(user: User | None, track: str, topics: Sequence[str]) -> dict[str, int]:
    """How many questions, and minutes for them, a session on these topics can have: up to three, each with
    the time of the longest. Empty when the bank has none."""
    fitting = [candidate for candidate in question_pool(user, track) if candidate.topic in topics]
    if not fitting:
        return {}
    count = min(len(fitting), 3)
    return {"count": count, "minutes": count * max(candidate.minutes for candidate in fitting)}


@dataclass(frozen=True)
class DrillTopic:
    """A topic that can be drilled, and how many questions the bank has for that."""

    code: str
    title: str
    questions: int


def drill_topics(track: str, minutes: int) -> list[DrillTopic]:
    """The topics of a track that have published questions of at most so many minutes, the heaviest first.
    One query."""
    fitting = Q(
        topic__questions__status=Status.PUBLISHED, topic__questions__current_version__minutes__lte=minutes
    )
    topics = (
        TrackTopic.objects.filter(track=track)
        .annotate(fitting=Count("topic__questions", filter=fitting))
        .filter(fitting__gt=0)
        .order_by("-weight", "topic__position", "topic")
    )
    return [DrillTopic(*row) for row in topics.values_list("topic_id", "topic__title", "fitting")]


def drill_blueprint() -> Blueprint | None:
    """The format of a drill, if the site has it. One query."""
    active = Blueprint.objects.filter(is_active=True)
    return next((found for found in active if read_recipe(found.recipe).is_drill), None)


def drill_track(topic: str, wanted: str) -> str:
    """The track a drill of the topic belongs to: the wanted one if it holds the topic, else the topic's own,
    else any that holds it. '' if none does. One query."""
    tracks = list(TrackTopic.objects.filter(topic=topic).order_by("track").values_list("track", flat=True))
    home = topic.partition(".")[0]
    return next((track for track in (wanted, home, *tracks) if track in tracks), "")


@dataclass(frozen=True)
class MapEntry:
    """One square of the room's map; follow-ups have one from the start, shown once they are asked."""

    position: int
    parent_position: int | None
    label: str
    is_asked: bool
    is_answered: bool
    is_flagged: bool
    is_skipped: bool
    is_current: bool = False

    @property
    def is_follow_up(self) -> bool:
        return self.parent_position is not None

    @property
    def words(self) -> str:
        """The state as a screen reader says it."""
        states = ["answered" if self.is_answered else "skipped" if self.is_skipped else "empty"]
        if self.is_flagged:
            states.append("flagged")
        kind = "Follow-up" if self.is_follow_up else "Question"
        return f"{kind} {self.label}, {', '.join(states)}"


_MAP = Kept(
    lambda attempt: (
        Response.objects.filter(attempt=attempt)
        .order_by("position")
        .annotate(
            is_answered=Case(
                When(text="", then=Value(False)), default=Value(True), output_field=BooleanField()
            )
        )
        .values_list("position", "parent_position", "asked_at", "is_answered", "is_flagged", "is_skipped")
    ),
    attempt=UUIDField(),
)


def read_map(attempt_id: UUID) -> list[MapEntry]:
    """Every square in order, without the texts: one query."""
    entries = []
    number = letter = 0
    for position, parent, asked_at, is_answered, is_flagged, is_skipped in _MAP.rows(attempt=attempt_id):
        number, letter = (number + 1, 0) if parent is None else (number, letter + 1)
        entries.append(
            MapEntry(
                position=position,
                parent_position=parent,
                label=f"{number}{chr(ord('a') + letter - 1)}" if letter else str(number),
                is_asked=asked_at is not None,
                is_answered=is_answered,
                is_flagged=is_flagged,
                is_skipped=is_skipped,
            )
        )
    return entries


def shown(squares: Sequence[MapEntry], current: int) -> list[MapEntry]:
    """The squares a candidate may see, with the current one marked."""
    return [replace(square, is_current=square.position == current) for square in squares if square.is_asked]


def leaving_matters(squares: Sequence[MapEntry], position: int, *, is_skipped: bool) -> bool:
    """Whether moving on from a question changes anything: follow-ups to be asked, or a skip to be noted."""
    left = next((square for square in squares if square.position == position), None)
    if left is None:
        return False
    if left.is_answered:
        return any(square.parent_position == position and not square.is_asked for square in squares)
    return is_skipped and not left.is_skipped


def asked_response(attempt_id: UUID, position: int) -> Response | None:
    """The answer at a position, if its question has been put, with the topic's title as `topic`. The text
    of the question comes from `bank.queries.asked_text`."""
    return _ASKED.first(attempt=attempt_id, position=position)


_ASKED = Kept(
    lambda attempt, position: Response.objects.filter(
        attempt=attempt, position=position, asked_at__isnull=False
    ).annotate(topic=F("version__question__topic__title")),
    attempt=UUIDField(),
    position=PositiveSmallIntegerField(),
)


def resume_position(attempt_id: UUID) -> int:
    """Where to go on: the answer saved last, else the first question."""
    last = (
        Response.objects.filter(attempt=attempt_id, saved_at__isnull=False)
        .order_by("-saved_at")
        .values_list("position", flat=True)
        .first()
    )
    return last or 1


def hints(response: Response, count: int, now: datetime) -> list[str]:
    """The first `count` hints of a question in practice: what the rubric looks for, must-haves first. None
    while a mock that runs asks the question."""
    if answer_is_held_back(response.pk, now):
        return []
    points = RubricPoint.objects.filter(version=response.version_id, follow_up=response.follow_up_id)
    ordered = points.order_by("-is_must", "position")
    return list(ordered.values_list("criterion", flat=True)[:count])


def open_and_recent_attempts(user: User) -> list[Attempt]:
    """What runs, what waits for its marks, and the last RECENT that have ended, newest first. One query."""
    return _OPEN_AND_RECENT.all(user=user.pk)


def _open_and_recent(user: Any) -> QuerySet[Attempt]:
    mine = Attempt.objects.filter(user=user).order_by("-started_at", "-id")
    recent = mine.exclude(state=State.RUNNING).values("pk")[:RECENT]
    wanted = mine.filter(Q(state__in=[State.RUNNING, State.GRADING]) | Q(pk__in=recent))
    return wanted.select_related("track")


_OPEN_AND_RECENT = Kept(_open_and_recent, user=UUIDField())


def started_since(since: datetime) -> QuerySet[Attempt, UUID]:
    """The people who started an interview since then. Accounts ask through `GUEST_ACTIVITY`."""
    return Attempt.objects.filter(started_at__gte=since).order_by().values_list("user_id", flat=True)


def starts_since(user: User, now: datetime) -> int:
    """How many interviews the person started in the hour before `now`."""
    return sum(number for (number,) in _STARTS.rows(user=user.pk, since=now - timedelta(hours=1)))


_STARTS = Kept(
    lambda user, since: (
        Attempt.objects.filter(user=user, started_at__gt=since)
        .order_by()
        .values("user")
        .annotate(number=Count("pk"))
        .values_list("number")
    ),
    user=UUIDField(),
    since=DateTimeField(),
)


def asked_questions(question_ids: Collection[int]) -> set[int]:
    """Those of these questions that any attempt asks or asked. One query."""
    asked = Response.objects.filter(version__question__in=question_ids)
    return set(asked.order_by().values_list("version__question", flat=True).distinct())

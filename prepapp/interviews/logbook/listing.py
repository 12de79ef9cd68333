"""The list of a person's attempts: filters, rows, the line of their scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    DecimalField,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    UUIDField,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from prepapp.accounts.models import User
from prepapp.bank.models import TrackTopic
from prepapp.common.pagination import PAGE_SIZE, Page, first_page, keyset_page
from prepapp.common.statements import Kept
from prepapp.interviews import scoring, timing
from prepapp.interviews.choices import Band, Mode, State
from prepapp.interviews.models import Attempt, AttemptQuerySet, Blueprint, Response, ResponseGrade

CUSTOM = "custom"
BY_TIME = ("-started_at", "-id")
BY_SCORE = ("-score_rank", "-started_at", "-id")
TREND_LENGTH = 12
# Shape beside colour, the same as for marks.
BAND_SIGNS: dict[str, str] = {Band.STRONG: "✓", Band.HIRE: "✓", Band.BORDERLINE: "◐", Band.NOT_YET: "✕"}

_SCORE = DecimalField(max_digits=8, decimal_places=6)
_BAND_WORDS: dict[str, str] = {band: f"{BAND_SIGNS[band]} {band.label}" for band in Band}
_LINK_WORDS: dict[str, str] = {State.RUNNING: "Go on", State.GRADING: "Grade"}
# What the list shows of an attempt and what it is ordered by.
_SHOWN = ("title", "mode", "state", "score", "started_at", "finished_at", "deadline_at", "track__title")
# As in `gradebook.progress`: an empty answer needs no marks.
_TO_MARK = Response.objects.filter(text__regex=r"\S")
_MARKED = ResponseGrade.objects.filter(
    grading__closed_at__isnull=True, revealed_at__isnull=False, response__text__regex=r"\S"
)


@dataclass(frozen=True)
class HistoryFilter:
    """What is looked for; '' and None do not narrow. `since` and `until` are instants, the second is not
    included."""

    track: str = ""
    topic: str = ""
    blueprint: str = ""
    mode: str = ""
    state: str = ""
    since: datetime | None = None
    until: datetime | None = None
    by_score: bool = False


@dataclass(frozen=True)
class HistoryChoices:
    """What the list can be narrowed to, as (value, label). Topics are grouped by the track they belong to."""

    tracks: list[tuple[str, str]]
    topics: list[tuple[str, list[tuple[str, str]]]]
    blueprints: list[tuple[str, str]]


@dataclass(frozen=True)
class HistoryRow:
    """One attempt as the list shows it. `track`, `score` and what follows from the score are '' where
    there is none. `has_changed`: a question of it means something else since."""

    address: str
    title: str
    track: str
    is_mock: bool
    when: str
    time_used: str
    score: str
    band: str
    band_words: str
    state_words: str
    link_words: str
    has_changed: bool


@dataclass(frozen=True)
class TrendPoint:
    """One score of the trend; `x` and `y` in the units of a 100 × 40 drawing, y downwards, written out."""

    when: str
    title: str
    score: str
    x: str
    y: str


def history_choices() -> HistoryChoices:
    """Tracks, topics and formats to choose from: two queries, whatever the person has done."""
    tracks: dict[str, str] = {}
    homes: dict[str, list[tuple[str, str]]] = {}
    for track, track_title, topic, topic_title in _TOPICS.rows():
        tracks[track] = track_title
        if topic.partition(".")[0] == track:
            homes.setdefault(track, []).append((topic, topic_title))
    return HistoryChoices(
        tracks=list(tracks.items()),
        topics=[(tracks[track], topics) for track, topics in homes.items()],
        blueprints=[*((slug, title) for slug, title in _FORMATS.rows()), (CUSTOM, "Custom interview")],
    )


_TOPICS = Kept(
    lambda: TrackTopic.objects.order_by("track__position", "track", "topic__position", "topic").values_list(
        "track_id", "track__title", "topic_id", "topic__title"
    )
)
_FORMATS = Kept(lambda: Blueprint.objects.values_list("slug", "title"))


def _find_attempts(user: User, wanted: HistoryFilter) -> AttemptQuerySet:
    """The person's attempts that fit all of it, each once."""
    exact = {"track": wanted.track, "mode": wanted.mode, "state": wanted.state}
    narrow: dict[str, Any] = {field: value for field, value in exact.items() if value}
    if wanted.blueprint == CUSTOM:
        narrow["blueprint__isnull"] = True
    elif wanted.blueprint:
        narrow["blueprint__slug"] = wanted.blueprint
    if wanted.since:
        narrow["started_at__gte"] = wanted.since
    if wanted.until:
        narrow["started_at__lt"] = wanted.until
    found = Attempt.objects.for_user(user).filter(**narrow)
    if wanted.topic:
        asked = Response.objects.filter(attempt=OuterRef("pk"), version__question__topic=wanted.topic)
        found = found.filter(Exists(asked))
    return found


def history_page(user: User, wanted: HistoryFilter, *, cursor: str) -> Page[Attempt]:
    """20 of them, newest first or best first; those without a score come last. One query.

    While it is being graded each has `to_mark` and `marked`: how many answers need marks and have them; when
    it is graded `has_changed`: whether a question of it has changed its meaning since.
    BadCursor.
    """
    if _is_everything(wanted) and not wanted.by_score and not cursor:
        return first_page(_NEWEST.all(user=user.pk), BY_TIME)
    rows = _shown(_find_attempts(user, wanted))
    if wanted.by_score:
        rows = rows.annotate(score_rank=Coalesce(F("score"), Value(Decimal(-1)), output_field=_SCORE))
    return keyset_page(rows, BY_SCORE if wanted.by_score else BY_TIME, cursor=cursor)


def count_attempts(user: User, wanted: HistoryFilter) -> int:
    if _is_everything(wanted):
        return sum(number for (number,) in _NUMBER.rows(user=user.pk))
    return _find_attempts(user, wanted).count()


def history_rows(
    attempts: Sequence[Attempt], now: datetime, address_of: Callable[[UUID], str]
) -> list[HistoryRow]:
    """The attempts of a `history_page` in words."""
    return [_history_row(attempt, now, address_of(attempt.pk)) for attempt in attempts]


def _history_row(attempt: Attempt, now: datetime, address: str) -> HistoryRow:
    band = "" if attempt.score is None else scoring.band_of(attempt.score)
    return HistoryRow(
        address=address,
        title=attempt.title,
        track=attempt.track.title if attempt.track else "",
        is_mock=attempt.is_mock,
        when=day_words(attempt.started_at, now),
        time_used=time_used(attempt),
        score="" if attempt.score is None else scoring.score_text(attempt.score),
        band=band,
        band_words=_BAND_WORDS.get(band, ""),
        state_words=_state_words(attempt, now),
        link_words=_LINK_WORDS.get(attempt.state, "Open"),
        has_changed=bool(getattr(attempt, "has_changed", False)),
    )


def day_words(instant: datetime, now: datetime) -> str:
    """`12 Nov, 14:03` in the zone of the request; with the year where it is not the present one."""
    zone = timezone.get_current_timezone()
    local = instant.astimezone(zone)
    year = "" if local.year == now.astimezone(zone).year else f" {local.year}"
    return f"{local.day} {local:%b}{year}, {local.hour:02d}:{local.minute:02d}"


def time_used(attempt: Attempt) -> str:
    """From start to end as `m:ss`; '' while it runs."""
    if attempt.finished_at is None:
        return ""
    return timing.clock_text(int((attempt.finished_at - attempt.started_at).total_seconds()))


def score_trend(user: User, wanted: HistoryFilter, now: datetime) -> list[TrendPoint]:
    """The last scores of mock interviews among the attempts, oldest first. One query."""
    newest: Sequence[Any]
    if _is_everything(wanted):
        newest = _SCORES.rows(user=user.pk)
    else:
        newest = list(_scored(_find_attempts(user, wanted)))
    step = 100 / max(len(newest) - 1, 1)
    return [
        TrendPoint(
            when=day_words(started_at, now),
            title=title,
            score=scoring.score_text(score),
            x=str(round(place * step, 2)),
            y=str(round(40 - 4 * float(score), 2)),
        )
        for place, (started_at, title, score) in enumerate(reversed(newest))
        if score is not None
    ]


def _scored(attempts: AttemptQuerySet) -> "QuerySet[Attempt, Any]":
    scored = attempts.filter(mode=Mode.MOCK, state=State.GRADED, score__isnull=False)
    return scored.order_by(*BY_TIME).values_list("started_at", "title", "score")[:TREND_LENGTH]


def _shown(attempts: AttemptQuerySet) -> AttemptQuerySet:
    return attempts.select_related("track").only(*_SHOWN).annotate(**_PROGRESS, has_changed=_HAS_CHANGED)


def _state_words(attempt: Any, now: datetime) -> str:
    """What the state means to the candidate; '' where the score says it."""
    if attempt.state == State.RUNNING:
        left = timing.seconds_left(attempt.deadline_at, now)
        return "running" if left is None else f"running, {timing.clock_text(int(left))} left"
    if attempt.state == State.GRADING:
        return f"grading: {attempt.marked} of {attempt.to_mark}"
    if attempt.state == State.ABANDONED:
        return "gave up"
    return "" if attempt.score is not None else "not scored"


def _count_of(rows: "QuerySet[Any]", attempt: str) -> Subquery:
    """The number of rows of the outer attempt, which the field `attempt` names."""
    counted = rows.filter(**{attempt: OuterRef("pk")}).order_by().values(attempt).annotate(total=Count("pk"))
    return Subquery(counted.values("total"), output_field=IntegerField())


def _while_grading(count: Subquery) -> Case:
    return Case(When(Q(state=State.GRADING), then=Coalesce(count, Value(0))), default=Value(0))


# Put together once: building these costs more than all else of the list's query.
_PROGRESS = {
    "to_mark": _while_grading(_count_of(_TO_MARK, "attempt")),
    "marked": _while_grading(_count_of(_MARKED, "grading__attempt")),
}

_CHANGED = Response.objects.filter(
    attempt=OuterRef("pk"), version__question__current_version__meaning__gt=F("version__meaning")
)
_HAS_CHANGED = Case(When(Q(state=State.GRADED), then=Exists(_CHANGED)), default=Value(False))


def _is_everything(wanted: HistoryFilter) -> bool:
    return replace(wanted, by_score=False) == HistoryFilter()


# Most people look at everything, newest first.
_NEWEST = Kept(
    lambda user: _shown(Attempt.objects.filter(user=user)).order_by(*BY_TIME)[: PAGE_SIZE + 1],
    user=UUIDField(),
)
_NUMBER = Kept(
    lambda user: (
        Attempt.objects.filter(user=user)
        .order_by()
        .values("user")
        .annotate(number=Count("pk"))
        .values_list("number")
    ),
    user=UUIDField(),
)
_SCORES = Kept(lambda user: _scored(Attempt.objects.filter(user=user)), user=UUIDField())

"""The figures of a week, for many people in the same few queries.

What counts: an interview belongs to the week in which its grading was first closed, in the zone its owner
lives in now, so that each counts once. Estimates are those of the moment the report is made.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Max, Q, Sum

from prepapp.accounts.models import User
from prepapp.bank.models import RubricPoint, Track
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.gradebook.held_back import held_back_pairs
from prepapp.interviews.models import Attempt, Blueprint, Response
from prepapp.interviews.queries import question_pools
from prepapp.interviews.recipes import Recipe, read_recipe
from prepapp.interviews.selection import join_pools, select
from prepapp.reports import planning
from prepapp.reports.choices import Standing
from prepapp.reports.figures import Figures, MissedPoint, Practice, TopicFigure, WeakArea
from prepapp.reports.planning import Format, Needs
from prepapp.reports.queries.due import SAT
from prepapp.reports.queries.evidence import counted_grades
from prepapp.reports.queries.standings import Standings, TopicStanding, standings_of
from prepapp.reports.weeks import Week, week_in

PEOPLE_AT_ONCE = 500
MISSED_SINCE = timedelta(days=90)
POINTS_PER_AREA = 4
_MINUTE = 60

Span = tuple[datetime, datetime]
# A person and a topic.
Area = tuple[UUID, str]


def weekly_figures(users: Sequence[User], week: Week, now: datetime) -> dict[UUID, Figures]:
    """The figures of each of up to PEOPLE_AT_ONCE people for their `week`, as of `now`. The queries do not
    grow with the people."""
    zones = {user.pk: user.zone for user in users}
    spans = {user_id: week.bounds(zone) for user_id, zone in zones.items()}
    sittings = _sittings(spans, week)
    practice = _practice(sittings, spans)
    stood = standings_of(users, now, since=week.monday)
    missed = _missed_points(stood, zones, now)
    offers = _Offers({user.track for user in users}, stood.values())
    found = {}
    for user in users:
        standings = stood[user.pk]
        topics = [_topic(topic) for topic in standings.measured]
        zone = zones[user.pk]
        last = _last_active(user, sittings[user.pk], spans[user.pk][1])
        idle = planning.idle_weeks(week, week_in(last, zone))
        today = now.astimezone(zone).date()
        interview_on = user.interview_date if user.interview_date and user.interview_date >= today else None
        found[user.pk] = Figures(
            week=week.label,
            practice=practice[user.pk],
            topics=topics,
            weak=[
                WeakArea(topic, missed.get((user.pk, topic.topic), []))
                for topic in topics
                if topic.standing == Standing.WEAK
            ],
            unmeasured=[title for _, title in standings.unmeasured],
            plan=planning.plan_sessions(week, today, offers.needs(user, topics, standings)),
            idle_weeks=idle,
            pauses=planning.pauses(idle),
            interview_on=interview_on,
            days_left=(interview_on - today).days if interview_on else None,
            track_rate=standings.track_rate,
        )
    return found


# --- practice -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sitting:
    """One interview that was handed in."""

    attempt: UUID
    mode: str
    state: str
    started_at: datetime
    finished_at: datetime
    has_clock: bool
    graded_at: datetime | None


def _sittings(spans: Mapping[UUID, Span], week: Week) -> dict[UUID, list[_Sitting]]:
    """What each handed in or had graded since it matters for idle weeks, and what waits for its marks."""
    weeks_back = week.monday - planning.first_counted(week).monday
    since = min((begin for begin, _ in spans.values()), default=None)
    found: dict[UUID, list[_Sitting]] = defaultdict(list)
    if since is None:
        return found
    # A day more: between clock changes a week is not always as long.
    since -= weeks_back + timedelta(days=1)
    rows = Attempt.objects.filter(
        Q(finished_at__gte=since) | Q(graded_at__gte=since) | Q(state=State.GRADING),
        user__in=spans,
        state__in=SAT,
    ).values_list("user_id", "pk", "mode", "state", "started_at", "finished_at", "deadline_at", "graded_at")
    for user_id, pk, mode, state, started_at, finished_at, deadline_at, graded_at in rows.order_by():
        assert finished_at is not None  # a constraint of the table
        found[user_id].append(
            _Sitting(pk, mode, state, started_at, finished_at, deadline_at is not None, graded_at)
        )
    return found


def _last_active(user: User, sittings: Iterable[_Sitting], end: datetime) -> datetime:
    """When the person last handed in an interview or had one graded before `end`, else when they joined."""
    moments = [user.date_joined]
    for sitting in sittings:
        moments += [sitting.finished_at, sitting.graded_at or sitting.finished_at]
    return max((moment for moment in moments if moment < end), default=user.date_joined)


def _practice(sittings: Mapping[UUID, list[_Sitting]], spans: Mapping[UUID, Span]) -> dict[UUID, Practice]:
    graded = {
        user_id: [
            sitting
            for sitting in sittings.get(user_id, ())
            if sitting.graded_at is not None and begin <= sitting.graded_at < end
        ]
        for user_id, (begin, end) in spans.items()
    }
    everything = [sitting for found in graded.values() for sitting in found]
    counts = _counts({sitting.attempt for sitting in everything if sitting.mode == Mode.MOCK})
    written = _seconds_written({sitting.attempt for sitting in everything if not sitting.has_clock})
    return {
        user_id: _practice_of(
            graded[user_id],
            counts,
            written,
            to_grade=sum(
                sitting.state == State.GRADING and sitting.finished_at < end
                for sitting in sittings.get(user_id, ())
            ),
        )
        for user_id, (_, end) in spans.items()
    }


def _practice_of(
    graded: Sequence[_Sitting],
    counts: Mapping[UUID, tuple[int, ...]],
    written: Mapping[UUID, int],
    to_grade: int,
) -> Practice:
    mocks = [sitting for sitting in graded if sitting.mode == Mode.MOCK]
    totals = [
        sum(column) for column in zip(*(counts[s.attempt] for s in mocks if s.attempt in counts), strict=True)
    ]
    answers, points, met, partly, shown = totals or (0, 0, 0, 0, 0)
    seconds = sum(_seconds(sitting, written) for sitting in graded)
    return Practice(
        mocks=len(mocks),
        practices=len(graded) - len(mocks),
        minutes=int(seconds / _MINUTE + 0.5),
        answers=answers,
        points=points,
        met=met,
        partly=partly,
        shown=shown,
        to_grade=to_grade,
    )


def _seconds(sitting: _Sitting, written: Mapping[UUID, int]) -> float:
    """From start to end; without a clock, which may stand open for days, the time the answers were written
    in."""
    whole = (sitting.finished_at - sitting.started_at).total_seconds()
    return whole if sitting.has_clock else min(whole, written.get(sitting.attempt, 0))


def _counts(attempts: Collection[UUID]) -> dict[UUID, tuple[int, ...]]:
    """Answers, points, met, partly met and shown by attempt, as its newest closed grading has them."""
    if not attempts:
        return {}
    is_met = Q(marks__value=MarkValue.MET)
    rows = (
        counted_grades()
        .filter(grading__attempt__in=attempts)
        .order_by()
        .values_list("grading__attempt_id")
        .annotate(
            answers=Count("response", distinct=True),
            points=Count("marks"),
            met=Count("marks", filter=is_met),
            partly=Count("marks", filter=Q(marks__value=MarkValue.PARTLY)),
            shown=Count("marks", filter=is_met & ~Q(marks__quote="")),
        )
    )
    return {attempt: tuple(counts) for attempt, *counts in rows}


def _seconds_written(attempts: Collection[UUID]) -> dict[UUID, int]:
    if not attempts:
        return {}
    rows = Response.objects.filter(attempt__in=attempts).order_by().values_list("attempt_id")
    return dict(rows.annotate(seconds=Sum("seconds_spent")))


# --- weak areas -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Loss:
    """How often a point was not fully met, and by how many halves in all; `newest` is the newest answer that
    did not. An edited question keeps the keys of its points, so they stay one point through its versions."""

    question: int
    key: str
    is_must: bool
    missed: int
    times: int
    halves: int
    newest: int

    @property
    def order(self) -> tuple[int, bool, int, int, str]:
        """Most often first, then must-haves, then what lost most, then the newest."""
        return (-self.missed, not self.is_must, -self.halves, -self.newest, self.key)


@dataclass(frozen=True)
class _Answer:
    attempt: UUID
    position: int
    finished_at: datetime
    version: int


def _missed_points(
    stood: Mapping[UUID, Standings], zones: Mapping[UUID, ZoneInfo], now: datetime
) -> dict[Area, list[MissedPoint]]:
    """By person and weak topic. Nothing of a question that a running mock of the person asks."""
    weak = {(user_id, topic.topic) for user_id, found in stood.items() for topic in found.weak}
    if not weak:
        return {}
    held_back = held_back_pairs({user_id for user_id, _ in weak}, now)
    losses_of: dict[Area, list[_Loss]] = defaultdict(list)
    for user_id, topic, loss in _losses(weak, now):
        if (user_id, topic) in weak and (user_id, loss.question) not in held_back:
            losses_of[user_id, topic].append(loss)
    chosen = {
        area: sorted(losses, key=lambda loss: loss.order)[:POINTS_PER_AREA]
        for area, losses in losses_of.items()
    }
    return _with_words(chosen, zones)


def _losses(weak: Collection[Area], now: datetime) -> Iterator[tuple[UUID, str, _Loss]]:
    is_lost = Q(marks__value__lt=MarkValue.MET)
    rows = (
        counted_grades()
        .filter(
            grading__attempt__user__in={user_id for user_id, _ in weak},
            grading__attempt__finished_at__gte=now - MISSED_SINCE,
            response__version__question__topic__in={topic for _, topic in weak},
        )
        .order_by()
        .values_list(
            "grading__attempt__user_id",
            "response__version__question__topic_id",
            "response__version__question_id",
            "marks__point__key",
        )
        .annotate(
            musts=Count("marks", filter=is_lost & Q(marks__point__is_must=True)),
            missed=Count("marks", filter=is_lost),
            times=Count("marks"),
            halves=Sum(MarkValue.MET - F("marks__value")),
            newest=Max("response_id", filter=is_lost),
        )
        .filter(missed__gt=0)
    )
    for user_id, topic, question, key, musts, *numbers in rows:
        yield user_id, topic, _Loss(question, key, musts > 0, *numbers)


def _with_words(
    chosen: Mapping[Area, Sequence[_Loss]], zones: Mapping[UUID, ZoneInfo]
) -> dict[Area, list[MissedPoint]]:
    """The points as the newest answer that missed them was asked."""
    losses = [loss for found in chosen.values() for loss in found]
    answers = {
        pk: _Answer(attempt, position, finished_at, version)
        for pk, attempt, position, finished_at, version in Response.objects.filter(
            pk__in={loss.newest for loss in losses}
        ).values_list("pk", "attempt_id", "position", "attempt__finished_at", "version_id")
        if finished_at is not None  # known to the database; the type does not know it
    }
    words = {
        (version, key): criterion
        for version, key, criterion in RubricPoint.objects.filter(
            version__in={answer.version for answer in answers.values()}, key__in={loss.key for loss in losses}
        ).values_list("version_id", "key", "criterion")
    }
    found: dict[Area, list[MissedPoint]] = {}
    for (user_id, topic), ranked in chosen.items():
        points = found[user_id, topic] = []
        for loss in ranked:
            answer = answers[loss.newest]
            points.append(
                MissedPoint(
                    criterion=words[answer.version, loss.key],
                    is_must=loss.is_must,
                    missed=loss.missed,
                    times=loss.times,
                    attempt=str(answer.attempt),
                    position=answer.position,
                    answered_on=answer.finished_at.astimezone(zones[user_id]).date(),
                    question=loss.question,
                )
            )
    return found


# --- topics and the plan --------------------------------------------------------------------------


def _topic(topic: TopicStanding) -> TopicFigure:
    estimate, before = topic.estimate, topic.before
    return TopicFigure(
        topic=topic.topic,
        title=topic.title,
        mean=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        p_weak=estimate.p_weak,
        answers=estimate.answers,
        standing=topic.standing.value,
        need=topic.need,
        before=before.mean if before else None,
        standing_before=before.standing.value if before else "",
    )


class _Offers:
    """What the bank can give: per track and level the formats it can fill, and the topics it has questions
    of. Four queries, however many people ask."""

    def __init__(self, tracks: Collection[str], stood: Iterable[Standings]) -> None:
        self._usual = Track.objects.values_list("pk", flat=True).first() or ""
        self._formats = [
            (blueprint, read_recipe(blueprint.recipe))
            for blueprint in Blueprint.objects.filter(is_active=True)
        ]
        homes = {_home(standings) for standings in stood}
        always = {track for _, recipe in self._formats for track in recipe.tracks_for("")}
        self._pools = question_pools(None, {*tracks, *homes, *always, self._usual} - {""})
        self._topics = {track: {candidate.topic for candidate in pool} for track, pool in self._pools.items()}
        self._found: dict[tuple[str, str], list[Format]] = {}

    def needs(self, user: User, topics: Sequence[TopicFigure], standings: Standings) -> Needs:
        track = user.track if user.track in self._pools else _home(standings) or self._usual
        asked = self._topics.get(track, set())
        return Needs(
            track=track,
            level=user.level,
            weak=[topic for topic in topics if topic.standing == Standing.WEAK],
            unsure=[topic for topic in topics if topic.standing == Standing.UNSURE],
            unmeasured=[entry for entry in standings.unmeasured if entry[0] in asked],
            formats=self._fillable(track, user.level),
            interview_on=user.interview_date,
        )

    def _fillable(self, track: str, level: str) -> list[Format]:
        if (track, level) not in self._found:
            own = self._of(track, level, own=True)
            self._found[track, level] = own or self._of(track, level, own=False)
        return self._found[track, level]

    def _of(self, track: str, level: str, *, own: bool) -> list[Format]:
        found = []
        for blueprint, recipe in self._formats:
            home = recipe.home(track)
            if (home == track) == own and self._fills(recipe, home, level):
                found.append(Format(blueprint.slug, blueprint.title, blueprint.minutes, home))
        return found

    def _fills(self, recipe: Recipe, track: str, level: str) -> bool:
        pool = join_pools(self._pools, recipe.tracks_for(track))
        return select(pool, recipe.slots_for(level, track), level, 0).is_complete


def _home(standings: Standings) -> str:
    """The track that the topic in greatest need belongs to."""
    return standings.measured[0].topic.partition(".")[0] if standings.measured else ""

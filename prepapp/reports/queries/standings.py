"""Where people stand: the estimate of each topic they were graded in, and what is not measured."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, Sum, UUIDField

from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.common.statements import Kept
from prepapp.reports import mastery
from prepapp.reports.choices import Standing
from prepapp.reports.mastery import Estimate, Tally
from prepapp.reports.models import TopicWeek, TrackRate
from prepapp.reports.queries.evidence import mastery_constants

# Of topics by their code: the title, and the weight by track.
TopicBook = dict[str, tuple[str, dict[str, float]]]


@dataclass(frozen=True)
class TopicStanding:
    """One topic with its estimate. `weight` is the topic's in the person's track, 0 outside of it and 1
    without a track. `before` is the estimate of a week earlier, None where nothing was measured then or
    nobody asked."""

    topic: str
    title: str
    weight: float
    estimate: Estimate
    before: Estimate | None = None

    @property
    def home(self) -> str:
        """The code of the track the topic comes from."""
        return self.topic.partition(".")[0]

    @property
    def standing(self) -> Standing:
        return self.estimate.standing

    @property
    def need(self) -> float:
        """What the topics are ordered by: how surely it is below the bar, times its weight."""
        return self.estimate.p_weak * self.weight


@dataclass(frozen=True)
class Standings:
    """`measured` by need, most first; equal ones by title. `unmeasured` are the topics of the person's track
    without a graded answer, as (code, title), heaviest first. `rate` is the person's own over all topics,
    `track_rate` that of everybody in their track, which it is drawn towards."""

    measured: list[TopicStanding] = field(default_factory=list)
    unmeasured: list[tuple[str, str]] = field(default_factory=list)
    rate: float = 0.0
    track_rate: float = 0.0

    def of(self, standing: Standing) -> list[TopicStanding]:
        return [topic for topic in self.measured if topic.standing == standing]

    @property
    def weak(self) -> list[TopicStanding]:
        return self.of(Standing.WEAK)

    @property
    def strong(self) -> list[TopicStanding]:
        return self.of(Standing.STRONG)


def standings(user: User, now: datetime, topics: TopicBook | None = None) -> Standings:
    """Where one person stands at `now`. Three queries, however much was practised; two with the topics."""
    return standings_of([user], now, topics=topics)[user.pk]


def standings_of(
    users: Sequence[User], now: datetime, since: date | None = None, topics: TopicBook | None = None
) -> dict[UUID, Standings]:
    """Where each of many stands at `now`, in the same three queries. With `since`, a Monday, each topic
    also has the estimate from a week before `now`, by the evidence of the weeks before `since`."""
    constants = mastery_constants()
    sums = _sums(users, now, since, constants)
    rates = track_rates(now)
    if topics is None:
        topics = _topics(
            {user.track for user in users}, {topic for topic_sums in sums.values() for topic in topic_sums}
        )

    wanted: list[tuple[UUID, str, bool]] = []
    tallies: list[Tally] = []
    priors: list[float] = []
    own: dict[UUID, tuple[float, float]] = {}
    for user in users:
        found = sums.get(user.pk, {})
        towards = rates.get(user.track, rates[""])
        for is_before in (False, True) if since else (False,):
            parts = {topic: pair[is_before] for topic, pair in found.items() if pair[is_before].answers}
            rate = mastery.shrunk_rate(sum(parts.values(), Tally()), towards, constants)
            if not is_before:
                own[user.pk] = (rate, towards)
            for topic, tally in parts.items():
                wanted.append((user.pk, topic, is_before))
                tallies.append(tally)
                priors.append(rate)
    found_estimates = dict(zip(wanted, mastery.estimates(tallies, priors, constants), strict=True))
    return {
        user.pk: _standings(user, sums.get(user.pk, {}), found_estimates, topics, own[user.pk])
        for user in users
    }


def drill_advice(*, user: User, topic: str, now: datetime) -> tuple[bool, list[tuple[str, str]]]:
    """What a drill of the topic should know: whether it is a weak area, and the person's strong topics as
    (code, title), the heaviest in their track first. Interviews ask through `DRILL_ADVISER`."""
    found = standings(user, now)
    strong = sorted(found.strong, key=lambda other: -other.weight)
    return topic in {weak.topic for weak in found.weak}, [(other.topic, other.title) for other in strong]


def track_rates(now: datetime) -> dict[str, float]:
    """The share of the rubric people of a track meet, by its code; '' for somebody without one. Drawn
    towards the bar by as many trials as any rate is, so that an empty site calls nobody weak or strong.
    One query."""
    constants = mastery_constants()
    tallies = {
        track: Tally(trials, successes).scaled(
            mastery.forward_weight(reckoned_at, constants) / mastery.forward_weight(now, constants)
        )
        for track, trials, successes, reckoned_at in _RATES.rows()
    }
    tallies[""] = sum(tallies.values(), Tally())
    return {track: mastery.shrunk_rate(tally, constants.bar, constants) for track, tally in tallies.items()}


_RATES = Kept(lambda: TrackRate.objects.values_list("track_id", "trials", "successes", "reckoned_at"))


def _sums(
    users: Sequence[User], now: datetime, since: date | None, constants: mastery.Constants
) -> dict[UUID, dict[str, tuple[Tally, Tally]]]:
    """By person and topic: the evidence as it weighs at `now`, and that of before `since` a week earlier."""
    if since is None and len(users) == 1:
        rows = [(*row, 0.0, 0.0, 0) for row in _SUMS_OF_ONE.rows(user=users[0].pk)]
    else:
        rows = _sums_and_before(users, since)
    found: dict[UUID, dict[str, tuple[Tally, Tally]]] = defaultdict(dict)
    a_week_ago = now - timedelta(days=7)
    for user_id, topic, *numbers in rows:
        found[user_id][topic] = (
            mastery.at(Tally(*numbers[:3]), now, constants),
            mastery.at(Tally(*numbers[3:]), a_week_ago, constants),
        )
    return found


# A page asks for one person in every request.
_SUMS_OF_ONE = Kept(
    lambda user: (
        TopicWeek.objects.filter(user=user)
        .order_by()
        .values_list("user_id", "topic_id")
        .annotate(trials_now=Sum("trials"), successes_now=Sum("successes"), answers_now=Sum("answers"))
    ),
    user=UUIDField(),
)


def _sums_and_before(users: Sequence[User], since: date | None) -> list[Any]:
    before = Q(week_start__lt=since) if since else Q(pk__in=())
    rows = TopicWeek.objects.filter(user__in=[user.pk for user in users])
    return list(
        rows.order_by()
        .values_list("user_id", "topic_id")
        .annotate(
            trials_now=Sum("trials"),
            successes_now=Sum("successes"),
            answers_now=Sum("answers"),
            trials_then=Sum("trials", filter=before, default=0.0),
            successes_then=Sum("successes", filter=before, default=0.0),
            answers_then=Sum("answers", filter=before, default=0),
        )
    )


def _topics(tracks: Collection[str], codes: Collection[str]) -> TopicBook:
    """Title and weight by track of the topics of these tracks and of these codes."""
    rows = Topic.objects.filter(Q(pk__in=codes) | Q(tracktopic__track__in=tracks)).values_list(
        "pk", "title", "tracktopic__track_id", "tracktopic__weight"
    )
    found: TopicBook = {}
    for code, title, track, weight in rows.order_by("position", "pk"):
        found.setdefault(code, (title, {}))[1][track] = float(weight or 0)
    return found


def _standings(
    user: User,
    sums: dict[str, tuple[Tally, Tally]],
    estimates: dict[tuple[UUID, str, bool], Estimate],
    topics: TopicBook,
    rates: tuple[float, float],
) -> Standings:
    measured = []
    for code in sums:
        title, weights = topics[code]
        weight = weights.get(user.track, 0.0) if user.track else 1.0
        estimate = estimates[user.pk, code, False]
        measured.append(TopicStanding(code, title, weight, estimate, estimates.get((user.pk, code, True))))
    measured.sort(key=lambda topic: (-topic.need, -topic.estimate.p_weak, topic.title))
    open_topics = [
        (-weights[user.track], title, code)
        for code, (title, weights) in topics.items()
        if user.track in weights and code not in sums
    ]
    return Standings(measured, [(code, title) for _, title, code in sorted(open_topics)], *rates)

"""Who gets a report of a week, and the plan of sessions in it. Values only.

The rule of idle weeks: a week without an interview handed in or graded is idle. The first two idle weeks in
a row get a short report, the report of the third says that it pauses, and then there is none until there is
practice again. It is counted from the last week with practice, or else from the week somebody joined in, so
nothing has to be remembered and a pause ends by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from prepapp.reports.figures import PlannedSession, TopicFigure
from prepapp.reports.weeks import Week, week_of

IDLE_WEEKS_REPORTED = 3
SESSIONS = 3
DRILL_MINUTES = 20
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Format:
    """An interview format the bank can fill for somebody's track and level."""

    slug: str
    title: str
    minutes: int
    track: str


@dataclass(frozen=True)
class Needs:
    """What a plan is made from. `weak` and `unsure` by need; `unmeasured` are topics of the track that the
    bank has questions of, as (code, title), heaviest first; `formats` in the order they are offered in."""

    track: str
    level: str
    weak: Sequence[TopicFigure] = ()
    unsure: Sequence[TopicFigure] = ()
    unmeasured: Sequence[tuple[str, str]] = ()
    formats: Sequence[Format] = ()
    interview_on: date | None = None


def idle_weeks(week: Week, last_active: Week) -> int:
    """How many weeks without practice there are up to and with `week`; 0 when it had practice."""
    return max((week.monday - last_active.monday).days // 7, 0)


def pauses(idle: int) -> bool:
    return idle == IDLE_WEEKS_REPORTED


def first_counted(week: Week) -> Week:
    """Whoever practised or joined in this week or later gets a report of `week`."""
    return week.shifted(-IDLE_WEEKS_REPORTED)


def plan_sessions(week: Week, today: date, needs: Needs) -> list[PlannedSession]:
    """Up to three sessions for the week that comes after `week`, in the order of their days."""
    days = session_days(week, today, needs.interview_on)
    sessions = _sessions(needs, len(days))
    if 1 < len(sessions) < len(days):
        # The last one is meant for the end of the week.
        days = [*days[: len(sessions) - 1], days[-1]]
    return [replace(session, on=day) for day, session in zip(days, sessions, strict=False)]


def session_days(week: Week, today: date, interview_on: date | None) -> list[date]:
    """Days of the coming week, spread over what is left of it: none in the past, none on the day of the
    interview or later. Monday, the day of the report, is taken only where the others are too few. Of a report
    that was made much later, the coming week is the one it was made in."""
    coming = max(week.shifted(1), week_of(today))
    free = [
        day
        for day in (coming.monday + n * _DAY for n in range(7))
        if day >= today and (interview_on is None or interview_on < today or day < interview_on)
    ]
    if len(free) > SESSIONS and free[0] == coming.monday:
        free = free[1:]
    count = min(SESSIONS, len(free))
    return [free[n * len(free) // count] for n in range(count)]


def _sessions(needs: Needs, count: int) -> list[PlannedSession]:
    """What to do, first things first: what needs it most as drills, then mocks, the longest at the end."""
    drills = _drills(needs)
    short, long = _mocks(needs)
    if len(drills) > 1:
        found = [drills[0], drills[1], long or short] if count >= SESSIONS else [drills[0], short]
    else:
        found = [*drills, short, long]
    return [session for session in found if session is not None][:count]


def _drills(needs: Needs) -> list[PlannedSession]:
    if needs.weak:
        return [
            _drill(needs, topic.topic, topic.title, _weak_reason(topic))
            for topic in needs.weak[: SESSIONS - 1]
        ]
    if needs.unmeasured:
        reasons = (
            "Not measured yet; of those it weighs most in your track.",
            "Not measured yet; the next in weight.",
        )
        return [
            _drill(needs, code, title, reason)
            for (code, title), reason in zip(needs.unmeasured, reasons, strict=False)
        ]
    if needs.unsure:
        lowest = min(needs.unsure, key=lambda topic: (topic.mean, topic.title))
        return [
            _drill(needs, lowest.topic, lowest.title, "Your lowest estimate; more answers make it surer.")
        ]
    return []


def _weak_reason(topic: TopicFigure) -> str:
    answers = "1 answer" if topic.answers == 1 else f"{topic.answers} answers"
    return f"Very probably below the bar, by {answers}."


def _drill(needs: Needs, code: str, title: str, reason: str) -> PlannedSession:
    # A drill is drawn from its topic, so where no track was chosen the topic's home will do.
    return PlannedSession(
        on=date.min,
        title=f"{title} drill",
        minutes=DRILL_MINUTES,
        blueprint="",
        track=needs.track or code.partition(".")[0],
        level=needs.level,
        topic=code,
        reason=reason,
    )


def _mocks(needs: Needs) -> tuple[PlannedSession | None, PlannedSession | None]:
    """A short mixed mock and a long one, of the person's own track where it has any."""
    own = [entry for entry in needs.formats if entry.track == needs.track] or list(needs.formats)
    if not own:
        return None, None
    short = next(
        (entry for entry in own if entry.slug == "screen"), min(own, key=lambda entry: entry.minutes)
    )
    longer = [entry for entry in own if entry.minutes > short.minutes]
    long = next((entry for entry in longer if entry.slug == "deep-dive"), None) or max(
        longer, key=lambda entry: entry.minutes, default=None
    )
    return (
        _mock(needs, short, "Mixed topics: it shows what holds under the clock."),
        _mock(needs, long, "A long one at the end of the week, as the real thing will be.") if long else None,
    )


def _mock(needs: Needs, entry: Format, reason: str) -> PlannedSession:
    return PlannedSession(
        on=date.min,
        title=entry.title,
        minutes=entry.minutes,
        blueprint=entry.slug,
        track=entry.track,
        level=needs.level,
        reason=reason,
    )

"""What a weekly report says, in words: made from its stored figures, the same for the page and for both
forms of the mail. Values only; addresses and markup are the templates'.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from prepapp.reports.choices import Standing
from prepapp.reports.figures import Figures, MissedPoint, PlannedSession, Practice, TopicFigure, WeakArea
from prepapp.reports.weeks import Week, read_week

SHOWN_AREAS = 3
# In a week without anything graded.
SHOWN_AREAS_SHORT = 1
SHOWN_UNMEASURED = 2
# Smaller movements of the mean are noise to a reader.
_MOVEMENT = 0.01
_WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
_STANDING: dict[str, str] = {
    Standing.WEAK: "weak",
    Standing.UNSURE: "not enough yet",
    Standing.STRONG: "strong",
}
_RANK: list[str] = [Standing.WEAK, Standing.UNSURE, Standing.STRONG]

# An answer, by its attempt and position.
Place = tuple[str, int]


@dataclass(frozen=True)
class Missed:
    """A point of the rubric that was missed, and the newest answer that missed it. `has_answer` is False
    when that interview was deleted since."""

    criterion: str
    is_must: bool
    times: str
    attempt: str
    position: int
    day: str
    has_answer: bool = True


@dataclass(frozen=True)
class Area:
    """One weak area. `held_back` counts points that are not shown while a mock that asks for them runs."""

    topic: str
    title: str
    percent: int
    low: int
    high: int
    sure: str
    answers: str
    points: list[Missed] = field(default_factory=list)
    held_back: int = 0

    @property
    def above(self) -> int:
        """Percent of the scale above the interval."""
        return 100 - self.high

    @property
    def basis(self) -> str:
        return f"{self.percent} %, {self.sure} between {self.low} and {self.high} · {self.answers}"


@dataclass(frozen=True)
class Moved:
    """A topic whose standing changed."""

    title: str
    before: str
    now: str
    is_better: bool

    @property
    def sentence(self) -> str:
        return f"{self.title} moved from {self.before} to {self.now}."


@dataclass(frozen=True)
class Session:
    """One session of the plan: a drill of `topic`, or the mock `blueprint`."""

    day: str
    on: date
    title: str
    minutes: int
    reason: str
    blueprint: str
    track: str
    level: str
    topic: str

    @property
    def is_drill(self) -> bool:
        return not self.blueprint


@dataclass(frozen=True)
class Letter:
    """`summary` are sentences to be read in a row. `more_weak`, `too_few`, `waiting`, `countdown` and
    `unmeasured` are '' where there is nothing to say."""

    week: Week
    subject: str
    headline: str
    summary: list[str]
    moved: list[Moved]
    weak: list[Area]
    more_weak: str
    too_few: str
    waiting: str
    plan: list[Session]
    countdown: str
    unmeasured: str

    @property
    def days(self) -> str:
        return self.week.days

    @property
    def number(self) -> int:
        return self.week.number


def write_letter(figures: Figures, held_back: Collection[Place] = (), gone: Collection[Place] = ()) -> Letter:
    """The letter of these figures. `held_back` are answers to questions that a running mock asks: their
    points are left out; `gone` are answers of interviews that were deleted. A week in which nothing was
    graded has a shorter one."""
    week = read_week(figures.week)
    figures = _in_lines(figures)
    is_full = _is_practised(figures.practice)
    shown = SHOWN_AREAS if is_full else SHOWN_AREAS_SHORT
    return Letter(
        week=week,
        subject=f"Your week {week.number}: {_subject(figures)}",
        headline=_headline(figures),
        summary=_summary(figures),
        # Without practice nothing has moved; it only grew old.
        moved=[_moved(topic) for topic in figures.moved] if is_full else [],
        weak=[_area(area, held_back, gone) for area in figures.weak[:shown]],
        more_weak=_more_weak(figures.weak[shown:]),
        too_few=_too_few(figures.topics) if is_full else "",
        waiting=_waiting(figures.practice),
        plan=[_session(session) for session in figures.plan],
        countdown=_countdown(figures),
        unmeasured=_unmeasured(figures.unmeasured),
    )


def duration(minutes: int) -> str:
    """`1 h 50`, `2 h`, `45 minutes`."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return _counted(rest, "minute", in_words=False) if rest else "less than a minute"
    return f"{hours} h {rest:02d}" if rest else f"{hours} h"


def percent(share: float) -> int:
    """A part of 1 as a whole percentage, rounded half up as everywhere."""
    return int(share * 100 + 0.5)


def short_day(day: date) -> str:
    return f"{day.day} {day:%b}"


def _in_lines(figures: Figures) -> Figures:
    """The same with each title in one line: they are typed by people and stand within sentences."""
    return replace(
        figures,
        topics=[_titled(topic) for topic in figures.topics],
        weak=[replace(area, figure=_titled(area.figure)) for area in figures.weak],
        unmeasured=[_one_line(title) for title in figures.unmeasured],
        plan=[replace(session, title=_one_line(session.title)) for session in figures.plan],
    )


def _titled(topic: TopicFigure) -> TopicFigure:
    return replace(topic, title=_one_line(topic.title))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _is_practised(practice: Practice) -> bool:
    return practice.mocks + practice.practices > 0


def _subject(figures: Figures) -> str:
    """Numbers only: no title that somebody typed comes into a header."""
    practice = figures.practice
    if _is_practised(practice):
        return f"{_interviews(practice, in_words=False)}, {duration(practice.minutes)}"
    if figures.pauses:
        return "these letters pause"
    if practice.to_grade and not figures.idle_weeks:
        return "waiting for your marks"
    return "a plan to begin with" if not figures.topics else "a plan for the next one"


def _headline(figures: Figures) -> str:
    practice = figures.practice
    if _is_practised(practice):
        # The parts of `1 h 50` on one line, however large the letters are.
        spent = duration(practice.minutes)
        if " h" in spent:
            spent = spent.replace(" ", "\N{NO-BREAK SPACE}")
        return f"You practised {spent}{_trend(figures)}.{_costliest(figures.weak)}"
    if figures.pauses:
        return "Nothing for three weeks, so these letters pause."
    if practice.to_grade and not figures.idle_weeks:
        return "Nothing graded this week, but the hard part is done."
    return "Nothing this week. One short session is enough to pick it up."


def _trend(figures: Figures) -> str:
    changes = [topic.mean - topic.before for topic in figures.topics if topic.before is not None]
    if not changes:
        return ""
    change = sum(changes) / len(changes)
    if change >= _MOVEMENT:
        return ", and your estimates got better"
    return ", and your estimates went down a little" if change <= -_MOVEMENT else ""


def _costliest(weak: Sequence[WeakArea]) -> str:
    return f" {weak[0].figure.title} still costs you the most." if weak else ""


def _summary(figures: Figures) -> list[str]:
    practice = figures.practice
    if _is_practised(practice):
        # The best news of what moved; the rest has a part of its own.
        return [_sentence([_interviews(practice), *_answers(practice)]), *_moves(figures.moved[:1])]
    if figures.pauses:
        return ["They start again by themselves in the week after you practise. Nothing is lost until then."]
    if practice.to_grade and not figures.idle_weeks:
        return ["An interview counts from the week you finish marking it."]
    if figures.topics:
        return ["Your estimates keep; they only grow less sure with time."]
    return ["Nothing is measured yet. The first mock you mark gives you a first estimate."]


def _answers(practice: Practice) -> list[str]:
    """Of mocks: only they are measured."""
    if not practice.answers:
        return []
    parts = [_counted(practice.answers, "answer")]
    if practice.points:
        parts.append(f"{practice.met} of {_counted(practice.points, 'point', in_words=False)} met")
    if practice.met:
        shown = "none" if not practice.shown else "all" if practice.shown == practice.met else practice.shown
        parts.append(f"{shown} of them with the words to show for it" if practice.met > 1 else _one(practice))
    return parts


def _one(practice: Practice) -> str:
    return "with the words to show for it" if practice.shown else "without words to show for it"


def _moves(moved: Sequence[TopicFigure]) -> list[str]:
    return [_moved(topic).sentence for topic in moved]


def _interviews(practice: Practice, *, in_words: bool = True) -> str:
    parts = []
    if practice.mocks:
        parts.append(_counted(practice.mocks, "mock", in_words=in_words))
    if practice.practices:
        parts.append(_counted(practice.practices, "practice session", in_words=in_words))
    return " and ".join(parts)


def _moved(topic: TopicFigure) -> Moved:
    before, now = topic.standing_before, topic.standing
    return Moved(
        title=topic.title,
        before=_STANDING[before],
        now=_STANDING[now],
        is_better=_RANK.index(now) > _RANK.index(before),
    )


def _area(area: WeakArea, held_back: Collection[Place], gone: Collection[Place]) -> Area:
    figure = area.figure
    open_points = [point for point in area.points if (point.attempt, point.position) not in held_back]
    return Area(
        topic=figure.topic,
        title=figure.title,
        percent=percent(figure.mean),
        low=percent(figure.low),
        high=percent(figure.high),
        sure="80 % sure",
        answers=_counted(figure.answers, "answer", in_words=False),
        points=[_missed(point, gone) for point in open_points],
        held_back=len(area.points) - len(open_points),
    )


def _missed(point: MissedPoint, gone: Collection[Place]) -> Missed:
    return Missed(
        criterion=_one_line(point.criterion),
        is_must=point.is_must,
        times=f"Not fully met in {point.missed} of {_counted(point.times, 'answer', in_words=False)}",
        attempt=point.attempt,
        position=point.position,
        day=short_day(point.answered_on),
        has_answer=(point.attempt, point.position) not in gone,
    )


def _more_weak(areas: Sequence[WeakArea]) -> str:
    if not areas:
        return ""
    return f"Also very probably below the bar: {_listed([area.figure.title for area in areas])}."


def _too_few(topics: Sequence[TopicFigure]) -> str:
    """Topics with an answer or two: they look like something and are not."""
    few = [
        f"{topic.title} ({_counted(topic.answers, 'answer', in_words=False)})"
        for topic in topics
        if topic.answers < 3 and topic.standing == Standing.UNSURE
    ]
    return f"Too few answers to judge: {_listed(few, shown=SHOWN_AREAS)}." if few else ""


def _waiting(practice: Practice) -> str:
    if not practice.to_grade:
        return ""
    verb = "waits" if practice.to_grade == 1 else "wait"
    return f"{_counted(practice.to_grade, 'interview').capitalize()} {verb} for your marks."


def _session(session: PlannedSession) -> Session:
    return Session(
        day=f"{session.on:%a} {short_day(session.on)}",
        on=session.on,
        title=session.title,
        minutes=session.minutes,
        reason=session.reason,
        blueprint=session.blueprint,
        track=session.track,
        level=session.level,
        topic=session.topic,
    )


def _countdown(figures: Figures) -> str:
    if figures.days_left is None:
        return ""
    if figures.days_left == 0:
        return "Your interview is today."
    if figures.days_left == 1:
        return "Your interview is tomorrow."
    return f"{figures.days_left} days to your interview."


def _unmeasured(titles: Sequence[str]) -> str:
    return f"Not measured yet: {_listed(titles, shown=SHOWN_UNMEASURED)}." if titles else ""


def _listed(titles: Sequence[str], shown: int = 0) -> str:
    """`A`, `A and B`, `A, B and 9 more`; all of them unless `shown` says how many."""
    names = list(titles)
    if shown and len(names) > shown + 1:
        names = [*names[:shown], f"{len(names) - shown} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _counted(count: int, noun: str, *, in_words: bool = True) -> str:
    number = _WORDS[count] if in_words and count < len(_WORDS) else str(count)
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def _sentence(parts: Sequence[str]) -> str:
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}."

"""Plays weeks of practice into one account: demonstration data, made by the product's own actions."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from prepapp.accounts.actions import create_confirmed_account
from prepapp.accounts.models import User
from prepapp.accounts.zones import zone_names
from prepapp.bank.choices import Level
from prepapp.bank.models import Question, RubricPoint, Track
from prepapp.common.clock import read_clock
from prepapp.interviews.actions.answers import leave_answer, save_answer
from prepapp.interviews.actions.finish import abandon_attempt, close_if_overdue, finish_attempt
from prepapp.interviews.actions.grading import (
    close_grading,
    open_grading,
    set_confidence,
    set_lesson,
    set_mark,
    show_answer,
)
from prepapp.interviews.actions.history import retake_attempt
from prepapp.interviews.actions.start import blueprint_plan, custom_plan, start_attempt
from prepapp.interviews.choices import MarkValue, Mode
from prepapp.interviews.management.invented import Learner, Written, drafts, lesson
from prepapp.interviews.models import Attempt, Blueprint, Response
from prepapp.interviews.queries import question_pool
from prepapp.interviews.refusals import CannotFill

# How often each format is chosen. What is short is sat more often.
_FORMATS = {"screen": 5, "quick-quiz": 3, "deep-dive": 3, "behavioural": 1, "coding": 1, "system-design": 1}
# One put together by hand, on a few topics the learner keeps coming back to.
_OWN, _OWN_WEIGHT, _OWN_QUESTIONS, _OWN_MINUTES = "custom", 14, 3, 45
_PRACTICE, _RETAKE, _GIVEN_UP, _NEXT_MORNING = 0.2, 0.1, 0.06, 0.2
_EVENING, _MORNING = time(18, 30), time(7, 30)
_MARK_SECONDS = timedelta(seconds=20)
_NOTE = (
    "Demonstration data: an invented learner plays; answers are put together from the texts of the question "
    "bank. Nothing here was said or done by a person."
)


@dataclass
class _Sat:
    """An interview that was played, and what the learner meant to say at each position."""

    attempt: Attempt
    responses: dict[int, Response]
    points: dict[int, list[RubricPoint]]
    written: dict[int, Written]
    skills: dict[int, float]
    ended_at: datetime


class Command(BaseCommand):
    help = (
        "Play weeks of mock and practice interviews into one account through the product's own actions: "
        "start, saves, follow-ups, hand-in, grading. Demonstration data: the learner is invented, and the "
        "account should be nobody's."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True, help="the account to play into")
        parser.add_argument("--weeks", type=int, default=6, help="how far back it begins (default 6)")
        parser.add_argument(
            "--per-week", type=int, default=3, help="interviews a week, at most 7 (default 3)"
        )
        parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same (default 1)")
        parser.add_argument("--track", default="mle", help="code of the track (default mle)")
        parser.add_argument("--level", default=Level.SENIOR, choices=Level.values)
        parser.add_argument("--create", action="store_true", help="make the account if it is missing")
        parser.add_argument("--password", help="with --create; without one nobody can sign in to the account")
        parser.add_argument("--zone", default="UTC", help="with --create: time zone, such as Europe/Paris")
        parser.add_argument("--weekly-mail", action="store_true", help="with --create: wants the weekly mail")
        parser.add_argument("--yes", action="store_true", help="do it in production mode, too")

    def handle(self, *args: Any, **options: Any) -> None:
        now = read_clock()
        self._check(options)
        user = self._account(options, now)
        if Attempt.objects.for_user(user).exists():
            raise CommandError(
                f"{user.email} has interviews already. What was really done is not mixed with what is "
                "invented: choose another address."
            )
        groups = _topics(options["track"])
        player = _Player(user, options["track"], options["level"], Learner(options["seed"], groups))
        self.stdout.write(_NOTE)
        player.play(options["weeks"], options["per_week"], now)
        for line in player.account(options["weeks"]):
            self.stdout.write(line)

    def _check(self, options: dict[str, Any]) -> None:
        if settings.PRODUCTION and not options["yes"]:
            raise CommandError("This is a production site. Add --yes to put demonstration data on it.")
        if not (1 <= options["weeks"] <= 52 and 1 <= options["per_week"] <= 7):
            raise CommandError("--weeks is from 1 to 52 and --per-week from 1 to 7.")
        tracks = list(Track.objects.values_list("pk", flat=True))
        if options["track"] not in tracks:
            raise CommandError(f"There is no track {options['track']!r}; there are: {', '.join(tracks)}.")
        if options["zone"] not in zone_names():
            raise CommandError(f"{options['zone']!r} is no time zone; write it like Europe/Paris.")
        if not _formats():
            raise CommandError("There are no interview formats. Run load_blueprints first.")

    def _account(self, options: dict[str, Any], now: datetime) -> User:
        email = options["email"].lower()
        if found := User.objects.filter(email=email).first():
            return found
        if not options["create"]:
            raise CommandError(f"There is no account {email}. Add --create to make it.")
        return create_confirmed_account(
            email=email,
            password=options["password"],
            now=now - timedelta(weeks=options["weeks"], days=1),
            track=options["track"],
            level=options["level"],
            time_zone=options["zone"],
            is_time_zone_confirmed=True,
            interview_date=now.date() + timedelta(days=24),
            wants_weekly_mail=options["weekly_mail"],
        )


class _Player:
    """Sits the interviews one after the other, each at its moment in the past."""

    def __init__(self, user: User, track: str, level: str, learner: Learner) -> None:
        self._user, self._track, self._level, self._learner = user, track, level, learner
        self._chance = random.Random(learner.seed + 1)
        self._formats = _formats()
        self._own_topics = self._choose_topics()
        self._counts: Counter[str] = Counter()
        self._met: set[str] = set()

    def play(self, weeks: int, per_week: int, now: datetime) -> None:
        """`per_week` interviews in each of the weeks up to yesterday evening; then one handed in and not
        graded yet, and one that runs."""
        zone = self._user.zone
        first_day = now.astimezone(zone).date() - timedelta(weeks=weeks)
        last: _Sat | None = None
        for week in range(weeks):
            for number in sorted(self._chance.sample(range(7), per_week)):
                day = first_day + timedelta(weeks=week, days=number)
                progress = (7 * week + number) / (7 * weeks)
                last = self._evening(day, progress, zone, last, now)
        left = self._sit(self._start(Mode.MOCK, now - timedelta(minutes=80), "screen"), 1.0)
        if left is not None:
            self._hand_in(left, now - timedelta(minutes=60))
        running = self._start(Mode.MOCK, now - timedelta(minutes=4), "quick-quiz")
        if running is not None:
            self._answer_first(running, now - timedelta(minutes=2))

    def account(self, weeks: int) -> list[str]:
        """What was done, in lines."""
        done = self._counts
        short = f"; {done['not filled']} more could not be filled from the bank" if done["not filled"] else ""
        return [
            f"{self._user.email}: {done['started']} interviews over {weeks} weeks "
            f"({done['mock']} mock, {done['practice']} practice; {done['retakes']} of them retakes), "
            f"seed {self._learner.seed}",
            f"{done['graded']} graded, {done['to grade']} to be graded, {done['given up']} given up, "
            f"{done['running']} running; {done['time up']} ended by the clock{short}",
            f"{done['answers']} answers in {done['saves']} saves, {done['empty']} left empty; "
            f"{done['points']} points marked: {done['met']} met ({done['quoted']} with a quote), "
            f"{done['partly']} partly, {done['missed']} missed",
            *(
                f"asked about and invented as {which}: {self._invented(which)}"
                for which in ("weak", "strong")
            ),
        ]

    def _invented(self, which: str) -> str:
        return ", ".join(topic for topic in self._learner.named(which) if topic in self._met) or "none"

    def _evening(
        self, day: date, progress: float, zone: ZoneInfo, last: _Sat | None, now: datetime
    ) -> _Sat | None:
        """One interview and what becomes of it; a morning later at the latest it is graded."""
        begin = datetime.combine(day, _EVENING, tzinfo=zone) + timedelta(minutes=self._chance.randrange(90))
        mode = Mode.PRACTICE if self._chance.random() < _PRACTICE else Mode.MOCK
        is_retake = last is not None and self._chance.random() < _RETAKE
        attempt = self._retake(last, begin) if last and is_retake else self._start(mode, begin)
        if attempt is None:
            return last
        if self._chance.random() < _GIVEN_UP:
            abandon_attempt(attempt=attempt, now=begin + timedelta(minutes=2))
            self._counts.update({"given up": 1, "running": -1})
            return last
        sat = self._sit(attempt, progress)
        if sat is None:
            return last
        self._hand_in(sat, sat.ended_at)
        morning = datetime.combine(day + timedelta(days=1), _MORNING, tzinfo=zone)
        is_late = self._chance.random() < _NEXT_MORNING and morning < now - timedelta(hours=3)
        self._grade(sat, morning if is_late else sat.ended_at + timedelta(minutes=3))
        return sat

    def _start(self, mode: str, now: datetime, slug: str = "") -> Attempt | None:
        """An interview of a format by chance, or of the one named. None if the bank cannot fill it."""
        weights = {name: _FORMATS[name] for name in sorted(self._formats)} | {_OWN: _OWN_WEIGHT}
        chosen = slug or self._chance.choices(list(weights), list(weights.values()))[0]
        if chosen == _OWN:
            topics = self._own_topics
            plan = custom_plan(self._track, topics, self._level, _OWN_QUESTIONS, _OWN_MINUTES)
        elif chosen in self._formats:
            plan = blueprint_plan(self._formats[chosen], self._track, self._level)
        else:
            return None
        try:
            attempt = start_attempt(
                user=self._user,
                plan=plan,
                mode=mode,
                start_key=self._key(),
                seed=self._chance.getrandbits(60),
                now=now,
            )
        except CannotFill:
            self._counts["not filled"] += 1
            return None
        return self._noted(attempt)

    def _choose_topics(self) -> list[str]:
        """Two weak topics and two strong ones, to be asked about often enough to be sure of: the track's own
        before others, then those with the most questions that fit."""
        longest = _OWN_MINUTES // _OWN_QUESTIONS
        pool = question_pool(self._user, self._track)
        sizes = Counter(candidate.topic for candidate in pool if candidate.minutes <= longest)
        found: list[str] = []

        def rank(topic: str) -> tuple[bool, int, str]:
            return _home(topic) != self._track, -sizes[topic], topic

        for which in ("weak", "strong"):
            topics = [topic for topic in self._learner.named(which) if topic in sizes]
            found += sorted(topics, key=rank)[:2]
        return found

    def _retake(self, last: _Sat, now: datetime) -> Attempt | None:
        try:
            again = retake_attempt(user=self._user, original=last.attempt, start_key=self._key(), now=now)
        except CannotFill:
            self._counts["not filled"] += 1
            return None
        self._counts["retakes"] += 1
        return self._noted(again.attempt)

    def _noted(self, attempt: Attempt) -> Attempt:
        self._counts.update(["started", attempt.mode, "running"])
        return attempt

    def _key(self) -> UUID:
        return UUID(int=self._chance.getrandbits(128), version=4)

    def _read(self, attempt: Attempt) -> tuple[dict[int, Response], dict[int, list[RubricPoint]]]:
        """The answers by position, each with its points."""
        rows = Response.objects.filter(attempt=attempt).select_related("version__question", "follow_up")
        responses = {response.position: response for response in rows.order_by("position")}
        found = RubricPoint.objects.filter(
            version__in={response.version_id for response in responses.values()}
        )
        points = list(found.order_by("position"))
        return responses, {
            position: [
                point
                for point in points
                if (point.version_id, point.follow_up_id) == (response.version_id, response.follow_up_id)
            ]
            for position, response in responses.items()
        }

    def _sit(self, attempt: Attempt | None, progress: float) -> _Sat | None:
        """Answers what is asked, question by question, until the last or until the clock."""
        if attempt is None:
            return None
        responses, points = self._read(attempt)
        sat = _Sat(attempt, responses, points, {}, {}, attempt.started_at + timedelta(seconds=20))
        asked = {position for position, response in responses.items() if response.asked_at}
        for position, response in responses.items():
            if position not in asked:
                continue
            topic, level = response.version.question.asked_topic_id, response.version.level
            self._met.add(topic)
            skill = self._learner.skill(topic, level, progress, self._level)
            seconds = round(60 * response.minutes * self._learner.pace())
            self._answer(sat, response, skill, seconds)
            if attempt.deadline_at and sat.ended_at >= attempt.deadline_at:
                break
            leave_answer(attempt=attempt, position=position, is_skipped=True, now=sat.ended_at)
            if response.text:
                asked |= {place for place, other in responses.items() if other.parent_position == position}
        return sat

    def _answer(self, sat: _Sat, response: Response, skill: float, seconds: int) -> None:
        """Types for so long, saving as it grows. What would come after the deadline is not sent."""
        model_answer = response.follow_up.answer if response.follow_up else response.version.model_answer
        written = self._learner.write(skill, sat.points[response.position], model_answer)
        sat.written[response.position], sat.skills[response.position] = written, skill
        self._counts["answers"] += 1
        if self._learner.leaves_empty(skill):
            sat.ended_at += timedelta(seconds=min(seconds, 60))
            self._counts["empty"] += 1
            return
        texts = drafts(written.text)
        for text in texts:
            spent = seconds // len(texts)
            sat.ended_at += timedelta(seconds=spent)
            if sat.attempt.deadline_at and sat.ended_at >= sat.attempt.deadline_at:
                return
            self._save(sat.attempt, response, text, spent, sat.ended_at)

    def _save(self, attempt: Attempt, response: Response, text: str, spent: int, now: datetime) -> None:
        saved = save_answer(
            user=self._user,
            attempt_id=attempt.pk,
            position=response.position,
            text=text,
            revision=response.revision,
            spent=spent,
            now=now,
        )
        response.text, response.revision = text, saved.revision
        self._counts["saves"] += 1

    def _answer_first(self, attempt: Attempt, now: datetime) -> None:
        """The beginning of the first answer of an interview that goes on."""
        responses, points = self._read(attempt)
        sat = _Sat(attempt, responses, points, {}, {}, now)
        response = responses[1]
        skill = self._learner.skill(
            response.version.question.asked_topic_id, response.version.level, 1.0, self._level
        )
        model_answer = response.follow_up.answer if response.follow_up else response.version.model_answer
        text = drafts(self._learner.write(skill, sat.points[1], model_answer).text)[0]
        self._save(attempt, response, text, 90, now)

    def _hand_in(self, sat: _Sat, now: datetime) -> None:
        """The learner's own end, or the deadline's where that has passed."""
        deadline = sat.attempt.deadline_at
        if deadline and now >= deadline:
            grace = timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS + 1)
            close_if_overdue(attempt=sat.attempt, now=max(now, deadline + grace))
            self._counts["time up"] += 1
        else:
            finish_attempt(attempt=sat.attempt, now=now)
        self._counts.update({"to grade": 1, "running": -1})

    def _grade(self, sat: _Sat, now: datetime) -> None:
        """Confidence, every point, the lesson, for each answer with words; then the grading is closed."""
        open_grading(attempt=sat.attempt, now=now)
        for position, response in sat.responses.items():
            now += _MARK_SECONDS
            if response.text:
                now = self._grade_answer(sat, response, now)
            elif position in sat.written:
                show_answer(user=self._user, attempt_id=sat.attempt.pk, position=position, now=now)
        close_grading(attempt=sat.attempt, now=now + _MARK_SECONDS)
        self._counts.update({"graded": 1, "to grade": -1})

    def _grade_answer(self, sat: _Sat, response: Response, now: datetime) -> datetime:
        points, written = sat.points[response.position], sat.written[response.position]
        values = {claim.point_id: claim.value_in(response.text) for claim in written.claims}
        place: dict[str, Any] = {
            "user": self._user,
            "attempt_id": sat.attempt.pk,
            "position": response.position,
        }
        confidence = self._learner.confidence(_share(points, values), sat.skills[response.position])
        set_confidence(**place, confidence=confidence, now=now)
        quotes = {
            claim.point_id: claim.quote_in(response.text) if values[claim.point_id] else ""
            for claim in written.claims
        }
        for point in points:
            now += _MARK_SECONDS
            set_mark(**place, point_id=point.pk, value=values[point.pk], quote=quotes[point.pk], now=now)
        for point in points:
            value = self._learner.revised(values[point.pk])
            if value != values[point.pk]:
                now += _MARK_SECONDS
                quotes[point.pk] = quotes[point.pk] if value else ""
                set_mark(**place, point_id=point.pk, value=value, quote=quotes[point.pk], now=now)
                values[point.pk] = value
        if line := lesson(points, values):
            set_lesson(**place, lesson=line, now=now)
        self._count_marks(values, quotes)
        return now

    def _count_marks(self, values: dict[int, int], quotes: dict[int, str]) -> None:
        names = {MarkValue.MET: "met", MarkValue.PARTLY: "partly", MarkValue.MISSED: "missed"}
        self._counts["points"] += len(values)
        self._counts.update(names[MarkValue(value)] for value in values.values())
        self._counts["quoted"] += sum(
            value == MarkValue.MET and bool(quotes[point]) for point, value in values.items()
        )


def _formats() -> dict[str, Blueprint]:
    return {
        blueprint.slug: blueprint for blueprint in Blueprint.objects.filter(is_active=True, slug__in=_FORMATS)
    }


def _topics(track: str) -> list[list[str]]:
    """The topics there are questions for: those at home in the track, and the others."""
    asked = Question.objects.published().order_by().values_list("topic", flat=True).distinct()
    groups: list[list[str]] = [[], []]
    for topic in sorted(asked):
        groups[_home(topic) != track].append(topic)
    return groups


def _home(topic: str) -> str:
    return topic.partition(".")[0]


def _share(points: Sequence[RubricPoint], values: dict[int, int]) -> float:
    weight = sum(point.weight for point in points)
    return sum(point.weight * values[point.pk] for point in points) / (2 * weight) if weight else 0.0

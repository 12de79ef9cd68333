"""Recomputes a weekly report by hand from the history that a person exported, with nothing of the product.

    python -m benchmarks.recompute history.csv --week 2026-W48 --zone Europe/Paris \\
        --at 2026-11-30T06:00:00Z --track-rate 0.6 --against report.json

Reads the CSV or the JSON of `/history/export/`. Only the Python standard library and, for the Beta
distribution, scipy: the rule is written down here a second time, from the product's description, so that a
fault in one of the two shows. Prints the figures in the digits the report shows, and the unrounded ones beside
them. With `--against` a JSON file of the stored figures it says what differs and ends with 1 if anything does.

What a person's own file cannot hold is given by options: the moment the report was made (its Monday 07:00 by
default) and the rate of everybody in the track, which estimates are drawn towards (the stored figures have
both; 0.60, the bar, is what an empty site uses). What was deleted since is in no file.
"""

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from scipy.stats import beta

# The product's numbers, as its description gives them.
BAR, STRONG_BAR, SURE, INTERVAL = 0.60, 0.75, 0.80, 0.80
PRIOR_TRIALS, HALF_LIFE_DAYS, CORRELATION = 8.0, 45.0, 0.5
RETAKE_WITHIN, RETAKE_WEIGHT, LEAST_ANSWERS = timedelta(hours=24), 0.5, 3
# Two ways to the same number differ by rounding only; the report shows three digits.
TOLERANCE = 1e-9
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Mark:
    point: str
    value: Fraction
    has_quote: bool
    weight: int | None


@dataclass(frozen=True)
class Grade:
    """One answer in one grading. `score` is the exported one, for rubrics that may not be seen now."""

    position: int
    marks: list[Mark]
    score: float | None

    @property
    def share(self) -> float | None:
        """The score as a part of 1; None if the rubric is worth nothing."""
        weights = [mark.weight for mark in self.marks]
        if None in weights:
            return None if self.score is None else self.score / 10
        total = sum(weight for weight in weights if weight)
        earned = sum((mark.weight or 0) * mark.value for mark in self.marks)
        return float(earned / total) if total else None


@dataclass(frozen=True)
class Grading:
    number: int
    closed_at: datetime | None
    grades: list[Grade]


@dataclass(frozen=True)
class Answer:
    position: int
    topic: str
    question: str
    asked_at: datetime | None
    seconds: int


@dataclass(frozen=True)
class Sitting:
    """One interview of the file."""

    id: str
    mode: str
    state: str
    started_at: datetime
    deadline_at: datetime | None
    finished_at: datetime | None
    graded_at: datetime | None
    answers: dict[int, Answer]
    gradings: list[Grading]

    def closed(self, at: datetime) -> Grading | None:
        """The newest grading that was closed by then."""
        closed = [grading for grading in self.gradings if grading.closed_at and grading.closed_at <= at]
        return max(closed, key=lambda grading: grading.number, default=None)

    @property
    def seconds(self) -> float:
        """From start to end; without a clock the time the answers were written in, if that is less."""
        assert self.finished_at
        whole = (self.finished_at - self.started_at).total_seconds()
        written = sum(answer.seconds for answer in self.answers.values())
        return whole if self.deadline_at else min(whole, written)


@dataclass(frozen=True)
class Evidence:
    topic: str
    answered_at: datetime
    points: int
    share: float
    is_retake: bool


@dataclass(frozen=True)
class Estimate:
    mean: float
    low: float
    high: float
    p_weak: float
    answers: int
    standing: str


@dataclass(frozen=True)
class Report:
    practice: dict[str, int]
    topics: dict[str, Estimate]
    before: dict[str, Estimate]
    rate: float


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.recompute",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("history", type=Path, help="the exported history, CSV or JSON")
    parser.add_argument("--week", required=True, help="such as 2026-W48")
    parser.add_argument("--zone", default="UTC", help="time zone of the person (default UTC)")
    parser.add_argument("--at", help="when the report was made, such as 2026-11-30T06:00:00Z")
    parser.add_argument("--track-rate", type=float, help="rate of everybody in the track (default 0.60)")
    parser.add_argument("--against", type=Path, help="JSON of the report's stored figures, to compare with")
    options = parser.parse_args()
    zone = ZoneInfo(options.zone)
    monday = date.fromisocalendar(int(options.week[:4]), int(options.week[6:]), 1)
    stored, made_at = _stored(options.against)
    at = _instant(options.at) or made_at or _local(monday + 7 * DAY, time(7), zone)
    rate = options.track_rate if options.track_rate is not None else stored.get("track_rate", BAR)
    sittings = read_history(options.history)
    report = recompute(sittings, monday, zone, at, rate)
    print(
        f"{options.week} in {options.zone}, as of {at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC, from {len(sittings)} "
        f"interviews; rate of the track {rate:.6f}"
    )
    _print(report)
    if not options.against:
        return 0
    wrong = differences(report, stored)
    for line in wrong:
        print(f"DIFFERS  {line}")
    compared = len(report.practice) + len(report.topics)
    print(f"{compared} figures and topics compared with the report: {len(wrong) or 'no'} differences")
    return 1 if wrong else 0


# --- reading --------------------------------------------------------------------------------------


def read_history(path: Path) -> list[Sitting]:
    if path.suffix == ".json":
        return [_from_json(entry) for entry in json.loads(path.read_text(encoding="utf-8"))["attempts"]]
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return list(_from_rows(rows))


def _from_json(entry: dict[str, Any]) -> Sitting:
    answers = [
        Answer(
            row["position"], row["topic"], row["question"], _instant(row["asked_at"]), row["seconds_spent"]
        )
        for row in entry["answers"]
    ]
    gradings = [
        Grading(
            grading["number"],
            _instant(grading["closed_at"]),
            [
                Grade(
                    row["position"],
                    [
                        Mark(mark["point"], Fraction(mark["value"]), bool(mark["quote"]), mark["weight"])
                        for mark in row["marks"]
                    ],
                    row["score"],
                )
                for row in grading["answers"]
            ],
        )
        for grading in entry["gradings"]
    ]
    return _sitting(entry["id"], entry, answers, gradings)


def _from_rows(rows: Sequence[dict[str, str]]) -> Iterator[Sitting]:
    """An attempt is some rows in a row: one for each answer, or for each grading of each answer."""
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        groups[row["attempt_id"]].append(row)
    for key, group in groups.items():
        answers: dict[int, Answer] = {}
        gradings: dict[int, Grading] = {}
        for row in group:
            if not row["position"]:
                continue
            place = int(row["position"])
            answers[place] = Answer(
                place, row["topic"], row["question"], _instant(row["asked_at"]), int(row["seconds_spent"])
            )
            if row["grading"]:
                number = int(row["grading"])
                made = gradings.setdefault(number, Grading(number, _instant(row["grading_closed_at"]), []))
                score = float(row["answer_score"]) if row["answer_score"] else None
                made.grades.append(Grade(place, list(_marks(row)), score))
        yield _sitting(key, group[0], answers.values(), gradings.values())


def _marks(row: dict[str, str]) -> Iterator[Mark]:
    weights = dict(_pairs(row["weights"]))
    # A quote may hold line breaks, so only its beginning is looked for.
    quoted = {point for point, _ in _pairs(row["quotes"])}
    for point, value in _pairs(row["marks"]):
        weight = weights.get(point)
        yield Mark(point, Fraction(value), point in quoted, int(weight) if weight else None)


def _pairs(cell: str) -> Iterator[tuple[str, str]]:
    for line in cell.splitlines():
        point, separator, value = line.lstrip("'").partition(": ")
        if separator:
            yield point, value


def _sitting(
    key: str, row: dict[str, Any], answers: Iterable[Answer], gradings: Iterable[Grading]
) -> Sitting:
    started_at = _instant(row["started_at"])
    assert started_at
    return Sitting(
        id=key,
        mode=row["mode"],
        state=row["state"],
        started_at=started_at,
        deadline_at=_instant(row["deadline_at"]),
        finished_at=_instant(row["finished_at"]),
        graded_at=_instant(row["graded_at"]),
        answers={answer.position: answer for answer in answers},
        gradings=list(gradings),
    )


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _local(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)


def _stored(path: Path | None) -> tuple[dict[str, Any], datetime | None]:
    """The figures of a report, alone or beside the moment it was made: {"made_at", "figures"}."""
    if path is None:
        return {}, None
    raw = json.loads(path.read_text(encoding="utf-8"))
    return raw.get("figures", raw), _instant(raw.get("made_at"))


# --- the rule -------------------------------------------------------------------------------------


def recompute(
    sittings: Sequence[Sitting], monday: date, zone: ZoneInfo, at: datetime, track_rate: float
) -> Report:
    begin, end = _local(monday, time(), zone), _local(monday + 7 * DAY, time(), zone)
    found = list(evidence(sittings, at))
    # Evidence is filed by the weeks of UTC.
    earlier = [piece for piece in found if piece.answered_at.astimezone(UTC).date() < monday]
    topics, rate = estimate_topics(found, at, track_rate)
    before, _ = estimate_topics(earlier, at - 7 * DAY, track_rate)
    return Report(practice(sittings, begin, end, at), topics, before, rate)


def practice(sittings: Sequence[Sitting], begin: datetime, end: datetime, at: datetime) -> dict[str, int]:
    graded = [
        sitting
        for sitting in sittings
        if sitting.graded_at and begin <= sitting.graded_at < end and sitting.graded_at <= at
    ]
    mocks = [sitting for sitting in graded if sitting.mode == "mock"]
    answers = [
        grade
        for sitting in mocks
        if (grading := sitting.closed(at))
        for grade in grading.grades
        if sitting.answers[grade.position].asked_at
    ]
    marks = [mark for grade in answers for mark in grade.marks]
    met = [mark for mark in marks if mark.value == 1]
    return {
        "mocks": len(mocks),
        "practices": len(graded) - len(mocks),
        "minutes": int(sum(sitting.seconds for sitting in graded) / 60 + 0.5),
        "answers": len(answers),
        "points": len(marks),
        "met": len(met),
        "partly": sum(0 < mark.value < 1 for mark in marks),
        "shown": sum(mark.has_quote for mark in met),
        "to_grade": sum(
            sitting.state in {"grading", "graded"}
            and sitting.finished_at is not None
            and sitting.finished_at < end
            and (sitting.graded_at is None or sitting.graded_at > at)
            for sitting in sittings
        ),
    }


def evidence(sittings: Sequence[Sitting], at: datetime) -> Iterator[Evidence]:
    """The answers of graded mocks that were put, in the newest grading closed by `at`."""
    asked: dict[str, list[datetime]] = defaultdict(list)
    for sitting in sittings:
        for answer in sitting.answers.values():
            if answer.asked_at:
                asked[answer.question].append(sitting.started_at)
    for sitting in sittings:
        grading = sitting.closed(at) if sitting.mode == "mock" and sitting.state == "graded" else None
        for grade in grading.grades if grading else ():
            answer = sitting.answers[grade.position]
            if not (answer.asked_at and sitting.finished_at and grade.share is not None):
                continue
            is_retake = any(
                sitting.started_at - RETAKE_WITHIN <= other < sitting.started_at
                for other in asked[answer.question]
            )
            yield Evidence(answer.topic, sitting.finished_at, len(grade.marks), grade.share, is_retake)


def estimate_topics(
    found: Sequence[Evidence], at: datetime, track_rate: float
) -> tuple[dict[str, Estimate], float]:
    """The posterior of each topic, and the person's own rate."""
    topics: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for piece in found:
        trials = piece.points / (1 + (piece.points - 1) * CORRELATION)
        trials *= 2 ** (-((at - piece.answered_at) / DAY) / HALF_LIFE_DAYS)
        if piece.is_retake:
            trials *= RETAKE_WEIGHT
        topics[piece.topic].append((trials, trials * piece.share))
    sums = {
        topic: (fsum(n for n, _ in pairs), fsum(x for _, x in pairs), len(pairs))
        for topic, pairs in topics.items()
    }
    trials = fsum(n for n, _, _ in sums.values())
    successes = fsum(x for _, x, _ in sums.values())
    rate = (PRIOR_TRIALS * track_rate + successes) / (PRIOR_TRIALS + trials)
    return {topic: _estimate(n, x, count, rate) for topic, (n, x, count) in sums.items()}, rate


def _estimate(trials: float, successes: float, answers: int, rate: float) -> Estimate:
    posterior = beta(rate * PRIOR_TRIALS + successes, (1 - rate) * PRIOR_TRIALS + trials - successes)
    tail = (1 - INTERVAL) / 2
    p_weak, p_strong = float(posterior.cdf(BAR)), float(posterior.sf(STRONG_BAR))
    standing = "unsure"
    if answers >= LEAST_ANSWERS and p_weak >= SURE:
        standing = "weak"
    elif answers >= LEAST_ANSWERS and p_strong >= SURE:
        standing = "strong"
    return Estimate(
        float(posterior.mean()),
        float(posterior.ppf(tail)),
        float(posterior.ppf(1 - tail)),
        p_weak,
        answers,
        standing,
    )


# --- showing and comparing ------------------------------------------------------------------------


def percent(share: float) -> int:
    """As everywhere in the product: rounded half up."""
    return int(share * 100 + 0.5)


def _print(report: Report) -> None:
    done = report.practice
    hours, minutes = divmod(done["minutes"], 60)
    print(
        f"graded in the week: {done['mocks']} mocks, {done['practices']} practice sessions, {done['minutes']} minutes "
        f"({hours} h {minutes:02d})\n"
        f"in the mocks: {done['answers']} answers, {done['points']} points: {done['met']} met "
        f"({done['shown']} with words), {done['partly']} partly; {done['to_grade']} interviews to grade"
    )
    if report.topics:
        print(f"own rate {report.rate:.6f}")
        print(
            f"{'topic':<20}{'%':>4}{'low':>5}{'high':>5}{'answers':>9}  {'standing':<10}{'before':>7}   mean, interval, P(<0.60)"
        )
    for topic, found in sorted(report.topics.items(), key=lambda item: -item[1].p_weak):
        then = report.before.get(topic)
        print(
            f"{topic:<20}{percent(found.mean):>4}{percent(found.low):>5}{percent(found.high):>5}{found.answers:>9}  "
            f"{found.standing:<10}{percent(then.mean) if then else '-':>7}   "
            f"{found.mean:.9f}, {found.low:.9f} to {found.high:.9f}, {found.p_weak:.9f}"
        )


def differences(report: Report, stored: dict[str, Any]) -> list[str]:
    """What the stored figures say otherwise, in lines."""
    wrong = [
        f"{name}: the report has {stored['practice'][name]}, the history gives {value}"
        for name, value in report.practice.items()
        if stored["practice"][name] != value
    ]
    topics = {figure["topic"]: figure for figure in stored["topics"]}
    for topic in sorted(topics.keys() ^ report.topics.keys()):
        where = "the report" if topic in topics else "the history"
        wrong.append(f"{topic}: only {where} has it")
    for topic in sorted(topics.keys() & report.topics.keys()):
        found, then, figure = report.topics[topic], report.before.get(topic), topics[topic]
        pairs: list[tuple[str, Any]] = [
            *(
                (name, getattr(found, name))
                for name in ("mean", "low", "high", "p_weak", "answers", "standing")
            ),
            ("before", then.mean if then else None),
            ("standing_before", then.standing if then else ""),
        ]
        wrong += [
            f"{topic}, {name}: the report has {figure[name]}, the history gives {value}"
            for name, value in pairs
            if not _same(figure[name], value)
        ]
    weak = sorted(topic for topic, found in report.topics.items() if found.standing == "weak")
    listed = sorted(area["figure"]["topic"] for area in stored["weak"])
    if weak != listed:
        wrong.append(f"weak areas: the report has {listed}, the history gives {weak}")
    return wrong


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE and percent(one) == percent(other)
    return bool(one == other)


if __name__ == "__main__":
    sys.exit(main())

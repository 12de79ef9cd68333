"""What a person had best do next, and how well they judge themselves. Values only."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from prepapp.interviews import scoring
from prepapp.interviews.choices import Band
from prepapp.reports.choices import NextStep


def next_step(
    *, is_running: bool, is_to_grade: bool, has_report: bool, is_weak: bool, has_sat: bool, is_open: bool
) -> NextStep:
    """The first that there is, in the order in which waiting costs most. `is_open`: a topic of the track
    that the bank has questions of was never measured."""
    if is_running:
        return NextStep.RUNNING
    if is_to_grade:
        return NextStep.GRADING
    if has_report:
        return NextStep.REPORT
    if is_weak:
        return NextStep.WEAK
    if not has_sat:
        return NextStep.FIRST
    return NextStep.UNMEASURED if is_open else NextStep.MOCK


@dataclass(frozen=True)
class Judged:
    """An answer as it was judged before its rubric was seen, and what its marks make of it. `earned` in
    halves of `weight`; `lowest_must` is the worst mark of a must-have, None without one."""

    said: str
    weight: int
    earned: int
    lowest_must: int | None

    @property
    def read(self) -> Band:
        return scoring.capped_band(Fraction(10 * self.earned, 2 * self.weight), self.lowest_must)


@dataclass(frozen=True)
class Calibration:
    """Of how many answers the judgement was above, at and below what the rubric makes of them."""

    above: int = 0
    same: int = 0
    below: int = 0

    @property
    def answers(self) -> int:
        return self.above + self.same + self.below

    @property
    def rows(self) -> list[tuple[str, int, float]]:
        """In words, the number, and its part of 1."""
        counted = (
            ("Higher than the rubric", self.above),
            ("As the rubric", self.same),
            ("Lower than the rubric", self.below),
        )
        return [(words, count, count / self.answers) for words, count in counted] if self.answers else []


def calibrate(answers: Iterable[Judged]) -> Calibration:
    """Answers whose rubric is worth nothing cannot be judged and are left out."""
    steps = [
        scoring.steps_above(answer.said, answer.read) for answer in answers if answer.said and answer.weight
    ]
    return Calibration(
        sum(step > 0 for step in steps), sum(step == 0 for step in steps), sum(step < 0 for step in steps)
    )


def countdown(interview_on: date | None, today: date) -> str:
    """`12 days to your interview`; '' without a day, or when it is over."""
    if interview_on is None or interview_on < today:
        return ""
    days = (interview_on - today).days
    if days == 0:
        return "Your interview is today"
    return f"{days} day{'' if days == 1 else 's'} to your interview"

"""Items with numbers that a test chooses, as a run would have kept them."""

from collections.abc import Sequence

from prepapp.bank.models import Question
from prepapp.reports.actions.item_sums import put_in
from prepapp.reports.item_statistics import Answered, Item, MarkOf, Totals, count_answers
from prepapp.reports.mastery import Constants
from prepapp.reports.models import StatisticsRun
from tests.factories.interviews import STARTED_AT

# Of a question that no table holds, so that every learner has an ability.
_ELSEWHERE = 10**9
MEAN = 50


def count_item(
    question: Question,
    *,
    answers: int = 40,
    met: Sequence[float] = (0.5, 0.5, 0.5),
    goes_along: bool = True,
    skipped: float = 0.0,
    pace: float = 1.0,
    part: str = "",
    meaning: int = 1,
) -> None:
    """First answers of so many learners, of whom the first share of `met` has met each point. They do as well
    elsewhere, or without `goes_along` the other way round."""
    totals, weights = Totals(), (4, 3, 3)
    for n in range(answers):
        is_skipped = n >= answers * (1 - skipped)
        values = [2 if n < answers * share else 0 for share in met]
        marks = [MarkOf(f"r{i}", *pair) for i, pair in enumerate(zip(weights, values, strict=True), 1)]
        own = Answered(Item(question.pk, meaning, part), marks, is_skipped, None if is_skipped else pace)
        other = Answered(Item(_ELSEWHERE, 1, ""), [MarkOf("r1", 10, 2 * ((n < answers / 2) == goes_along))])
        totals.add(count_answers([own, other], Constants())[:1])
    put_in(totals, MEAN)
    StatisticsRun.objects.get_or_create(
        pk=1, defaults={"mean": MEAN, "begun_at": STARTED_AT, "ended_at": STARTED_AT}
    )

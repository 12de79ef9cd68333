"""An invented population goes through the tables: what a run keeps of it is what the pure functions make of the
same answers, and the items' true values lie in the intervals that are shown."""

from datetime import timedelta

import numpy as np
import pytest

from prepapp.accounts.models import User
from prepapp.reports.actions.item_statistics import count_changed
from prepapp.reports.item_figures import item_figures, point_figures
from prepapp.reports.item_statistics import Item, Totals, count_answers
from prepapp.reports.mastery import Constants
from prepapp.reports.models import CountedAnswers, ItemStatistic, PointStatistic, StatisticsRun
from prepapp.reports.queries.item_check import find_differences
from tests.factories.bank import create_questions
from tests.factories.interviews import STARTED_AT
from tests.reports.simulated import answers_of, find_truth, invent_bank, sit, store

pytestmark = pytest.mark.django_db
ITEMS, PEOPLE = 12, 450  # 300 first answers to an item
NOW = STARTED_AT + timedelta(days=1)


def without_pace(sums):
    """Seconds are whole in the tables."""
    return {name: value for name, value in sums.items() if not name.startswith("pace")}


def test_known_items_are_recovered_from_the_tables():
    bank, chance = invent_bank(ITEMS, seed=5), np.random.default_rng(6)
    truth, sitting = find_truth(bank, seed=7), sit(bank, PEOPLE, chance)
    questions = create_questions(ITEMS, follow_ups=0)
    people = store(sitting, questions, STARTED_AT)
    assert count_changed(now=NOW).learners == PEOPLE
    assert list(find_differences()) == []

    totals = Totals()
    for answers in answers_of(sitting):
        totals.add(count_answers(answers, Constants()))
    places = {question.pk: place for place, question in enumerate(questions)}
    items = {Item(places[row.question_id], 1, ""): row for row in ItemStatistic.objects.all()}
    assert {item: without_pace(row.sums) for item, row in items.items()} == {
        item: without_pace(sums) for item, sums in totals.items.items()
    }
    points = {
        (Item(places[row.item.question_id], 1, ""), row.key): row
        for row in PointStatistic.objects.select_related("item")
    }
    assert {place: row.sums for place, row in points.items()} == totals.points

    mean = StatisticsRun.objects.get().mean
    assert abs(mean - truth.mean) <= 4
    inside = []
    for item, row in items.items():
        figures = item_figures(row.sums, mean)
        assert 240 < figures.answers < 360
        for name in ("score", "skipped", "pace", "discrimination"):
            figure = getattr(figures, name)
            inside.append(figure.low <= getattr(truth, name)[item.question] <= figure.high)
    for (item, key), row in points.items():
        met = point_figures(row.sums, mean).met
        inside.append(met.low <= truth.met[item.question, int(key[1:]) - 1] <= met.high)
    # 84 intervals of 95 %, of one set of people: were they independent, fewer than 73 inside would have one
    # chance in a thousand. How often they hold over many sets is for the pure test to say.
    assert len(inside) == 7 * ITEMS
    assert sum(inside) >= 73

    # All but the first hundred go: what is left is as if they had never been.
    User.objects.filter(pk__in=[person.pk for person in people[100:]]).delete()
    count_changed(now=NOW)
    assert CountedAnswers.objects.count() == 100
    assert list(find_differences()) == []
    left = Totals()
    for answers in list(answers_of(sitting))[:100]:
        left.add(count_answers(answers, Constants()))
    rows = {Item(places[row.question_id], 1, ""): row.sums for row in ItemStatistic.objects.all()}
    assert {item: without_pace(sums) for item, sums in rows.items()} == {
        item: without_pace(sums) for item, sums in left.items.items()
    }

"""`manage.py item_statistics [--rebuild] [--check]`: counts the answers that came since the last run, counts
all of them anew, or says whether what is kept is what the marks say."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from prepapp.common.clock import read_clock
from prepapp.reports.actions.item_statistics import RunUnderWay, count_changed
from prepapp.reports.models import ItemStatistic, PointStatistic, StatisticsRun
from prepapp.reports.queries.item_check import find_differences, marked_learners

_NAMED = 20


class Command(BaseCommand):
    help = (
        "Brings the statistics of questions and rubric points up to date with graded work. With --rebuild "
        "all answers are counted anew. With --check it changes nothing and ends with 1 if anything differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--rebuild", action="store_true", help="forget all and count everything anew")
        way.add_argument("--check", action="store_true", help="compare only")

    def handle(self, *args: Any, rebuild: bool, check: bool, **options: Any) -> None:
        if check:
            self._check()
            return
        now = read_clock()
        try:
            learners = count_changed(now=now, anew=rebuild).learners
        except RunUnderWay as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(
            f"{learners} learners counted; {ItemStatistic.objects.count()} items with "
            f"{PointStatistic.objects.count()} points, {StatisticsRun.objects.get().mean} % met on the whole"
        )

    def _check(self) -> None:
        wrong = 0
        for line in find_differences():
            wrong += 1
            if wrong <= _NAMED:
                self.stdout.write(line)
        self.stdout.write(f"{wrong} differences; {marked_learners()} learners wait to be counted")
        if wrong:
            raise CommandError(
                "what is kept is not what the marks say. If no run was under way meanwhile, run "
                "item_statistics --rebuild"
            )

"""Reckons the evidence behind mastery from the marks, and says whether it was what is kept."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from prepapp.common.clock import read_clock
from prepapp.reports.actions.evidence import rebuild
from prepapp.reports.actions.rates import reckon_track_rates
from prepapp.reports.models import TopicWeek

_NAMED = 20


class Command(BaseCommand):
    help = (
        "Reckons the evidence by person, topic and week from everybody's marks, puts right what differs, "
        "and the rates of the tracks. With --check it changes nothing and ends with 1 if anything differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare only")

    def handle(self, *args: Any, **options: Any) -> None:
        is_check = options["check"]
        wrong = 0
        for (user_id, topic, week_start), kept, right in rebuild(repair=not is_check):
            wrong += 1
            if wrong <= _NAMED:
                self.stdout.write(f"{user_id} {topic} {week_start}: kept {kept}, right {right}")
        if not is_check:
            reckon_track_rates(now=read_clock())
        total = TopicWeek.objects.count()
        self.stdout.write(f"{total} rows, {wrong} {'differ' if is_check else 'put right'}")
        if is_check and wrong:
            raise CommandError("what is kept is not what the marks say; run rebuild_mastery")

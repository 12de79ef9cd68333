"""`manage.py weekly_reports --week 2026-W48 [--user ADDRESS] [--dry-run]`: makes and mails what is missing of
a week. What is there stays, and what was mailed is not mailed again, however often it is run."""

from argparse import ArgumentParser
from collections import Counter
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.reports.actions.mailing import send_report
from prepapp.reports.actions.weekly import make_reports, remake_report
from prepapp.reports.choices import MailState
from prepapp.reports.figures import to_json
from prepapp.reports.mail import compose
from prepapp.reports.models import WeeklyReport
from prepapp.reports.queries.due import chunks, is_over_somewhere, people_without
from prepapp.reports.queries.weekly import PEOPLE_AT_ONCE, weekly_figures
from prepapp.reports.weeks import Week, read_week


class Command(BaseCommand):
    help = "Make and mail the weekly reports of a week that are missing; nobody gets one twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--week", required=True, help="the ISO week, like 2026-W48")
        parser.add_argument("--user", metavar="ADDRESS", help="only the person with this e-mail address")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be made, and with --user the letter itself"
        )

    def handle(self, *args: Any, week: str, user: str | None, dry_run: bool, **options: Any) -> None:
        now = read_clock()
        try:
            wanted = read_week(week)
        except ValueError as problem:
            raise CommandError(f"--week: {problem}.") from problem
        person = self._find(user) if user else None
        self._check_is_over(wanted, person, now)
        missing = people_without(wanted, now)
        if person:
            missing = missing.filter(pk=person.pk)
        if dry_run:
            self._tell(wanted, person, missing, now)
        else:
            self._run(wanted, person, missing, now)

    def _find(self, address: str) -> User:
        person = User.objects.filter(email__iexact=address.strip(), is_guest=False).first()
        if person is None:
            raise CommandError(f"--user: nobody has an account with the address {address!r}.")
        if not person.is_active:
            raise CommandError(f"--user: the account of {address!r} is closed, so there is no report for it.")
        return person

    def _check_is_over(self, week: Week, person: User | None, now: datetime) -> None:
        if person and now < week.due_at(person.zone):
            due = f"{week.due_at(person.zone).astimezone(person.zone):%Y-%m-%d %H:%M}"
            raise CommandError(f"--week: {week.label} is due on {due} in {person.time_zone}, not yet.")
        if person and person.date_joined >= week.bounds(person.zone)[1]:
            raise CommandError(f"--user: {person.email} joined after {week.label} had ended.")
        if not person and not is_over_somewhere(week, now):
            raise CommandError(f"--week: {week.label} is not over anywhere yet.")

    def _tell(self, week: Week, person: User | None, missing: QuerySet[User], now: datetime) -> None:
        count = missing.count()
        self.stdout.write(
            f"{week.label}: {count} would be made, {self._there(week, person)} there; nothing was done."
        )
        if person:
            report = _reports(week, person).readable().first() or WeeklyReport(
                user=person,
                year=week.year,
                week=week.number,
                figures=to_json(weekly_figures([person], week, now)[person.pk]),
            )
            self.stdout.write(f"\n{compose(report, person.email or '', now).body}")

    def _there(self, week: Week, person: User | None) -> int:
        return _reports(week, person).readable().count()

    def _run(self, week: Week, person: User | None, missing: QuerySet[User], now: datetime) -> None:
        before = self._there(week, person)
        for first, last in chunks(missing, PEOPLE_AT_ONCE):
            make_reports(
                users=list(missing.filter(pk__gte=first, pk__lte=last).order_by("pk")), week=week, now=now
            )
        for report in (
            _reports(week, person).filter(figures__isnull=True).select_related("user").order_by("pk")
        ):
            self._remake(report.user, week, now)
        made = self._there(week, person) - before
        mails = self._mail(week, person, now)
        unmade = _reports(week, person).filter(figures__isnull=True).count()
        states = ", ".join(f"{mails[state]} {state.label.lower()}" for state in MailState if mails[state])
        self.stdout.write(f"{week.label}: {made} made, {before} were there. Mails: {states or 'none'}.")
        if person and not made and not before and not unmade:
            self.stdout.write(f"{person.email} has been idle for more than three weeks, so reports pause.")
        bad = mails[MailState.FAILED] + mails[MailState.UNKNOWN]
        if unmade or bad:
            raise CommandError(
                f"{unmade} could not be made, {bad} mails failed or are unknown; see their rows."
            )

    def _remake(self, user: User, week: Week, now: datetime) -> None:
        try:
            remake_report(user=user, week=week, now=now)
        except Exception as error:
            self.stderr.write(f"{user.email}: {type(error).__name__}: {error}")

    def _mail(self, week: Week, person: User | None, now: datetime) -> Counter[MailState]:
        """Sends what is planned, the workers' as well: whoever comes second has nothing to do."""
        states: Counter[MailState] = Counter()
        planned = _reports(week, person).readable().filter(mail_state=MailState.PLANNED).order_by("pk")
        last: UUID | None = None
        while page := list(
            (planned.filter(pk__gt=last) if last else planned).values_list("pk", flat=True)[:PEOPLE_AT_ONCE]
        ):
            for report_id in page:
                if state := send_report(report_id=report_id, now=read_clock()):
                    states[state] += 1
            last = page[-1]
        return states


def _reports(week: Week, person: User | None) -> Any:
    found = WeeklyReport.objects.filter(year=week.year, week=week.number)
    return found.filter(user=person) if person else found

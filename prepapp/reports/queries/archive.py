"""The list of a person's reports."""

from dataclasses import dataclass

from prepapp.accounts.models import User
from prepapp.common.pagination import Page, keyset_page
from prepapp.reports.figures import from_json
from prepapp.reports.letter import Letter, write_letter
from prepapp.reports.models import WeeklyReport

REPORTS_A_PAGE = 13


@dataclass(frozen=True)
class Listed:
    """One report of the list; `is_new` until it was opened."""

    label: str
    letter: Letter
    is_new: bool


def archive_page(user: User, cursor: str) -> tuple[list[Listed], Page[WeeklyReport]]:
    """A quarter of a year of reports, newest first, and the page they stand on. One query. BadCursor."""
    reports = WeeklyReport.objects.readable().filter(user=user).only("year", "week", "figures", "read_at")
    page = keyset_page(reports, ("-year", "-week"), cursor=cursor, size=REPORTS_A_PAGE)
    return [
        Listed(
            label=f"{report.year}-W{report.week:02d}",
            # Missed points are not part of the list, so nothing has to be held back.
            letter=write_letter(from_json(report.figures or {})),
            is_new=report.read_at is None,
        )
        for report in page.items
    ], page

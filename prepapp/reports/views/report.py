"""The weekly reports of a person: the list, one report, a copy of it by mail."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.common.charts import interval
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.reports.access import get_report
from prepapp.reports.actions.mailing import want_copy
from prepapp.reports.actions.reading import note_read
from prepapp.reports.letter import Letter
from prepapp.reports.queries.archive import archive_page
from prepapp.reports.queries.evidence import mastery_constants
from prepapp.reports.queries.letters import read_letter


@require_safe
@account_required
def report_list(request: HtmxRequest, person: User) -> HttpResponse:
    reports, page = archive_page(person, request.GET.get("page", ""))
    context = {"section": "reports", "reports": reports, "page": page, "person": person}
    template = "reports/report_list.html#reports" if request.htmx else "reports/report_list.html"
    return render(request, template, context)


@require_safe
@account_required
@ensure_csrf_cookie
def report_detail(request: HttpRequest, person: User, label: str) -> HttpResponse:
    now = read_clock()
    report = get_report(person, label)
    letter = read_letter(report, now)
    context = {
        "section": "reports",
        "report": report,
        "label": label,
        "person": person,
        **letter_context(letter),
    }
    return render(request, "reports/report_detail.html", context)


@require_POST
@account_required
def report_read(request: HtmxRequest, person: User, label: str) -> HttpResponse:
    """Notes that a report was opened: the page says so itself, once. Without script a press leads here."""
    note_read(report=get_report(person, label), now=read_clock())
    return HttpResponse(status=204) if request.htmx else redirect("reports:report-detail", label)


@require_POST
@account_required
def report_copy(request: HttpRequest, person: User, label: str) -> HttpResponse:
    """'Send it to me again': noted here, mailed by a worker."""
    report = get_report(person, label)
    if want_copy(report=report, now=read_clock()):
        messages.success(request, f"A copy goes to {person.email} within a few minutes.")
    else:
        messages.error(
            request,
            "No copy goes out now. Within an hour a report is sent once and no more than three reports are, "
            "to a confirmed address only.",
        )
    return redirect("reports:report-detail", label)


def letter_context(letter: Letter) -> dict[str, Any]:
    """What `reports/letter.html` shows."""
    bar = mastery_constants().bar
    return {
        "letter": letter,
        "bar": bar,
        "areas": [
            (area, interval(area.percent / 100, area.low / 100, area.high / 100, bar, "weak"))
            for area in letter.weak
        ],
        "start_key": uuid4(),
        # A key for each: a press on one session never finds what another made.
        "sessions": [(session, uuid4()) for session in letter.plan],
    }

"""How the weekly report looks, on the figures of the person who asks: nothing is stored, nothing is sent."""

from datetime import datetime

from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.reports.figures import to_json
from prepapp.reports.mail import compose
from prepapp.reports.models import WeeklyReport
from prepapp.reports.queries.letters import read_letter
from prepapp.reports.queries.weekly import weekly_figures
from prepapp.reports.views.report import letter_context
from prepapp.reports.weeks import due_week


@require_safe
@login_required
@permission_required("reports.view_weeklyreport", raise_exception=True)
@account_required
@ensure_csrf_cookie
def report_preview(request: HttpRequest, person: User) -> HttpResponse:
    now = read_clock()
    report = _report(person, now)
    mail = compose(report, person.email or "", now)
    context = {"section": "reports", "mail": mail, **letter_context(read_letter(report, now))}
    return render(request, "reports/report_preview.html", context)


@require_safe
@login_required
@permission_required("reports.view_weeklyreport", raise_exception=True)
@account_required
def report_preview_mail(request: HttpRequest, person: User) -> HttpResponse:
    """The mail as it would be sent, for a mail program: what it looks like depends on that."""
    now = read_clock()
    mail = compose(_report(person, now), person.email or "", now)
    return HttpResponse(
        mail.message().as_bytes(),
        content_type="message/rfc822",
        headers={"Content-Disposition": 'attachment; filename="weekly-report.eml"'},
    )


def _report(person: User, now: datetime) -> WeeklyReport:
    """The newest due report of the person, made now and never stored."""
    week = due_week(now, person.zone)
    figures = weekly_figures([person], week, now)[person.pk]
    return WeeklyReport(user=person, year=week.year, week=week.number, made_at=now, figures=to_json(figures))

"""How the weekly report looks, on the figures of the person who asks: nothing is stored, nothing is sent."""

from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.reports.letter import write_letter
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
    week = due_week(now, person.zone)
    letter = write_letter(weekly_figures([person], week, now)[person.pk])
    context = {"section": "reports", **letter_context(letter)}
    return render(request, "reports/report_preview.html", context)

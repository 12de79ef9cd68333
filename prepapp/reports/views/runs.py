"""The weekly runs, for whoever keeps the site: how many reports are due, sent, failed, unknown."""

from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from prepapp.common.clock import read_clock
from prepapp.reports.queries.runs import newest_runs, troubles
from prepapp.reports.weeks import Week, read_week


@require_safe
@login_required
@permission_required("reports.view_weeklyreport", raise_exception=True)
def report_runs(request: HttpRequest) -> HttpResponse:
    """All runs, and the troubles of one: the week named in the address, else the newest."""
    runs = newest_runs()
    chosen: Week | None
    try:
        chosen = read_week(request.GET.get("week", ""))
    except ValueError:
        chosen = runs[0].week if runs else None
    context = {
        "runs": runs,
        "chosen": chosen,
        "troubles": [] if chosen is None else troubles(chosen),
        "now": read_clock(),
    }
    return render(request, "reports/report_runs.html", context)

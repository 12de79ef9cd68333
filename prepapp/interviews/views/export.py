"""The whole history as a file."""

from allauth.core.internal import ratelimit
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.timezone import localtime
from django.views.decorators.http import require_GET

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.interviews.actions.finish import close_overdue_of
from prepapp.interviews.exports import csv_lines, json_parts
from prepapp.interviews.logbook.exporting import export_entries, sample_entries


@require_GET
@candidate_required
def history_export(request: HttpRequest, candidate: User, kind: str) -> HttpResponseBase:
    """A file of all attempts, sent while it is made. `kind` is csv (plain UTF-8) or json, which holds the
    marks given to sample answers as well."""
    # The public wrapper lets every GET pass, and this address must stay a link.
    limits = {"app": "allauth.account", "action": "export", "user": candidate, "limit_get": True}
    if not ratelimit.consume(request, **limits):
        return render(request, "interviews/history_refused.html", {"section": "history"}, status=429)
    now = read_clock()
    close_overdue_of(user=candidate, now=now)
    entries = export_entries(candidate, now)
    if kind == "csv":
        response = StreamingHttpResponse(csv_lines(entries), content_type="text/csv; charset=utf-8")
    else:
        parts = json_parts(entries, sample_entries(candidate, now), now)
        response = StreamingHttpResponse(parts, content_type="application/json")
    name = f"prepapp-history-{localtime(now):%Y-%m-%d}.{kind}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

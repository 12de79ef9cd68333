"""The bank as a file."""

from typing import Any

from allauth.core.internal import ratelimit
from django.contrib.auth.decorators import permission_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.timezone import localtime
from django.views.decorators.http import require_GET, require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.forms.exports import ExportForm
from prepapp.bank.queries.exporting import bank_size, export_choices, export_entries
from prepapp.bank.transfer.formats import FORMAT_BY_NAME
from prepapp.bank.transfer.writers import Unwritable, write_file
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest

may_export = permission_required("bank.import_questions", raise_exception=True)


@require_safe
@account_required
@may_export
def export_new(request: HtmxRequest, person: User) -> HttpResponse:
    return _page(request, ExportForm(choices=export_choices()))


@require_GET
@account_required
@may_export
def export_file(request: HtmxRequest, person: User) -> HttpResponse:
    """The file that the form on the page asks for."""
    form = ExportForm(request.GET, choices=export_choices())
    if not form.is_valid():
        return _page(request, form, status=422)
    # The public wrapper lets every GET pass, and this address must stay a link.
    limits = {"app": "allauth.account", "action": "export", "user": person, "limit_get": True}
    if not ratelimit.consume(request, **limits):
        return _page(request, form, problem="You exported many files today. Try again tomorrow.", status=429)
    entries = export_entries(form.wanted())
    if not entries:
        return _page(request, form, problem="No question fits all of this, so there is no file.", status=422)
    chosen = FORMAT_BY_NAME[form.cleaned_data["format"]]
    now = read_clock()
    try:
        content = write_file(chosen.name, entries, now=now)
    except Unwritable as error:
        return _page(request, form, problem=f"This format cannot hold it: {error}", status=422)
    response = HttpResponse(content, content_type=chosen.content_type)
    name = f"prepapp-bank-{localtime(now):%Y-%m-%d}{chosen.suffixes[0]}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _page(request: HtmxRequest, form: ExportForm, *, status: int = 200, **more: Any) -> HttpResponse:
    page = {"section": "desk", "form": form, "size": bank_size(), **more}
    return render(request, "bank/export_new.html", page, status=status)

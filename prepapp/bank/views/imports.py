"""Files on their way into the bank: uploaded, looked at, imported, undone."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from prepapp.accounts.decorators import account_required, rate_limited
from prepapp.accounts.models import User
from prepapp.bank.access import get_import, get_import_to_change, may_publish_imports
from prepapp.bank.actions.importing import (
    confirm_import,
    discard_import,
    prepare_import,
    start_import,
    undo_import,
    write_import,
)
from prepapp.bank.choices import ImportState, RowOutcome
from prepapp.bank.forms.imports import ImportForm
from prepapp.bank.models import AT_WORK, ImportRun
from prepapp.bank.queries.import_runs import row_page, run_page, tallies
from prepapp.bank.refusals import FaultsLeft, ImportUsed, Refusal, RunMoved
from prepapp.bank.tasks import send_import
from prepapp.bank.transfer.formats import FORMATS
from prepapp.bank.transfer.readers.limits import MAX_FILE, MAX_ITEMS
from prepapp.common.clock import read_clock
from prepapp.common.middleware import takes_up_to
from prepapp.common.requests import HtmxRequest

# So much is read, and written, while the person waits; more is a worker's.
ITEMS_AT_ONCE = 200
BYTES_AT_ONCE = 500_000
# The form around the file.
_AROUND = 10_000

may_import = permission_required("bank.import_questions", raise_exception=True)


@require_safe
@account_required
@may_import
def import_list(request: HtmxRequest, person: User) -> HttpResponse:
    page = {"section": "desk", "page": run_page(request.GET.get("cursor", ""))}
    return render(request, "bank/import_list.html", page)


@takes_up_to(MAX_FILE + _AROUND)
@require_http_methods(["GET", "HEAD", "POST"])
@account_required
@may_import
@rate_limited()
def import_new(request: HtmxRequest, person: User) -> HttpResponse:
    """The form; or an upload, which leads to its preview. A small file is read at once."""
    may_publish = may_publish_imports(person)
    if request.method != "POST":
        return _form(request, ImportForm(may_publish=may_publish))
    form = ImportForm(request.POST, request.FILES, may_publish=may_publish)
    if not form.is_valid():
        return _form(request, form, 422)
    now, file = read_clock(), form.cleaned_data["file"]
    run = start_import(
        name=file.name or "file",
        data=file.read(),
        by=person,
        publishes=form.cleaned_data.get("publishes", False),
        now=now,
    )
    is_small = run.file_size <= BYTES_AT_ONCE
    if not (is_small and prepare_import(run_id=run.pk, now=now, beat=_unwatched, at_most=ITEMS_AT_ONCE)):
        send_import(run.pk)
    return redirect("imports:import-detail", run.pk)


@require_safe
@account_required
@may_import
def import_detail(request: HtmxRequest, person: User, run_id: UUID) -> HttpResponse:
    """Where a run is: being read or written, to be confirmed, done, refused or undone. `?outcome=failed`
    shows only such rows."""
    run = get_import(run_id)
    part = {"rows": "#rows", "run": "#run"}.get(request.htmx.target or "", "") if request.htmx else ""
    return render(request, f"bank/import_detail.html{part}", _page(request, person, run))


@require_POST
@account_required
@may_import
@rate_limited()
def import_confirm(request: HtmxRequest, person: User, run_id: UUID) -> HttpResponse:
    """Imports what was previewed. A small file is written at once."""
    run, now = get_import_to_change(person, run_id), read_clock()
    try:
        confirm_import(run_id=run.pk, takes_good_ones=request.POST.get("take") == "good", now=now)
    except (FaultsLeft, RunMoved) as refusal:
        return _refused(request, person, run_id, refusal)
    if run.seen <= ITEMS_AT_ONCE:
        write_import(run_id=run.pk, now=now, beat=_unwatched)
    else:
        send_import(run.pk)
    return redirect("imports:import-detail", run.pk)


@require_POST
@account_required
@may_import
@rate_limited()
def import_discard(request: HtmxRequest, person: User, run_id: UUID) -> HttpResponse:
    run = get_import_to_change(person, run_id)
    try:
        discard_import(run_id=run.pk)
    except RunMoved as refusal:
        return _refused(request, person, run_id, refusal)
    messages.success(request, f"“{run.file_name}” was thrown away. Nothing of it is in the bank.")
    return redirect("imports:import-list")


@require_POST
@account_required
@may_import
@rate_limited()
def import_undo(request: HtmxRequest, person: User, run_id: UUID) -> HttpResponse:
    run = get_import_to_change(person, run_id)
    try:
        undo_import(run_id=run.pk, by=person, now=read_clock())
    except (ImportUsed, RunMoved) as refusal:
        return _refused(request, person, run_id, refusal)
    messages.success(request, f"The import of “{run.file_name}” was undone.")
    return redirect("imports:import-detail", run.pk)


def _unwatched(done: int) -> None:
    """Nobody watches the progress of what is done within the request."""


def _form(request: HtmxRequest, form: ImportForm, status: int = 200) -> HttpResponse:
    page = {
        "section": "desk",
        "form": form,
        "formats": [found for found in FORMATS if found.reads],
        "megabytes": MAX_FILE // 1_000_000,
        "items": MAX_ITEMS,
    }
    return render(request, "bank/import_new.html", page, status=status)


def _refused(request: HtmxRequest, person: User, run_id: UUID, refusal: Refusal) -> HttpResponse:
    """The run as it is now, with why the act was refused."""
    run = get_import(run_id)
    page = {**_page(request, person, run), "refusal": refusal}
    return render(request, "bank/import_detail.html", page, status=409)


def _page(request: HtmxRequest, person: User, run: ImportRun) -> dict[str, Any]:
    outcome = request.GET.get("outcome", "")
    outcome = outcome if outcome in RowOutcome.values else ""
    is_at_work = run.state in AT_WORK
    shows_rows = run.state in {ImportState.PREVIEWED, ImportState.DONE, ImportState.UNDONE}
    return {
        "section": "desk",
        "run": run,
        "is_at_work": is_at_work,
        "may_change": may_publish_imports(person) or not run.publishes,
        "changes": run.counts.get("created", 0) + run.counts.get("updated", 0),
        "failed": run.counts.get("failed", 0),
        "tallies": tallies(run.counts) if shows_rows else [],
        "outcome": outcome,
        "page": row_page(run, outcome, request.GET.get("cursor", "")) if shows_rows else None,
    }

"""The time allowance. It stands here and not with the other preferences because a change takes effect in
interviews that are running."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from prepapp.accounts.decorators import candidate_required
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.interviews.actions.allowance import change_time_allowance
from prepapp.interviews.forms import AllowanceForm


@require_POST
@candidate_required
def allowance(request: HttpRequest, candidate: User) -> HttpResponse:
    form = AllowanceForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the listed allowances. Nothing was changed.")
        return redirect("accounts:preferences")
    changed = change_time_allowance(
        user=candidate, allowance=form.cleaned_data["time_allowance"], now=read_clock()
    )
    running = f" {changed} running interview{'s' if changed != 1 else ''} changed with it." if changed else ""
    messages.success(request, f"Time allowance saved.{running}")
    return redirect("accounts:preferences")

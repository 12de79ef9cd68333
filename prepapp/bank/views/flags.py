"""Flags of a candidate: raised from many pages, answered on one. What curators do: `flag_queue`."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from prepapp.accounts.decorators import candidate_required, rate_limited
from prepapp.accounts.models import User
from prepapp.bank.access import asked_version, closed_answers
from prepapp.bank.actions.flags import mark_read, raise_flag
from prepapp.bank.forms.flags import FlagForm, read_flag_ids
from prepapp.bank.models import QuestionVersion
from prepapp.bank.queries.flags import OWN_ORDER, own_flags
from prepapp.bank.refusals import Refusal
from prepapp.common.clock import read_clock
from prepapp.common.pagination import keyset_page
from prepapp.common.requests import HtmxRequest

UNPROCESSABLE = 422


@require_POST
@rate_limited(labels={"text": "In your words"})
@candidate_required
def flag_raise(request: HtmxRequest, candidate: User, version_id: int) -> HttpResponse:
    """Takes what somebody says about a question. Nothing of the question comes back but its title."""
    version = asked_version(version_id)
    form = FlagForm(request.POST, version_id=version.pk)
    if not form.is_valid():
        return _form(request, version, form, status=UNPROCESSABLE)
    said = {name: form.cleaned_data[name] for name in ("reason", "text", "place")}
    try:
        raise_flag(user=candidate, version=version, now=read_clock(), **said)
    except Refusal as refusal:
        form.add_error("text", str(refusal))
        return _form(request, version, form, status=UNPROCESSABLE)
    if request.htmx:
        fresh = FlagForm(version_id=version.pk, initial={"place": said["place"]})
        return _form(request, version, fresh, done=True)
    messages.success(request, "Thank you. A curator reads it, and the answer will stand under “Your flags”.")
    return redirect(_came_from(request))


@require_safe
@candidate_required
def flag_list(request: HtmxRequest, candidate: User) -> HttpResponse:
    """Own flags with their answers; of a question that an interview keeps closed only that there is one."""
    page = keyset_page(own_flags(candidate), OWN_ORDER, cursor=request.GET.get("cursor", ""))
    closed = closed_answers(candidate, {flag.question_id for flag in page.items}, read_clock())
    context = {
        "section": "flags",
        "page": page,
        "flags": page.items,
        "closed": closed,
        "unread": [
            flag
            for flag in page.items
            if flag.settled_at and not flag.read_at and flag.question_id not in closed
        ],
    }
    return render(request, "bank/flag_list.html", context)


@require_POST
@candidate_required
def flag_read(request: HtmxRequest, candidate: User) -> HttpResponse:
    """Notes which answers were read: the page says so itself. Without script a press leads here."""
    mark_read(user=candidate, flag_ids=read_flag_ids(request.POST.getlist("flag")), now=read_clock())
    return HttpResponse(status=204) if request.htmx else redirect("flags:flag-list")


def _form(
    request: HtmxRequest, version: QuestionVersion, form: FlagForm, *, status: int = 200, done: bool = False
) -> HttpResponse:
    page: dict[str, Any] = {"version": version, "version_id": version.pk, "form": form, "done": done}
    template = "bank/flag_form.html" if request.htmx else "bank/flag_raise.html"
    return render(request, template, page, status=status)


def _came_from(request: HtmxRequest) -> str:
    """The page the form stood on; its own address takes no reading."""
    came_from = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(came_from, {request.get_host()}, request.is_secure()):
        return reverse("flags:flag-list")
    parts = urlsplit(came_from)
    if parts.path == request.path:
        return reverse("flags:flag-list")
    return f"{parts.path}?{parts.query}" if parts.query else parts.path

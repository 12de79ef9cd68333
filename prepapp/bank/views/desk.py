"""The front page of the desk: what there is to do, and its rooms."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.timezone import localdate
from django.views.decorators.http import require_safe

from prepapp.accounts.decorators import account_required
from prepapp.accounts.models import User
from prepapp.bank.desk import ROOMS
from prepapp.bank.queries.desk import desk_of
from prepapp.bank.views.doors import may_curate
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest


@require_safe
@account_required
@may_curate
def desk_home(request: HtmxRequest, person: User) -> HttpResponse:
    page = {"section": "desk", "desk": desk_of(person, localdate(read_clock())), "rooms": _rooms(person)}
    return render(request, "bank/desk/home.html", page)


def _rooms(person: User) -> list[dict[str, str]]:
    found = []
    for room in ROOMS:
        try:
            address = reverse(room.name)
        except NoReverseMatch:
            continue
        if person.has_perm(room.permission):
            found.append({"address": address, "title": room.title, "text": room.text})
    return found

"""Packs: what each is practice for, its questions, and a mock drawn from them."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from prepapp.accounts.access import candidate_of
from prepapp.accounts.models import User
from prepapp.bank.access import known_pack
from prepapp.bank.choices import Level
from prepapp.bank.models import QUESTION_ORDER, Pack
from prepapp.bank.queries.packs import (
    TopicShare,
    new_references,
    pack_page,
    pack_questions,
    pack_shares,
    pack_sizes,
)
from prepapp.common.clock import read_clock
from prepapp.common.pagination import keyset_page
from prepapp.common.requests import HtmxRequest
from prepapp.interviews.actions.start import pack_plan
from prepapp.interviews.pack_forms import PackLevelForm, PackStartForm
from prepapp.interviews.pack_offers import pack_offers
from prepapp.interviews.views.start import begin, refuse

# The parts of the page that change by themselves.
_PARTS = ("mocks", "pack-questions")


@require_safe
def pack_list(request: HtmxRequest) -> HttpResponse:
    return render(request, "interviews/pack_list.html", {"section": "practise", "packs": pack_sizes()})


@require_safe
@ensure_csrf_cookie
def pack_detail(request: HtmxRequest, slug: str) -> HttpResponse:
    """What the pack is practice for, with its formats at one level and one page of its questions."""
    candidate = candidate_of(request)
    pack = known_pack(slug)
    form = PackLevelForm(request.GET)
    form.is_valid()
    level = form.cleaned_data.get("level") or (candidate.level if candidate else Level.INTERMEDIATE)
    moved = new_references()
    page = _coverage(pack_shares(pack, moved)) | _offered(candidate, pack, moved, level)
    page |= {
        "section": "practise",
        "pack": pack,
        "about": pack_page(pack),
        "page": keyset_page(
            pack_questions(pack, moved).as_rows(), QUESTION_ORDER, cursor=request.GET.get("cursor", "")
        ),
    }
    template = "interviews/pack_detail.html"
    if request.htmx and request.htmx.target in _PARTS:
        template += f"#{request.htmx.target}"
    return render(request, template, page)


@require_POST
def pack_start(request: HtmxRequest, slug: str) -> HttpResponse:
    """One press of a start button."""
    now = read_clock()
    pack = known_pack(slug)
    form = PackStartForm(request.POST, pack=pack)
    if not form.is_valid():
        return refuse(request, "That interview is not offered any more. Choose another one.", 422)
    choice = form.cleaned_data
    plan = pack_plan(pack, choice["blueprint"], choice["level"])
    return begin(request, plan, choice["mode"], choice["start_key"], now)


def _coverage(shares: list[TopicShare]) -> dict[str, Any]:
    """The questions by topic, each with its levels in words, and by level."""
    labels = [str(label) for label in Level.labels]
    return {
        "count": sum(share.questions for share in shares),
        "shares": [
            (share, [(number, label) for number, label in zip(share.levels, labels, strict=True) if number])
            for share in shares
        ],
        "level_counts": [
            (label, sum(share.levels[place] for share in shares)) for place, label in enumerate(labels)
        ],
    }


def _offered(candidate: User | None, pack: Pack, moved: Mapping[str, str], level: str) -> dict[str, Any]:
    return {
        "level": level,
        "level_label": Level(level).label,
        "levels": Level.choices,
        "offers": pack_offers(candidate, pack, moved, level),
        "has_clock": candidate is None or candidate.time_allowance != "untimed",
    }

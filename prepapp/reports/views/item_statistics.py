"""Item statistics at the desk: the lists of what asks for a look, and all numbers of one question."""

from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from prepapp.bank.queries import filter_choices
from prepapp.common.pagination import keyset_page
from prepapp.common.requests import HtmxRequest
from prepapp.reports.access import get_question
from prepapp.reports.choices import StatisticsList
from prepapp.reports.forms import StatisticsForm
from prepapp.reports.intervals import LEAST
from prepapp.reports.queries.item_lists import (
    ItemFilter,
    item_rows,
    last_run,
    listed_items,
    listed_points,
    point_rows,
)
from prepapp.reports.queries.question_statistics import meanings_of, open_flags


@require_safe
@login_required
@permission_required("reports.view_itemstatistic", raise_exception=True)
def item_statistics(request: HtmxRequest) -> HttpResponse:
    """One of the lists, the worst first."""
    form = StatisticsForm(request.GET, choices=filter_choices())
    wanted, run, cursor = form.wanted(), last_run(), request.GET.get("cursor", "")
    context = {
        "section": "desk",
        "form": form,
        "query": form.query(),
        "narrowing": form.narrowing(),
        "wanted": wanted,
        "lists": StatisticsList,
        "run": run,
        "least": LEAST,
        **_page(wanted, cursor, run.mean if run else 0),
    }
    if not request.htmx:
        return render(request, "reports/item_statistics.html", context)
    response = render(request, "reports/item_statistics.html#results", context)
    address = "&".join(part for part in (form.query(), f"cursor={cursor}" if cursor else "") if part)
    return push_url(response, f"{reverse('reports:item-statistics')}{'?' if address else ''}{address}")


@require_safe
@login_required
@permission_required("reports.view_itemstatistic", raise_exception=True)
def question_statistics(request: HtmxRequest, question_id: int) -> HttpResponse:
    question, run = get_question(question_id), last_run()
    context = {
        "section": "desk",
        "question": question,
        "meanings": meanings_of(question, run.mean if run else 0),
        "flags": open_flags(question),
        "run": run,
        "least": LEAST,
        "editor": _address("desk:question-edit", question_id),
    }
    return render(request, "reports/question_statistics.html", context)


def _page(wanted: ItemFilter, cursor: str, mean: int) -> dict[str, object]:
    """A page of the list, its lines, and how many there are in all."""
    if wanted.is_of_points:
        points = listed_points(wanted)
        points_page = keyset_page(points, wanted.order, cursor=cursor)
        return {
            "page": points_page,
            "rows": point_rows(points_page.items, mean),
            "count": points.count(),
        }
    items = listed_items(wanted)
    items_page = keyset_page(items, wanted.order, cursor=cursor)
    return {"page": items_page, "rows": item_rows(items_page.items, mean), "count": items.count()}


def _address(name: str, *args: object) -> str:
    """'' for a room this site does not have."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""

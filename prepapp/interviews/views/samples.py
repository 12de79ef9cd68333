"""Sample answers: mark one, then see the reference marks and how one's own lean. Not here: grading one's own
answers (`views.grading`)."""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from prepapp.accounts.decorators import candidate_required, rate_limited
from prepapp.accounts.models import User
from prepapp.bank.models import SampleAnswer
from prepapp.bank.queries import track_choices
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.interviews.access import get_sample
from prepapp.interviews.actions.samples import grade_sample
from prepapp.interviews.choices import MarkValue
from prepapp.interviews.gradebook import reads, samples
from prepapp.interviews.gradebook.held_back import closed_in_bank
from prepapp.interviews.models import SampleGrading
from prepapp.interviews.refusals import Refusal
from prepapp.interviews.sample_forms import SampleForm, way_back

CONFLICT = 409
UNPROCESSABLE = 422


@require_safe
@candidate_required
def sample_list(request: HttpRequest, candidate: User) -> HttpResponse:
    """What there is to mark, by track, and how one marks there."""
    rows = samples.sample_rows(candidate.pk, read_clock())
    found = samples.biases(candidate)
    page = {
        "section": "progress",
        "tracks": [
            {
                "code": code,
                "title": title,
                "bias": found.of(code),
                "next": samples.next_sample(row for row in rows if row.track == code),
                "questions": _by_question(row for row in rows if row.track == code),
            }
            for code, title in track_choices()
            if any(row.track == code for row in rows)
        ],
        "overall": found.overall,
        "next": samples.next_sample(rows),
    }
    return render(request, "interviews/sample_list.html", page)


@require_safe
@ensure_csrf_cookie
@candidate_required
def sample(request: HtmxRequest, candidate: User, sample_id: int) -> HttpResponse:
    """To be marked; once it is, beside its reference marks. `?again=1` marks it another time; `?attempt=`
    names an interview to go back to."""
    found = get_sample(candidate, sample_id)
    page = _page(candidate, found, read_clock(), again="again" in request.GET)
    return render(request, "interviews/sample.html", page | {"way_back": way_back(request.GET)})


@require_POST
@rate_limited()
@candidate_required
def sample_grade(request: HtmxRequest, candidate: User, sample_id: int) -> HttpResponse:
    """All marks of a sample at once."""
    now = read_clock()
    found = get_sample(candidate, sample_id)
    form = SampleForm(request.POST, points=[point.key for point in samples.sample_points(found.version_id)])
    if not form.is_valid():
        return _refuse(request, candidate, found, form, now, "", UNPROCESSABLE)
    try:
        grade_sample(
            user=candidate,
            sample=found,
            marks=form.marks(),
            grade_key=form.cleaned_data["grade_key"],
            now=now,
        )
    except Refusal as refusal:
        return _refuse(request, candidate, found, form, now, str(refusal), CONFLICT)
    attempt = way_back(request.POST)
    if not request.htmx:
        query = f"?attempt={attempt}" if attempt else ""
        return redirect(f"{reverse('interviews:sample', args=[found.pk])}{query}#compared")
    page = _page(candidate, found, now) | {"way_back": attempt}
    return render(request, "interviews/sample.html#grading", page)


def _by_question(rows: Iterable[samples.SampleRow]) -> list[list[samples.SampleRow]]:
    return [list(same) for _, same in groupby(rows, key=lambda row: row.slug)]


def _page(
    candidate: User,
    found: SampleAnswer,
    now: datetime,
    *,
    again: bool = False,
    form: SampleForm | None = None,
) -> dict[str, Any]:
    """Nothing of the answer while its question is closed to the person; what it is measured by only beside
    their own marks."""
    is_closed = bool(closed_in_bank(candidate.pk, [found.question_id], now))
    grading = None if again or form or is_closed else samples.newest_grading(candidate, found)
    version = samples.sample_version(found.version_id, is_revealed=grading is not None)
    page: dict[str, Any] = {
        "section": "progress",
        "sample": found,
        "version": version,
        "is_closed": is_closed,
        "is_again": again,
    }
    if is_closed:
        return page
    if grading is None:
        return page | _to_mark(found, form)
    page |= _compared(candidate, found, grading, now)
    return page | {"references": reads.references(version)}


def _to_mark(found: SampleAnswer, form: SampleForm | None) -> dict[str, Any]:
    """The rubric with what was chosen so far."""
    missing = form.unmarked() if form else []
    points = [
        {
            "point": point,
            "name": SampleForm.field_name(point.key),
            "chosen": form.chosen(point.key) if form else "",
            "is_missing": point.key in missing,
            "is_first_missing": missing[:1] == [point.key],
        }
        for point in samples.sample_points(found.version_id)
    ]
    values = [(str(mark.value), mark.label) for mark in MarkValue]
    return {"points": points, "values": values, "missing": len(missing), "grade_key": uuid4()}


def _compared(candidate: User, found: SampleAnswer, grading: SampleGrading, now: datetime) -> dict[str, Any]:
    compared = samples.compared(found, grading)
    rows = samples.sample_rows(candidate.pk, now, found.track_code)
    return {
        "grading": grading,
        "compared": compared,
        "pieces": [
            (piece.text, " ".join(map(str, piece.points)))
            for piece in samples.quoted_pieces(found.answer, compared.points)
        ],
        "bias": samples.biases(candidate).of(found.track_code),
        "track_title": dict(track_choices()).get(found.track_code, found.track_code),
        "following": samples.next_sample(rows),
    }


def _refuse(
    request: HtmxRequest,
    candidate: User,
    found: SampleAnswer,
    form: SampleForm,
    now: datetime,
    problem: str,
    status: int,
) -> HttpResponse:
    """The same screen with what was chosen and why nothing was kept."""
    page = _page(candidate, found, now, form=form) | {"way_back": way_back(request.POST)}
    page["problem"] = problem or " ".join(str(error) for error in form.errors.get("grade_key", []))
    template = "interviews/sample.html#grading" if request.htmx else "interviews/sample.html"
    return render(request, template, page, status=status)

"""Grading one's own answers, one screen per answer.

Here: the pages and forms of an open grading. Not here: the finished result (`views.result`), what may be
marked when (`actions.grading`).
"""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from prepapp.accounts.decorators import candidate_required, rate_limited
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.common.requests import HtmxRequest
from prepapp.interviews import evidence
from prepapp.interviews.access import get_attempt
from prepapp.interviews.actions import grading as actions
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.choices import Band, State
from prepapp.interviews.forms import ConfidenceForm, LessonForm, MarkForm
from prepapp.interviews.gradebook import reads, rows
from prepapp.interviews.gradebook.changes import changed_since
from prepapp.interviews.gradebook.held_back import held_back_positions, holding_mock
from prepapp.interviews.gradebook.samples import SampleRow, offered_first
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.refusals import NotOnRubric, NotYourWords, Refusal

CONFLICT = 409
UNPROCESSABLE = 422


@require_safe
@candidate_required
def grade(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """To the first answer that is still to do, else to the last one marked."""
    now = read_clock()
    attempt = get_attempt(candidate, attempt_id, related=())
    close_if_overdue(attempt=attempt, now=now)
    opened, answers = reads.open_answers(attempt.pk)
    if not _may_grade(attempt, opened):
        return redirect("interviews:attempt", attempt.pk)
    if not answers:
        raise Http404("nothing was asked")
    marked = [answer for answer in answers if answer.needs_marks] or answers[:1]
    target = rows.next_to_do(answers, 0) or marked[-1]
    return redirect("interviews:grade-answer", attempt.pk, target.position)


@require_safe
@ensure_csrf_cookie
@candidate_required
def grade_answer(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    now = read_clock()
    attempt = get_attempt(candidate, attempt_id, related=())
    close_if_overdue(attempt=attempt, now=now)
    opened, answers = reads.open_answers(attempt.pk, with_texts=True)
    if not _may_grade(attempt, opened):
        return redirect("interviews:attempt", attempt.pk)
    return render(request, "interviews/grade.html", _page(attempt, opened, answers, position, now))


@require_POST
@rate_limited()
@candidate_required
def confidence(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    now = read_clock()
    form = ConfidenceForm(request.POST)
    if not form.is_valid():
        attempt = get_attempt(candidate, attempt_id, related=())
        return _refuse(request, attempt, position, _first_error(form), UNPROCESSABLE, now)
    try:
        attempt = actions.set_confidence(
            user=candidate,
            attempt_id=attempt_id,
            position=position,
            confidence=form.cleaned_data["confidence"],
            now=now,
        )
    except Response.DoesNotExist as error:
        raise Http404("no such answer") from error
    except Refusal as refusal:
        attempt = get_attempt(candidate, attempt_id, related=())
        return _refuse(request, attempt, position, str(refusal), CONFLICT, now)
    return _arrive(request, attempt, position, now)


@require_POST
@rate_limited(labels={"quote": "The words of your answer that earn this"})
@candidate_required
def mark(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """One mark. Inside htmx only the row, the score and the progress come back, and the model answer when
    it is due and the page says that it has none: the reply that first brought it may have been lost."""
    now = read_clock()
    form = MarkForm(request.POST)
    if not form.is_valid():
        return _refuse_mark(request, candidate, attempt_id, position, form, _first_error(form), now)
    choice = form.cleaned_data
    try:
        marked = actions.set_mark(
            user=candidate,
            attempt_id=attempt_id,
            position=position,
            point_id=choice["point"],
            value=choice["value"],
            quote=choice["quote"],
            now=now,
        )
    except (Response.DoesNotExist, NotOnRubric) as error:
        raise Http404("no such point") from error
    except NotYourWords as refusal:
        return _refuse_mark(request, candidate, attempt_id, position, form, str(refusal), now)
    except Refusal as refusal:
        attempt = get_attempt(candidate, attempt_id, related=())
        return _refuse(request, attempt, position, str(refusal), CONFLICT, now)
    if not request.htmx:
        return redirect(_address(attempt_id, position, f"point-{choice['point']}"))
    if marked.grade.is_revealed and not choice["shown"]:
        attempt = marked.response.attempt
        page = _page(attempt, *reads.open_answers(attempt_id, with_texts=True), position, now)
        page |= {"point": marked.point, "oob": True, "is_shown": True}
        return render(request, "interviews/grade.html#mark-complete", page)
    return render(request, "interviews/grade.html#mark-reply", _reply(marked))


@require_POST
@rate_limited()
@candidate_required
def reveal(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """'Show me the answer', where there is nothing to mark."""
    now = read_clock()
    try:
        attempt = actions.show_answer(user=candidate, attempt_id=attempt_id, position=position, now=now)
    except Response.DoesNotExist as error:
        raise Http404("no such answer") from error
    except Refusal as refusal:
        attempt = get_attempt(candidate, attempt_id, related=())
        return _refuse(request, attempt, position, str(refusal), CONFLICT, now)
    return _arrive(request, attempt, position, now)


@require_POST
@rate_limited(labels={"fix_next": "Fix next time"})
@candidate_required
def lesson(request: HtmxRequest, candidate: User, attempt_id: UUID, position: int) -> HttpResponse:
    """Keeps the line 'fix next time', then goes where the button says."""
    now = read_clock()
    form = LessonForm(request.POST)
    if not form.is_valid():
        attempt = get_attempt(candidate, attempt_id, related=())
        return _refuse_lesson(request, attempt, position, _first_error(form), now)
    try:
        attempt = actions.set_lesson(
            user=candidate,
            attempt_id=attempt_id,
            position=position,
            lesson=form.cleaned_data["fix_next"],
            now=now,
        )
    except Response.DoesNotExist as error:
        raise Http404("no such answer") from error
    except Refusal as refusal:
        attempt = get_attempt(candidate, attempt_id, related=())
        return _refuse(request, attempt, position, str(refusal), CONFLICT, now)
    if form.cleaned_data["go"] == "result":
        return _close(request, attempt, position, now)
    if form.cleaned_data["go"] == "next":
        return redirect("interviews:grade", attempt.pk)
    if not request.htmx:
        return redirect(_address(attempt_id, position, "lesson"))
    return render(request, "interviews/grade.html#lesson-state", {"kept": True})


@require_POST
@rate_limited()
@candidate_required
def grade_close(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    return _close(request, get_attempt(candidate, attempt_id, related=()), None, read_clock())


@require_POST
@rate_limited()
@candidate_required
def regrade(request: HtmxRequest, candidate: User, attempt_id: UUID) -> HttpResponse:
    """A new grading; the earlier ones stay readable."""
    attempt = get_attempt(candidate, attempt_id, related=())
    try:
        actions.regrade(attempt=attempt, now=read_clock())
    except Refusal as refusal:
        return _elsewhere(request, attempt, str(refusal))
    return redirect("interviews:grade", attempt.pk)


def _close(request: HtmxRequest, attempt: Attempt, position: int | None, now: datetime) -> HttpResponse:
    try:
        actions.close_grading(attempt=attempt, now=now)
    except Refusal as refusal:
        return _refuse(request, attempt, position, str(refusal), CONFLICT, now)
    return redirect("interviews:result", attempt.pk)


def _may_grade(attempt: Attempt, opened: rows.GradingRow | None) -> bool:
    """Whether a grading is open or may be opened by the first word of confidence."""
    return attempt.state == State.GRADING or (attempt.state == State.GRADED and opened is not None)


def _page(
    attempt: Attempt,
    opened: rows.GradingRow | None,
    answers: list[rows.Answer],
    position: int,
    now: datetime,
) -> dict[str, Any]:
    answer = next((found for found in answers if found.position == position), None)
    if answer is None:
        raise Http404("no such answer")
    question = reads.question_of(answer.response.pk, is_revealed=answer.is_revealed, now=now)
    answer = replace(answer, is_held_back=getattr(question, "is_held_back", True))
    holder = None
    if answer.is_held_back:
        holder = holding_mock(attempt.user_id, question.version.question_id, now)
        shut = held_back_positions(attempt.pk, now)
        answers = [replace(found, is_held_back=found.position in shut) for found in answers]
    changed = changed_since([question] if answer.is_revealed else [], attempt.user_id, now)
    following = rows.next_to_do(answers, position)
    points = [point for found in answers for point in found.points]
    return {
        "section": "history",
        "attempt": attempt,
        "attempt_id": attempt.pk,
        "grading": opened,
        "answers": answers,
        "answer": answer,
        "position": position,
        "question": question,
        "version": question.version,
        "pieces": _pieces(answer),
        "late_texts": reads.late_texts(answer.response.pk),
        "tally": rows.tally(answer.points),
        "progress": rows.progress(points, position),
        "following": following,
        "first_sample": _first_sample(attempt, opened, now),
        "holder": holder,
        "closed_too": [found for found in answers if found.is_held_back and found.position != position],
        "changed": changed.get(question.pk),
        "references": reads.references(question.version) if answer.is_revealed else [],
        "confidences": Band.choices,
    }


def _first_sample(attempt: Attempt, opened: rows.GradingRow | None, now: datetime) -> SampleRow | None:
    """A sample answer to mark before the first word about one's own."""
    if opened is not None or attempt.track_id is None:
        return None
    return offered_first(attempt.user_id, attempt.track_id, now)


def _pieces(answer: rows.Answer) -> list[tuple[str, str]]:
    """The answer in stretches, each with the ids of the points it may be evidence for. Hints tell what
    the rubric looks for, so there are none before it is open."""
    text = answer.response.text
    if not (answer.is_open and answer.needs_marks):
        return [(text, "")]
    spans = evidence.find_evidence(text, [f"{point.criterion} {point.met}" for point in answer.points])
    return [
        (piece.text, " ".join(str(answer.points[number].id) for number in piece.points))
        for piece in evidence.cut(text, spans)
    ]


def _reply(marked: actions.Marked) -> dict[str, Any]:
    position = marked.response.position
    return {
        "attempt_id": marked.response.attempt_id,
        "position": position,
        "point": marked.point,
        "tally": rows.tally(row for row in marked.rows if row.position == position),
        "progress": rows.progress(marked.rows, position),
        "oob": True,
    }


def _arrive(request: HtmxRequest, attempt: Attempt, position: int, now: datetime) -> HttpResponse:
    if not request.htmx:
        return redirect(_address(attempt.pk, position, "grading"))
    page = _page(attempt, *reads.open_answers(attempt.pk, with_texts=True), position, now)
    return render(request, "interviews/grade.html#grading", page)


def _refuse(
    request: HtmxRequest, attempt: Attempt, position: int | None, problem: str, status: int, now: datetime
) -> HttpResponse:
    """The same screen with the reason on it, or the place where the attempt is now."""
    opened, answers = reads.open_answers(attempt.pk, with_texts=True)
    if not _may_grade(attempt, opened):
        return _elsewhere(request, attempt, problem)
    if position is None:
        target = rows.next_to_do(answers, 0)
        position = target.position if target else 1
    page = _page(attempt, opened, answers, position, now) | {"problem": problem}
    template = "interviews/grade.html#grading" if request.htmx else "interviews/grade.html"
    reply = render(request, template, page, status=status)
    reply.headers["HX-Retarget"] = "#grading"
    reply.headers["HX-Reswap"] = "outerHTML"
    return reply


def _refuse_mark(
    request: HtmxRequest,
    candidate: User,
    attempt_id: UUID,
    position: int,
    form: MarkForm,
    problem: str,
    now: datetime,
) -> HttpResponse:
    """The row again, with what was typed and what is wrong with it."""
    attempt = get_attempt(candidate, attempt_id, related=())
    opened, answers = reads.open_answers(attempt.pk, with_texts=True)
    if not _may_grade(attempt, opened):
        return _elsewhere(request, attempt, "No grading is open, so nothing was changed.")
    page = _page(attempt, opened, answers, position, now)
    wanted = form.cleaned_data.get("point")
    point = next((found for found in page["answer"].points if found.id == wanted), None)
    if point is None or not page["answer"].is_open:
        raise Http404("no such point")
    page |= {"problem_point": point.id, "point_problem": problem, "typed": request.POST.get("quote", "")}
    if not request.htmx:
        return render(request, "interviews/grade.html", page, status=UNPROCESSABLE)
    return render(request, "interviews/grade.html#point-mark", page | {"point": point}, status=UNPROCESSABLE)


def _refuse_lesson(
    request: HtmxRequest, attempt: Attempt, position: int, problem: str, now: datetime
) -> HttpResponse:
    if request.htmx:
        page = {"lesson_problem": problem}
        return render(request, "interviews/grade.html#lesson-state", page, status=UNPROCESSABLE)
    opened, answers = reads.open_answers(attempt.pk, with_texts=True)
    if not _may_grade(attempt, opened):
        return _elsewhere(request, attempt, "No grading is open, so nothing was changed.")
    page = _page(attempt, opened, answers, position, now)
    page |= {"lesson_problem": problem, "typed_lesson": request.POST.get("fix_next", "")}
    return render(request, "interviews/grade.html", page, status=UNPROCESSABLE)


def _elsewhere(request: HtmxRequest, attempt: Attempt, problem: str) -> HttpResponse:
    """Why nothing was changed, with the way to where the attempt is. Inside htmx the page moves there."""
    url = reverse("interviews:attempt", args=[attempt.pk])
    if request.htmx:
        return HttpResponse(problem, status=CONFLICT, headers={"HX-Redirect": url})
    page = {"section": "history", "attempt": attempt, "problem": problem, "url": url}
    return render(request, "interviews/grade_refused.html", page, status=CONFLICT)


def _address(attempt_id: UUID, position: int, part: str) -> str:
    return f"{reverse('interviews:grade-answer', args=[attempt_id, position])}#{part}"


def _first_error(form: forms.Form) -> str:
    """What is wrong with the request, in one sentence."""
    error = next(iter(form.errors.values()))[0]
    if "null characters" in str(error).lower():
        return "The text holds a character that cannot be stored (NUL). Remove it and try again."
    return str(error)

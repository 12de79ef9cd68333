"""The letter of a stored report, as it may be read now."""

from datetime import datetime
from uuid import UUID

from prepapp.interviews.gradebook.held_back import held_back_questions, is_held_back
from prepapp.interviews.models import Response
from prepapp.reports.figures import from_json
from prepapp.reports.letter import Letter, write_letter
from prepapp.reports.models import WeeklyReport


def read_letter(report: WeeklyReport, now: datetime) -> Letter:
    """One query where the report names missed points, a second where their interviews were deleted since,
    else none. Points that a running mock of the person asks for are left out, and answers that are gone are
    not linked to."""
    assert report.figures is not None, "a report that could not be made has no letter"
    figures = from_json(report.figures)
    named = {
        (point.attempt, point.position): point.question for area in figures.weak for point in area.points
    }
    if not named:
        return write_letter(figures)
    rows = Response.objects.filter(
        user=report.user_id, attempt__in={UUID(attempt) for attempt, _ in named}
    ).values_list("attempt_id", "position", is_held_back(now))
    present = {(str(attempt), position): held_back for attempt, position, held_back in rows.order_by()}
    held = {place for place in named if present.get(place)}
    # Deleting an interview must not open what it asked: the next mock may well ask it again.
    if gone := named.keys() - present.keys():
        asked = held_back_questions(report.user_id, now)
        held |= {place for place in gone if named[place] in asked}
    return write_letter(figures, held_back=held, gone=gone)

"""Questions that mean something else now than when they were asked. The attempt stays as it was; its owner is
told, once they may read the answer that is asked for now."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from prepapp.bank.choices import Change
from prepapp.bank.models import QuestionVersion
from prepapp.interviews.gradebook.held_back import is_closed_in_bank
from prepapp.interviews.models import Response


@dataclass(frozen=True)
class Changed:
    """When the question last changed its meaning, and what was said of each change since it was asked, the
    first one first. `is_closed`: the bank keeps the answer closed to this person now; then no note and no
    difference may be shown either."""

    at: datetime
    notes: tuple[str, ...]
    is_closed: bool


def changed_since(responses: Iterable[Response], user_id: UUID, now: datetime) -> dict[int, Changed]:
    """By response, those whose question has changed its meaning since. No query while each question is still
    the one that was asked, else one. The responses are read with version and question."""
    moved = {
        response.version.question_id: response.version.question
        for response in responses
        if response.version.question.current_version_id not in {None, response.version_id}
    }
    if not moved:
        return {}
    major: dict[int, list[QuestionVersion]] = {}
    for version in (
        QuestionVersion.objects.filter(question__in=moved, change=Change.MAJOR)
        .annotate(is_closed=is_closed_in_bank(user_id, now))
        .only("question", "number", "created_at", "change_note")
        .order_by("number")
    ):
        major.setdefault(version.question_id, []).append(version)
    found = {}
    for response in responses:
        later = [
            version
            for version in major.get(response.version.question_id, ())
            if version.number > response.version.number
        ]
        if later:
            found[response.pk] = _changed(later)
    return found


def _changed(versions: list[QuestionVersion]) -> Changed:
    newest = versions[-1]
    return Changed(
        at=newest.created_at,
        notes=tuple(version.change_note for version in versions if version.change_note),
        is_closed=bool(getattr(newest, "is_closed", True)),
    )

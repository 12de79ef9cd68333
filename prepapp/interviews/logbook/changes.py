"""What changed about one question since it was asked in an attempt, for whoever may read its answer."""

from dataclasses import dataclass
from datetime import datetime

from prepapp.bank.comparison import FieldChange
from prepapp.bank.queries.changes import text_changes
from prepapp.interviews.gradebook.changes import Changed, changed_since
from prepapp.interviews.logbook.review import planned_responses, revealed_responses, standing_grading
from prepapp.interviews.models import Attempt, Response


@dataclass(frozen=True)
class ChangedText:
    """The answer, what is said of the change, and old against new; nothing of it while it `is_closed`."""

    response: Response
    changed: Changed
    fields: list[FieldChange]


def changed_text(attempt: Attempt, position: int, now: datetime) -> ChangedText | None:
    """The change at one answer; None if there is none, or the answer has not been revealed. At most nine
    queries."""
    grading = standing_grading(list(attempt.gradings.all()))
    responses = [found for found in planned_responses(attempt) if found.position == position]
    revealed = revealed_responses(responses, grading)
    changes = changed_since([found for found in responses if found.pk in revealed], attempt.user_id, now)
    for response in responses:
        if changed := changes.get(response.pk):
            current = response.version.question.current_version_id
            assert current is not None
            fields = [] if changed.is_closed else text_changes(response.version_id, current)
            return ChangedText(response, changed, fields)
    return None

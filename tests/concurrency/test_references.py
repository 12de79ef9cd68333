"""Two reviewers publish, or move questions, into one topic at the same moment: each question gets a reference
of its own and nobody sees an error."""

import pytest
from django.db import IntegrityError, connection

from prepapp.accounts.models import User
from prepapp.bank.actions import publish_draft, references, submit_draft
from prepapp.bank.actions.bulk import move_questions
from prepapp.bank.choices import Change
from prepapp.bank.models import Draft, Question, QuestionVersion, Topic
from tests.concurrency.racing import ROUNDS, Act, race, tell
from tests.factories.bank import QuestionFactory, TopicFactory
from tests.factories.curation import EDITED_AT, curator, draft, reviewer

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


def handed_in(slug: str, by: User) -> Draft:
    made = draft(by=by, slug=slug)
    return submit_draft(question_id=made.question_id, revision=1, by=by, now=EDITED_AT)


def published_at_once() -> list[object]:
    writer = curator()
    pairs = [
        [handed_in(f"{side}-{number}", writer) for side in ("left", "right")] for number in range(ROUNDS)
    ]

    def publisher(side: int, by: User) -> Act:
        return lambda number: publish_draft(
            question_id=pairs[number][side].question_id,
            revision=1,
            change=Change.MAJOR,
            note="",
            by=by,
            now=EDITED_AT,
        )

    return [end for ends in race(publisher(0, reviewer()), publisher(1, reviewer())) for end in ends]


def moved_at_once() -> list[object]:
    topic: Topic = TopicFactory()
    questions = [[QuestionFactory(), QuestionFactory()] for _ in range(ROUNDS)]

    def mover(side: int, by: User) -> Act:
        return lambda number: move_questions(
            question_ids=[questions[number][side].pk], topic=topic, by=by, now=EDITED_AT
        )

    return [end for ends in race(mover(0, reviewer()), mover(1, reviewer())) for end in ends]


def failed(ends: list[object]) -> int:
    return sum(isinstance(end, IntegrityError) for end in ends)


def test_two_that_are_published_at_once_get_two_references() -> None:
    ends = published_at_once()
    assert [end for end in ends if not isinstance(end, QuestionVersion)] == []
    assert len(set(Question.objects.values_list("ref", flat=True))) == 2 * ROUNDS


def test_two_that_are_moved_at_once_get_two_references() -> None:
    ends = moved_at_once()
    assert [end for end in ends if not isinstance(end, list)] == []
    assert len(set(Question.objects.values_list("ref", flat=True))) == 2 * ROUNDS


def test_control_of_one_try_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite lets no second transaction begin; on PostgreSQL one of two ends in an error."""
    monkeypatch.setattr(references, "_TRIES", 1)
    failures = failed(moved_at_once())
    tell(failures=failures)
    assert (failures > 0) == (connection.vendor == "postgresql")

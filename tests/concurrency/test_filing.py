"""Questions published at the same moment with a tag the bank does not have yet: it is made once."""

import pytest
from django.db import connection

from prepapp.accounts.models import User
from prepapp.bank.actions import filing, publish_draft, submit_draft
from prepapp.bank.choices import Change
from prepapp.bank.models import Draft, QuestionVersion, Tag
from tests.concurrency.racing import ROUNDS, Act, race, tell
from tests.factories.bank import TopicFactory
from tests.factories.curation import EDITED_AT, curator, draft, reviewer

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


def handed_in(number: int, topic: str, by: User) -> Draft:
    made = draft(by=by, slug=f"{topic.replace('.', '-')}-{number}", topic=topic, tags=[f"new-{number}"])
    return submit_draft(question_id=made.question_id, revision=1, by=by, now=EDITED_AT)


def published_at_once() -> list[object]:
    """Of two topics, so that neither waits for the reference of the other."""
    writer, topics = curator(), [TopicFactory(code=code).pk for code in ("mle.distrib", "gpu.memory")]
    pairs = [[handed_in(number, topic, writer) for topic in topics] for number in range(ROUNDS)]

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


def test_a_new_tag_of_two_questions_is_made_once() -> None:
    ends = published_at_once()
    assert [end for end in ends if not isinstance(end, QuestionVersion)] == []
    made = Tag.objects.filter(name__startswith="new-")
    assert [tag.questions.count() for tag in made.prefetch_related("questions")] == [2] * ROUNDS


def test_control_of_tags_that_are_made_as_if_nobody_else_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite lets no second transaction begin; on PostgreSQL one of two ends in an error."""
    monkeypatch.setattr(filing, "_ON_CONFLICT", {})
    failures = sum(not isinstance(end, QuestionVersion) for end in published_at_once())
    tell(failures=failures)
    assert (failures > 0) == (connection.vendor == "postgresql")

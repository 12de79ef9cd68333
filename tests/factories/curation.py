"""People of the desk, and drafts for tests."""

from datetime import UTC, date, datetime
from typing import Any

from django.conf import settings

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.actions import create_question
from prepapp.bank.models import Draft, Topic
from prepapp.bank.transfer.document import Document, document_of_file
from prepapp.bank.transfer.question_file import QuestionFile, read_question
from tests.factories.accounts import UserFactory
from tests.factories.bank import TopicFactory

EDITED_AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TODAY = date(2026, 11, 20)


def curator(**fields: Any) -> User:
    """Somebody who may write drafts."""
    return UserFactory(role=Role.CURATOR, **fields)


def reviewer(**fields: Any) -> User:
    """Somebody who may publish what others wrote."""
    return UserFactory(role=Role.REVIEWER, **fields)


def shipped_file() -> QuestionFile:
    """The question behind `finished_document`, as its file states it."""
    path = sorted((settings.BASE_DIR / "fixtures" / "bank").rglob("*.yaml"))[0]
    read = read_question(path.read_bytes(), path.name)
    assert isinstance(read, QuestionFile)
    return read


def finished_document(**changes: Any) -> Document:
    """A document that breaks no rule; its topic exists afterwards."""
    document = document_of_file(shipped_file())
    if not Topic.objects.filter(pk=document["topic"]).exists():
        TopicFactory(code=document["topic"])
    document["slug"] = "a-question-of-ours"
    document["review"] = {"recheck_months": 12}
    return {**document, **changes}


def draft(by: User | None = None, now: datetime = EDITED_AT, **changes: Any) -> Draft:
    """The draft of a new question; `changes` go into its document."""
    return create_question(document=finished_document(**changes), by=by or curator(), now=now)

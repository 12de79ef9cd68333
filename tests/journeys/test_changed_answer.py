"""A candidate flags a wrong answer, a curator mends it, a reviewer publishes it: the old attempt stays as it was
and says that its answer changed, the flag is answered, and the next interview asks the new text (HIS-03)."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.actions import (
    create_question,
    open_draft,
    publish_draft,
    retire_questions,
    save_draft,
    submit_draft,
)
from prepapp.bank.choices import Change
from prepapp.bank.models import Flag, Question, QuestionVersion
from prepapp.interviews.choices import State
from prepapp.interviews.models import Attempt
from prepapp.reports.actions.evidence import note_graded_work
from tests.accounts.steps import be_guest, sign_in
from tests.factories.accounts import UserFactory
from tests.factories.bank import QuestionFactory, add_version
from tests.factories.curation import curator, finished_document, reviewer
from tests.factories.interviews import STARTED_AT, AttemptFactory
from tests.interviews.reading import text_of

pytestmark = pytest.mark.django_db

MENDED_AT = STARTED_AT + timedelta(days=3)
NOW = STARTED_AT + timedelta(days=4)


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(NOW, tick=False) as travelled:
        yield travelled


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def read(client: Client, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200
    return text_of(reply.content.decode())


def published(author: User, editor: User) -> Question:
    """Written by one, published by another."""
    draft = create_question(document=finished_document(), by=author, now=STARTED_AT - timedelta(days=9))
    submit_draft(question_id=draft.question_id, revision=draft.revision, by=author, now=STARTED_AT)
    publish(draft.question_id, draft.revision, editor, Change.MAJOR, "")
    return Question.objects.select_related("current_version").get(pk=draft.question_id)


def publish(question_id: int, revision: int, by: User, change: Change, note: str) -> QuestionVersion:
    return publish_draft(
        question_id=question_id, revision=revision, change=change, note=note, by=by, now=MENDED_AT
    )


def edit(question: Question, author: User, editor: User, change: Change, note: str, **texts: Any) -> None:
    draft = open_draft(question_id=question.pk, by=author, now=MENDED_AT)
    saved = save_draft(
        question_id=question.pk,
        revision=draft.revision,
        document={**draft.document, **texts},
        by=author,
        now=MENDED_AT,
    )
    submit_draft(question_id=question.pk, revision=saved.revision, by=author, now=MENDED_AT)
    publish(question.pk, saved.revision, editor, change, note)


def test_from_the_flag_to_the_changed_answer() -> None:
    author, editor, cleo = curator(), reviewer(), UserFactory()
    question = published(author, editor)
    first = question.current_version
    attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    site, desk = client_of(cleo), client_of(author)
    review, result = (reverse(f"interviews:{name}", args=[attempt.pk]) for name in ("review", "result"))

    # The candidate flags it from the review.
    address = reverse("flags:flag-raise", args=[first.pk])
    assert address in site.get(review).content.decode()
    said = {"reason": "wrong", "text": "The title says too much.", "place": "result"}
    site.post(address, said, headers={"Referer": f"http://testserver{review}"})

    # The curator finds it, mends the text, and answers once it is published.
    assert "1 question with open flags" in read(desk, reverse("flags:flag-queue"))
    edit(question, author, editor, Change.MINOR, "Fewer words.", title="A shorter title")
    before = read(site, review)
    assert (first.title in before, "A shorter title" in before) == (True, False)
    assert "This answer changed" not in before
    edit(question, author, editor, Change.MAJOR, "It asks for less now.", title="Another title altogether")
    flag = Flag.objects.get()
    settled = {"seen": f"{flag.pk}:{len(flag.text)}", "answer": "The title is mended.", "outcome": "mended"}
    desk.post(reverse("flags:flag-settle", args=[question.pk, "wrong"]), settled)

    # The candidate is told of both, and the attempt is as it was.
    assert f"Your flag on “{first.title}” was answered." in site.get("/questions/").content.decode()
    assert "The title is mended." in read(site, reverse("flags:flag-list"))
    told = "This answer changed on 15 Nov 2026. You were asked the older text; your answer and its marks stay as "
    told += "they are. It asks for less now. See what changed "
    assert told in read(site, result)
    after = read(site, review)
    assert (
        after.replace(told, "").replace("Version 1; the question has changed since ·", "Version 1 ·")
        == before
    )
    compared = site.get(reverse("interviews:changes", args=[attempt.pk, 1])).content.decode()
    assert "<dt>Title</dt>" in compared
    assert "Another" in compared

    # The next interview asks the new text.
    start = {"start_key": uuid4()}
    site.post(reverse("interviews:retake", args=[attempt.pk]), start)
    again = Attempt.objects.get(start_key=start["start_key"])
    assert (
        "Another title altogether"
        in site.get(reverse("interviews:room", args=[again.pk, 1])).content.decode()
    )


def test_a_guest_who_signs_in_reads_the_answer_there() -> None:
    question, account = QuestionFactory(), UserFactory()
    browser = Client()
    guest = be_guest(browser)
    said = {"reason": "unclear", "text": "Which bus?", "place": "browser"}
    browser.post(reverse("flags:flag-raise", args=[question.current_version_id]), said)
    assert Flag.objects.get().user == guest
    sign_in(browser, account.email)
    flag = Flag.objects.get()
    assert flag.user == account
    desk = client_of(curator())
    settled = {"seen": f"{flag.pk}:{len(flag.text)}", "answer": "The memory bus.", "outcome": "kept"}
    desk.post(reverse("flags:flag-settle", args=[question.pk, "unclear"]), settled)
    assert "was answered" in browser.get("/questions/").content.decode()
    page = browser.get(reverse("flags:flag-list")).content.decode()
    assert "The memory bus." in page
    assert re.findall(r'name="flag" value="(\d+)"', page) == [str(flag.pk)]


def test_what_counts_in_the_weekly_report_stays() -> None:
    """The evidence hangs on what was asked; a change makes nothing of it come or go."""
    cleo, question = UserFactory(), QuestionFactory()
    AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    note_graded_work(user_id=cleo.pk)
    before = read(client_of(cleo), reverse("reports:progress"))
    add_version(question, change_note="It says 64 now.")
    note_graded_work(user_id=cleo.pk)
    assert read(client_of(cleo), reverse("reports:progress")) == before
    retire_questions(question_ids=[question.pk], note="", by=reviewer(), now=NOW)
    note_graded_work(user_id=cleo.pk)
    assert read(client_of(cleo), reverse("reports:progress")) == before

"""A draft from the first word to a version: every exit of every action."""

from datetime import date, timedelta

import pytest

from prepapp.bank.actions import (
    confirm_facts,
    create_question,
    delete_question,
    discard_draft,
    open_draft,
    publish_draft,
    restore_questions,
    retire_questions,
    return_draft,
    save_draft,
    submit_draft,
    withdraw_draft,
)
from prepapp.bank.choices import Change, DraftState, Event, Status, VersionSource
from prepapp.bank.models import CurationEvent, Draft, DraftRevision, Question, QuestionVersion
from prepapp.bank.queries import current_documents
from prepapp.bank.queries.findings import draft_findings
from prepapp.bank.refusals import (
    DraftChanged,
    InReview,
    NoDraft,
    NotInReview,
    OwnWork,
    SlugTaken,
    Unfinished,
    WrongState,
)
from tests.factories.curation import EDITED_AT, curator, draft, finished_document, reviewer

pytestmark = pytest.mark.django_db
LATER = EDITED_AT + timedelta(hours=1)


def events(question_id: int) -> list[str]:
    rows = CurationEvent.objects.filter(question_number=question_id).order_by("pk")
    return list(rows.values_list("event", flat=True))


def published(**changes: object) -> Question:
    made = draft(**changes)
    submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    publish_draft(
        question_id=made.question_id, revision=1, change=Change.MAJOR, note="", by=reviewer(), now=LATER
    )
    return Question.objects.get(pk=made.question_id)


def test_a_new_question_is_a_draft_with_a_free_slug_and_no_reference_of_a_topic() -> None:
    writer = curator()
    first = create_question(document={"title": "Why it *waits*"}, by=writer, now=EDITED_AT)
    second = create_question(document={"title": "Why it waits"}, by=writer, now=EDITED_AT)

    assert [first.question.slug, second.question.slug] == ["why-it-waits", "why-it-waits-2"]
    assert first.question.ref.startswith("draft-")
    assert (first.question.status, first.question.owner, first.revision) == (Status.DRAFT, writer, 1)
    assert events(first.question_id) == [Event.CREATED]


def test_a_slug_made_from_a_long_title_in_use_is_no_longer_than_a_slug_may_be() -> None:
    title = "Why " + "a very long title " * 6
    for _ in range(3):
        create_question(document=finished_document(title=title, slug=""), by=curator(), now=EDITED_AT)
    made = list(Draft.objects.order_by("pk").select_related("question"))
    assert len({draft.question.slug for draft in made}) == 3
    faults = [draft_findings(draft.question, draft.document, EDITED_AT) for draft in made]
    assert [[found.field for found in part if found.field == "slug"] for part in faults] == [[]] * 3


def test_a_new_question_with_a_slug_in_use_is_refused() -> None:
    draft(slug="taken")
    with pytest.raises(SlugTaken):
        create_question(document={"slug": "Taken"}, by=curator(), now=EDITED_AT)
    assert Question.objects.count() == 1


def test_a_save_keeps_the_older_text_and_who_wrote_it() -> None:
    made = draft(title="Old")
    other = curator()

    saved = save_draft(
        question_id=made.question_id,
        document={**made.document, "title": "New"},
        revision=1,
        by=other,
        now=LATER,
    )

    assert (saved.revision, saved.title, saved.edited_by) == (2, "New", other)
    kept = DraftRevision.objects.order_by("revision").values_list("document__title", "saved_by")
    assert list(kept) == [("Old", made.edited_by_id), ("New", other.pk)]
    assert set(saved.editors.all()) == {made.edited_by, other}


def test_saving_the_same_again_changes_nothing() -> None:
    made = draft()
    same = save_draft(
        question_id=made.question_id, document=made.document, revision=0, by=curator(), now=LATER
    )
    assert (same.revision, same.edited_by) == (1, made.edited_by)
    assert events(made.question_id) == [Event.CREATED]


def test_the_second_of_two_curators_is_told_and_gets_both_texts() -> None:
    made = draft(title="Old")
    theirs = {**made.document, "title": "Theirs"}
    save_draft(question_id=made.question_id, document=theirs, revision=1, by=curator(), now=LATER)

    with pytest.raises(DraftChanged) as refused:
        save_draft(
            question_id=made.question_id,
            document={**made.document, "title": "Mine"},
            revision=1,
            by=made.edited_by,
            now=LATER,
        )

    assert (refused.value.revision, refused.value.stored["title"]) == (2, "Theirs")
    assert Draft.objects.get().document == theirs


def test_a_draft_in_review_is_not_edited_until_it_is_taken_back() -> None:
    made = draft()
    submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    changed = {**made.document, "title": "New"}
    with pytest.raises(InReview):
        save_draft(question_id=made.question_id, document=changed, revision=1, by=made.edited_by, now=LATER)

    withdraw_draft(question_id=made.question_id, by=made.edited_by, now=LATER)

    saved = save_draft(
        question_id=made.question_id, document=changed, revision=1, by=made.edited_by, now=LATER
    )
    assert (saved.title, saved.state) == ("New", DraftState.WORKING)
    assert Question.objects.get().status == Status.DRAFT


def test_an_unfinished_draft_is_not_handed_in_and_says_what_is_missing() -> None:
    made = draft(rubric=[], topic="")
    with pytest.raises(Unfinished) as refused:
        submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    assert {"topic", "rubric"} <= {finding.field for finding in refused.value.findings}
    assert Draft.objects.get().state == DraftState.WORKING


def test_handing_in_twice_is_handing_in_once() -> None:
    made = draft()
    for _ in range(2):
        submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    assert events(made.question_id) == [Event.CREATED, Event.SUBMITTED]
    assert Question.objects.get().status == Status.IN_REVIEW


def test_a_returned_draft_carries_the_note() -> None:
    made = draft()
    submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    back = return_draft(question_id=made.question_id, note="The unit is missing.", by=reviewer(), now=LATER)
    assert (back.state, back.review_note, back.submitted_at) == (
        DraftState.WORKING,
        "The unit is missing.",
        None,
    )
    with pytest.raises(NotInReview):
        return_draft(question_id=made.question_id, note="Again.", by=reviewer(), now=LATER)


def test_publishing_makes_an_immutable_first_version_with_a_reference() -> None:
    made = draft()
    submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    second = reviewer()

    version = publish_draft(
        question_id=made.question_id, revision=1, change=Change.MINOR, note="First.", by=second, now=LATER
    )

    question = Question.objects.get()
    topic = made.document["topic"]
    assert (question.status, question.ref, question.current_version) == (
        Status.PUBLISHED,
        f"{topic}-10001",
        version,
    )
    assert (version.number, version.meaning, version.change, version.source, version.published_by) == (
        1,
        1,
        Change.MAJOR,
        VersionSource.APP,
        second,
    )
    assert not Draft.objects.exists()
    published_document = current_documents([question])[question.pk]
    assert published_document["prompt"] == made.document["prompt"]
    assert published_document["rubric"] == made.document["rubric"]
    assert published_document["review"]["reviewed"] == LATER.date().isoformat()


def test_a_minor_version_keeps_the_meaning_and_a_major_one_starts_anew() -> None:
    question = published()
    meanings = []
    for change in (Change.MINOR, Change.MAJOR, Change.MINOR):
        made = open_draft(question_id=question.pk, by=curator(), now=LATER)
        text = f"{made.document.get('deeper', '')} More, {change}."
        save_draft(
            question_id=question.pk,
            document={**made.document, "deeper": text},
            revision=made.revision,
            by=made.edited_by,
            now=LATER,
        )
        submit_draft(question_id=question.pk, revision=made.revision + 1, by=made.edited_by, now=LATER)
        version = publish_draft(
            question_id=question.pk,
            revision=made.revision + 1,
            change=change,
            note="",
            by=reviewer(),
            now=LATER,
        )
        meanings.append((version.number, version.meaning))
    assert meanings == [(2, 1), (3, 3), (4, 3)]


def test_nobody_publishes_what_they_had_a_hand_in() -> None:
    writer = reviewer()
    made = draft(by=writer)
    submit_draft(question_id=made.question_id, revision=1, by=curator(), now=LATER)
    with pytest.raises(OwnWork):
        publish_draft(
            question_id=made.question_id, revision=1, change=Change.MAJOR, note="", by=writer, now=LATER
        )
    assert QuestionVersion.objects.count() == 0


def test_only_what_is_in_review_and_was_read_is_published() -> None:
    made = draft()
    arguments = {"question_id": made.question_id, "change": Change.MAJOR, "note": "", "by": reviewer()}
    with pytest.raises(NotInReview):
        publish_draft(revision=1, now=LATER, **arguments)
    with pytest.raises(DraftChanged):
        publish_draft(revision=2, now=LATER, **arguments)
    with pytest.raises(NoDraft):
        publish_draft(revision=1, now=LATER, **(arguments | {"question_id": published(slug="other").pk}))


def test_a_published_question_loses_only_its_draft() -> None:
    question = published()
    made = open_draft(question_id=question.pk, by=curator(), now=LATER)
    with pytest.raises(WrongState):
        delete_question(question_id=question.pk, revision=made.revision, by=curator(), now=LATER)
    discard_draft(question_id=question.pk, revision=made.revision, by=curator(), now=LATER)
    assert Question.objects.get().status == Status.PUBLISHED
    assert DraftRevision.objects.filter(question=question).count() == 2


def test_a_question_that_was_never_published_can_be_deleted_and_the_log_keeps_its_text() -> None:
    made = draft()
    with pytest.raises(WrongState):
        discard_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    delete_question(question_id=made.question_id, revision=1, by=made.edited_by, now=LATER)
    assert not Question.objects.exists()
    assert CurationEvent.objects.get(event=Event.DISCARDED).about["document"] == made.document
    with pytest.raises(NoDraft):
        save_draft(question_id=made.question_id, document={}, revision=1, by=curator(), now=LATER)


@pytest.mark.parametrize(("stated", "revision"), [("2026-01-05", 3), ("2026-11-20", 2), (None, 2)])
def test_a_check_of_the_facts_is_not_taken_back_by_a_draft_that_was_open(
    stated: str | None, revision: int
) -> None:
    question = published()
    made = open_draft(question_id=question.pk, by=curator(), now=LATER)
    review = {"recheck_months": 12, "reviewed": stated} if stated else {"recheck_months": 12}
    Draft.objects.update(document={**made.document, "review": review})
    second = reviewer()

    confirm_facts(question_id=question.pk, today=date(2026, 11, 20), by=second, now=LATER)

    assert Draft.objects.get().revision == revision
    submit_draft(question_id=question.pk, revision=revision, by=curator(), now=LATER)
    publish_draft(
        question_id=question.pk, revision=revision, change=Change.MINOR, note="", by=second, now=LATER
    )
    version = Question.objects.select_related("current_version").get().current_version
    assert (version.number, version.reviewed_date) == (2, date(2026, 11, 20))


def test_retired_questions_are_taken_up_again_as_they_were() -> None:
    question = published()
    kept = draft(slug="still-a-draft").question
    ids = [question.pk, kept.pk]
    assert retire_questions(question_ids=ids, note="Dated.", by=reviewer(), now=LATER) == [question]
    assert retire_questions(question_ids=ids, note="Dated.", by=reviewer(), now=LATER) == []
    assert Question.objects.get(pk=question.pk).status == Status.RETIRED
    assert restore_questions(question_ids=ids, note="", by=reviewer(), now=LATER) == [question]
    assert Question.objects.get(pk=question.pk).status == Status.PUBLISHED
    assert Question.objects.get(pk=kept.pk).status == Status.DRAFT


def test_the_log_only_grows() -> None:
    draft()
    line = CurationEvent.objects.get()
    for attempt in (
        line.save,
        line.delete,
        CurationEvent.objects.all().delete,
        lambda: CurationEvent.objects.update(note="x"),
    ):
        with pytest.raises(TypeError, match="append-only"):
            attempt()

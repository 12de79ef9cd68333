"""Acts on many questions at once, and what a draft takes along."""

from datetime import timedelta

import pytest

from prepapp.bank.actions import open_draft, publish_draft, save_draft, submit_draft
from prepapp.bank.actions.bulk import move_questions, own_questions, pack_questions, tag_questions
from prepapp.bank.actions.loading import load_bank
from prepapp.bank.choices import Change, Event
from prepapp.bank.models import CurationEvent, Draft, Question, Tag
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory
from tests.factories.curation import EDITED_AT, curator, draft, reviewer, shipped_file

pytestmark = pytest.mark.django_db
LATER = EDITED_AT + timedelta(hours=1)


def logged(event: Event) -> list[str]:
    return list(CurationEvent.objects.filter(event=event).order_by("pk").values_list("label", flat=True))


def test_moved_questions_get_references_of_their_new_topic_and_keep_the_old_ones_known():
    old, new = TopicFactory(), TopicFactory()
    first, second = QuestionFactory(topic=old), QuestionFactory(topic=old)
    there = QuestionFactory(topic=new)

    moved = move_questions(
        question_ids=[first.pk, second.pk, there.pk], topic=new, by=reviewer(), now=EDITED_AT
    )

    assert [question.pk for question in moved] == [first.pk, second.pk]
    rows = Question.objects.filter(pk__in=[first.pk, second.pk]).order_by("pk")
    assert [(row.topic_id, row.ref, row.former_refs) for row in rows] == [
        (new.pk, f"{new.pk}-10001", [first.ref]),
        (new.pk, f"{new.pk}-10002", [second.ref]),
    ]
    assert logged(Event.MOVED) == [f"{new.pk}-10001", f"{new.pk}-10002"]


def test_the_file_of_a_moved_question_does_not_make_it_again():
    file = shipped_file()
    load_bank(files=[file], now=EDITED_AT)
    question = Question.objects.get()
    move_questions(question_ids=[question.pk], topic=TopicFactory(), by=reviewer(), now=EDITED_AT)

    result = load_bank(files=[file], now=LATER)

    assert (result.files, result.new, result.unchanged, result.kept) == (1, 0, 0, (file.id,))
    assert Question.objects.get().former_refs == [file.id]


def test_a_draft_moves_along_and_its_mover_may_still_publish_it():
    made, mover, topic = draft(), reviewer(), TopicFactory(code="mle.distrib")
    move_questions(question_ids=[made.question_id], topic=topic, by=mover, now=LATER)

    moved = Draft.objects.get()
    assert (moved.revision, moved.document["topic"]) == (2, topic.pk)
    submit_draft(question_id=made.question_id, revision=2, by=made.edited_by, now=LATER)
    publish_draft(question_id=made.question_id, revision=2, change=Change.MAJOR, note="", by=mover, now=LATER)
    assert Question.objects.get().ref == "mle.distrib-10001"


def publish(made: Draft) -> Question:
    """What somebody else makes of the draft as it stands."""
    waiting = Draft.objects.get(pk=made.pk)
    about = {"question_id": made.question_id, "revision": waiting.revision, "now": LATER}
    submit_draft(by=curator(), **about)
    publish_draft(change=Change.MAJOR, note="", by=reviewer(), **about)
    return Question.objects.get(pk=made.question_id)


def test_a_reference_a_question_had_before_it_moved_is_not_given_to_another():
    first = publish(draft(slug="first"))
    old = first.ref
    move_questions(question_ids=[first.pk], topic=TopicFactory(), by=reviewer(), now=LATER)

    second = publish(draft(slug="second"))
    third = QuestionFactory()
    move_questions(question_ids=[third.pk], topic=second.topic, by=reviewer(), now=LATER)
    third.refresh_from_db()

    home = old.rpartition("-")[0]
    assert (old, second.ref, third.ref) == (f"{home}-10001", f"{home}-10002", f"{home}-10003")


def test_a_draft_that_chooses_another_topic_moves_its_question_when_it_is_published():
    question = publish(draft())
    old, home = question.ref, question.topic_id
    topic = TopicFactory(code="mle.distrib")
    opened = open_draft(question_id=question.pk, by=curator(), now=LATER)
    document = {**opened.document, "topic": topic.pk}
    save_draft(question_id=question.pk, document=document, revision=2, by=curator(), now=LATER)

    moved = publish(opened)

    assert (moved.topic_id, moved.ref, moved.former_refs) == (topic.pk, "mle.distrib-10001", [old])
    line = CurationEvent.objects.get(event=Event.MOVED)
    assert (line.label, line.about) == (moved.ref, {"old": home, "new": topic.pk})


def test_a_tag_is_given_once_and_taken_again():
    tagged, plain = QuestionFactory(tags=["old"]), QuestionFactory()
    by = curator()
    ids = [tagged.pk, plain.pk]
    assert tag_questions(question_ids=ids, name="old", is_on=True, by=by, now=EDITED_AT) == [plain]
    assert tag_questions(question_ids=ids, name="new", is_on=False, by=by, now=EDITED_AT) == []
    assert tag_questions(question_ids=ids, name="old", is_on=False, by=by, now=EDITED_AT) == [tagged, plain]
    assert list(Question.objects.filter(tags__isnull=False)) == []
    assert Tag.objects.filter(name="new").exists() is False


def test_a_draft_takes_tags_and_packs_along():
    question = QuestionFactory(tags=["old"])
    pack = PackFactory()
    made = open_draft(question_id=question.pk, by=curator(), now=EDITED_AT)
    by = curator()
    tag_questions(question_ids=[question.pk], name="new", is_on=True, by=by, now=LATER)
    pack_questions(question_ids=[question.pk], pack=pack, is_on=True, by=by, now=LATER)

    kept = Draft.objects.get(pk=made.pk)
    assert (kept.revision, kept.document["tags"], kept.document["packs"]) == (3, ["old", "new"], [pack.slug])
    assert list(kept.editors.all()) == []


def test_an_owner_is_given_and_taken():
    question, owner = QuestionFactory(), curator()
    by = reviewer()
    for wanted, changed in ((owner, 1), (owner, 0), (None, 1)):
        rows = own_questions(question_ids=[question.pk], owner=wanted, by=by, now=EDITED_AT)
        assert (len(rows), Question.objects.get().owner) == (changed, wanted)
    assert len(logged(Event.OWNED)) == 2

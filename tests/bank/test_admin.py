"""The admin of the bank: what lists show, narrow and cost, acts on many, and lists that stay as edited."""

from datetime import timedelta

import pytest
from django.urls import reverse

from prepapp.bank.actions import load_taxonomy, open_draft, save_draft
from prepapp.bank.choices import Event, FlagPlace, FlagReason, Kind, Level, Status
from prepapp.bank.models import CurationEvent, Flag, Pack, Question, Topic
from tests.factories.accounts import UserFactory
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory, create_questions
from tests.factories.curation import EDITED_AT, curator, draft, reviewer
from tests.factories.interviews import AttemptFactory

pytestmark = pytest.mark.django_db
LIST = reverse("admin:bank_question_changelist")


@pytest.fixture
def desk(client):
    client.force_login(reviewer())
    return client


def refs(reply) -> list[str]:
    return [row.ref for row in reply.context["cl"].result_list]


def act(client, name: str, questions: list[Question], **fields: object):
    data = {"action": name, "_selected_action": [question.pk for question in questions], **fields}
    return client.post(LIST, data)


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_of_questions_costs_the_same_for_any_number(desk, count, django_assert_num_queries):
    for _ in range(count):
        question = QuestionFactory(owner=curator())
        open_draft(question_id=question.pk, by=curator(), now=EDITED_AT)
        AttemptFactory(responses__questions=[question])
    with django_assert_num_queries(8):
        assert len(refs(desk.get(LIST))) == count


def test_the_list_of_five_thousand_opens_with_as_many_queries(desk, django_assert_num_queries):
    create_questions(5000, follow_ups=0)
    with django_assert_num_queries(8):
        assert len(refs(desk.get(LIST))) == 50


def test_what_narrows_the_list(desk):
    topic = TopicFactory()
    hard = QuestionFactory(topic=topic, version__level=Level.SENIOR, version__kind=Kind.DESIGN)
    dated = QuestionFactory(version__reviewed_date=EDITED_AT.date() - timedelta(days=800), owner=curator())
    retired = QuestionFactory(status=Status.RETIRED)
    unsorted = draft(topic="").question
    flagged = QuestionFactory(packs=[PackFactory(slug="loop")])
    Flag.objects.create(
        question=flagged,
        version=flagged.current_version,
        user=curator(),
        place=FlagPlace.BROWSER,
        reason=FlagReason.WRONG,
        raised_at=EDITED_AT,
    )
    asked = QuestionFactory()
    AttemptFactory(responses__questions=[asked], started_at=EDITED_AT)

    def found(**wanted: str) -> set[str]:
        return set(refs(desk.get(LIST, wanted)))

    assert found(status="retired") == {retired.ref}
    assert found(track=topic.tracks.get().pk) == {hard.ref}
    assert found(topic=topic.pk) == {hard.ref}
    assert found(topic="none") == {unsorted.ref}
    assert found(level="senior") == {hard.ref}
    assert found(kind="design") == {hard.ref}
    assert found(pack="loop") == {flagged.ref}
    assert found(needs="check") == {dated.ref}
    assert found(needs="answer") == {flagged.ref}
    assert asked.ref not in found(needs="use")
    assert hard.ref in found(needs="use")
    assert dated.ref not in found(needs="owner")
    assert found(drafts="any") == {unsorted.ref}
    assert found(drafts="mine") == set()
    assert found(q=hard.current_version.title) == {hard.ref}


def test_level_and_kind_of_an_unpublished_question_are_those_of_its_draft(desk):
    unpublished = draft(level=Level.SENIOR, kind=Kind.DESIGN).question
    published = QuestionFactory(version__level=Level.FOUNDATION, version__kind=Kind.CONCEPT)
    opened = open_draft(question_id=published.pk, by=curator(), now=EDITED_AT)
    document = {**opened.document, "level": "senior", "kind": "design"}
    save_draft(question_id=published.pk, document=document, revision=1, by=curator(), now=EDITED_AT)
    assert refs(desk.get(LIST, {"level": "senior"})) == [unpublished.ref]
    assert refs(desk.get(LIST, {"kind": "design"})) == [unpublished.ref]


def test_an_act_on_many_asks_first_and_then_says_what_it_did(desk):
    questions = create_questions(2)
    asked = act(desk, "retire", questions)
    assert (asked.status_code, asked.context["count"]) == (200, 2)
    assert set(Question.objects.values_list("status", flat=True)) == {Status.PUBLISHED}

    unsaid = act(desk, "retire", questions, apply="1", note="")
    assert unsaid.status_code == 422
    assert unsaid.context["form"].errors == {"note": ["This field is required."]}

    done = act(desk, "retire", questions, apply="1", note="Dated.")
    assert done.status_code == 302
    assert set(Question.objects.values_list("status", flat=True)) == {Status.RETIRED}
    assert list(CurationEvent.objects.values_list("event", "note")) == [(Event.RETIRED, "Dated.")] * 2


def test_an_act_on_a_narrowed_list_counts_what_it_took_out_of_it(desk):
    retired, *published = [QuestionFactory(status=Status.RETIRED), *create_questions(2)]
    data = {"action": "retire", "apply": "1", "note": "Dated."}
    ticked = [question.pk for question in published]
    reply = desk.post(f"{LIST}?status=published", {**data, "_selected_action": ticked}, follow=True)
    assert [str(said) for said in reply.context["messages"]] == ["2 retired."]
    reply = desk.post(LIST, {**data, "_selected_action": [retired.pk, *ticked]}, follow=True)
    assert [str(said) for said in reply.context["messages"]] == ["0 retired. 3 were so already or cannot be."]


def test_a_curator_tags_and_moves_but_does_not_retire(client):
    client.force_login(curator())
    (question,) = create_questions(1)
    topic = TopicFactory()
    assert act(client, "retire", [question], apply="1", note="Dated.").status_code == 403
    assert act(client, "tag", [question], apply="1", tag="warm-up").status_code == 302
    assert act(client, "tag", [question], apply="1", tag="Not a tag").status_code == 422
    assert act(client, "move", [question], apply="1", topic=topic.pk).status_code == 302
    assert Question.objects.get().topic == topic
    assert list(Question.objects.get().tags.values_list("name", flat=True)) == ["warm-up"]


def test_an_edited_topic_stays_as_edited_when_the_lists_are_loaded_again(desk):
    load_taxonomy()
    topic = Topic.objects.first()
    weight = topic.tracktopic_set.first()
    prefix = "tracktopic_set"
    reply = desk.post(
        reverse("admin:bank_topic_change", args=[topic.pk]),
        {
            "title": "Our title",
            "span": topic.span,
            "position": topic.position,
            f"{prefix}-TOTAL_FORMS": 1,
            f"{prefix}-INITIAL_FORMS": 1,
            f"{prefix}-0-id": weight.pk,
            f"{prefix}-0-topic": topic.pk,
            f"{prefix}-0-track": weight.track_id,
            f"{prefix}-0-weight": "0.25",
        },
    )
    assert reply.status_code == 302

    load_taxonomy()

    kept = Topic.objects.get(pk=topic.pk)
    assert (kept.title, kept.is_edited) == ("Our title", True)
    assert str(kept.tracktopic_set.get(pk=weight.pk).weight) == "0.25"
    line = CurationEvent.objects.get()
    assert (line.event, line.label) == (Event.LISTED, f"topic {topic.pk}")
    assert line.about == {"changed": ["title", "weights"]}


@pytest.mark.parametrize("name", ["bank_track", "bank_topic", "bank_pack", "bank_curationevent"])
def test_lists_cost_the_same_for_one_and_three(desk, name, django_assert_num_queries, request):
    counts = []
    for _ in range(2):
        QuestionFactory(packs=[PackFactory()], owner=curator())
        draft(slug=f"draft-{len(counts)}")
        with django_assert_num_queries(QUERIES[name]):
            reply = desk.get(reverse(f"admin:{name}_changelist"))
        counts.append(len(reply.context["cl"].result_list))
    assert counts[0] < counts[1]


# Of packs three more: the packs, references of before, sizes by rule.
QUERIES = {"bank_track": 4, "bank_topic": 5, "bank_pack": 7, "bank_curationevent": 4}


def test_the_admin_says_no_in_words_to_whoever_has_no_role(client):
    client.force_login(UserFactory())
    assert client.get(reverse("admin:index")).status_code == 403


def test_the_list_of_packs_counts_what_their_rules_take_in(desk):
    topic = TopicFactory(code="gpu.memory")
    create_questions(2, topic=topic)
    QuestionFactory(topic=topic, status=Status.DRAFT)
    QuestionFactory(packs=[PackFactory(slug="by-hand", title="B")])
    PackFactory(slug="by-rule", title="A", include={"tracks": ["gpu"]})
    reply = desk.get(reverse("admin:bank_pack_changelist"))
    assert [(pack.slug, pack.size) for pack in reply.context["cl"].result_list] == [
        ("by-rule", 2),
        ("by-hand", 1),
    ]


def test_saving_a_list_as_it_is_edits_nothing(desk):
    pack = PackFactory()
    form = {"title": pack.title, "summary": pack.summary, "disclaimer": pack.disclaimer}
    assert desk.post(reverse("admin:bank_pack_change", args=[pack.pk]), form).status_code == 302
    assert Pack.objects.get().is_edited is False
    assert not CurationEvent.objects.exists()

    assert (
        desk.post(reverse("admin:bank_pack_change", args=[pack.pk]), form | {"title": "Ours"}).status_code
        == 302
    )
    assert (Pack.objects.get().title, Pack.objects.get().is_edited) == ("Ours", True)
    assert CurationEvent.objects.get().about == {"changed": ["title"]}

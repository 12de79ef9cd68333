"""A mock drawn from a pack: its questions, pins, weights and settings, and what stays of them."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from prepapp.bank.choices import Kind, Status
from prepapp.bank.models import Pack, Question
from prepapp.interviews.actions.history import retake_attempt
from prepapp.interviews.actions.start import pack_plan, start_attempt
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, Blueprint, Response
from prepapp.interviews.pack_offers import pack_offers, pack_pool
from prepapp.interviews.refusals import CannotFill
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import STARTED_AT, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import statements

pytestmark = pytest.mark.django_db

CONCEPTS = {"slots": [{"kinds": ["concept"], "minutes": 10}] * 2}


def format_of(recipe: dict[str, Any], **fields: Any) -> Blueprint:
    made: Blueprint = BlueprintFactory(**{"slug": "screen", "title": "Screen", "recipe": recipe, **fields})
    return made


def start(pack: Pack, blueprint: Blueprint, key: UUID | None = None, **fields: Any) -> Attempt:
    values = {
        "user": fields.pop("user", None) or CandidateFactory(),
        "plan": pack_plan(pack, blueprint, fields.pop("level", "intermediate")),
        "mode": Mode.MOCK,
        "start_key": key or uuid4(),
        "seed": fields.pop("seed", 1),
        "now": STARTED_AT,
    }
    return start_attempt(**values)


def asked(attempt: Attempt) -> list[str]:
    rows = Response.objects.filter(attempt=attempt, parent_position=None).order_by("position")
    return list(rows.values_list("version__question__ref", flat=True))


@pytest.fixture
def pack() -> Pack:
    """Two topics of two tracks are in it; a third is not."""
    for code in ("gpu.memory", "sre.net", "ds.prob"):
        create_questions(2, topic=TopicFactory(code=code))
    made: Pack = PackFactory(
        slug="loop", title="A loop", include={"topics": ["gpu.memory", "sre.net"]}, blueprints=["screen"]
    )
    return made


def test_it_draws_from_the_pack_alone_and_says_so(pack: Pack) -> None:
    for seed in range(6):
        attempt = start(pack, format_of(CONCEPTS), seed=seed)
        assert sorted(ref.partition("-")[0] for ref in asked(attempt)) == ["gpu.memory", "sre.net"]
    assert (attempt.title, attempt.pack, attempt.track_id) == ("Screen: A loop", pack, None)
    assert attempt.slot == f"mock:screen:pack{pack.pk}"


def test_pressed_twice_it_is_one_attempt_and_another_pack_is_another(pack: Pack) -> None:
    user, key, blueprint = CandidateFactory(), uuid4(), format_of(CONCEPTS)
    first = start(pack, blueprint, key, user=user)
    assert start(pack, blueprint, key, user=user) == first
    assert start(pack, blueprint, user=user) == first
    other = PackFactory(include=pack.include)
    assert start(other, blueprint, user=user) != first
    assert Attempt.objects.count() == 2


def test_a_long_title_is_cut_where_the_column_ends() -> None:
    topic = TopicFactory(code="gpu.memory")
    create_questions(2, topic=topic)
    long = PackFactory(title="P" * 120, include={"topics": [topic.pk]})
    title = start(long, format_of(CONCEPTS, title="B" * 100)).title
    assert title == f"{'B' * 100}: {'P' * 18}"


def test_a_format_of_one_track_draws_what_the_pack_has_of_it(pack: Pack) -> None:
    own = format_of({"track": "gpu", **CONCEPTS}, slug="lab")
    attempt = start(pack, own)
    assert [ref.partition("-")[0] for ref in asked(attempt)] == ["gpu.memory"] * 2
    assert attempt.track_id == "gpu"


def test_in_a_mixed_format_places_without_a_track_are_the_packs(pack: Pack) -> None:
    slots = [{"minutes": 10}, {"minutes": 10, "track": "sre"}, {"minutes": 10, "track": "sre"}]
    attempt = start(pack, format_of({"slots": slots}))
    assert [ref.partition("-")[0] for ref in asked(attempt)] == ["gpu.memory", "sre.net", "sre.net"]
    assert attempt.track_id is None


@pytest.mark.parametrize(
    ("recipe", "code"),
    [
        ({"track": "gpu", "slots": [{"minutes": 10}]}, "gpu.memory"),
        ({"track": "sre", "slots": [{"minutes": 10}]}, "sre.net"),
        ({"slots": [{"minutes": 10, "track": "gpu"}]}, "gpu.memory"),
        ({"slots": [{"minutes": 10, "track": "sre"}]}, "sre.net"),
    ],
)
def test_what_is_gone_from_a_round_is_replaced_by_what_the_pack_has_of_its_track(
    pack: Pack, recipe: dict[str, Any], code: str
) -> None:
    """The others of the pack have never been asked either, and would fit as well."""
    original = start(pack, format_of(recipe))
    Question.objects.filter(ref__in=asked(original)).update(status=Status.RETIRED)
    Attempt.objects.update(state=State.GRADED, finished_at=STARTED_AT, ending="finished")
    for seed in range(1, 4):
        key = UUID(int=seed)
        done = retake_attempt(user=original.user, original=original, start_key=key, now=STARTED_AT)
        assert (done.replaced, asked(done.attempt)[0].partition("-")[0]) == (1, code)
        Attempt.objects.exclude(pk=original.pk).delete()


def test_pins_and_weights_of_the_pack_are_those_of_the_draw(pack: Pack) -> None:
    pinned = Question.objects.filter(topic="sre.net").latest("pk")
    pinned.former_refs = ["sre.net-999"]
    pinned.save()
    pack.pinned, pack.weights = ["sre.net-999"], {"gpu.memory": 3}
    pack.save()
    pool = pack_pool(CandidateFactory(), pack, [""])
    assert {(c.topic, c.weight) for c in pool} == {("gpu.memory", 3), ("sre.net", 1)}
    assert [c.question_id for c in pool if c.is_pinned] == [pinned.pk]
    one = format_of({"slots": [{"minutes": 10}]}, slug="one")
    assert {asked(start(pack, one, seed=seed))[0] for seed in range(8)} == {pinned.ref}


def test_the_setting_is_kept_as_it_was_shown(pack: Pack) -> None:
    told, silent = Question.objects.filter(topic="gpu.memory").order_by("pk")
    told.former_refs = ["gpu.memory-900"]
    told.save()
    pack.include = {"topics": ["gpu.memory"]}
    pack.context_notes = {"gpu.memory-900": "A fleet reports.", "sre.net-001": "Not in the pack."}
    pack.save()
    recipe = {"slots": [{"minutes": 10, "follow_ups": 1}] * 2}
    attempt = start(pack, format_of(recipe))
    pack.context_notes = {}
    pack.save()
    rows = Response.objects.filter(attempt=attempt).values_list(
        "version__question__ref", "parent_position", "setting"
    )
    assert {(ref, setting) for ref, parent, setting in rows if parent is None} == {
        (told.ref, "A fleet reports."),
        (silent.ref, ""),
    }
    assert {setting for _, parent, setting in rows if parent} == {""}


def test_a_follow_up_that_stands_alone_has_the_setting_too(pack: Pack) -> None:
    question = Question.objects.filter(topic="sre.net").earliest("pk")
    pack.include, pack.context_notes = {"ids": [question.ref]}, {question.ref: "At night."}
    pack.save()
    attempt = start(pack, format_of({"slots": [{"minutes": 3, "follow_up_only": True}]}))
    response = Response.objects.get(attempt=attempt)
    assert (response.follow_up_id is not None, response.setting) == (True, "At night.")


def test_what_is_missing_is_said_and_nothing_is_made(pack: Pack) -> None:
    designs = format_of(
        {"slots": [{"kinds": ["concept"], "minutes": 10}, {"kinds": ["design"], "minutes": 9}]}
    )
    said = (
        "This pack can fill 1 of 2 places: it has too few design questions of at most 9 minutes here. "
        "Choose another interview of the pack."
    )
    with pytest.raises(CannotFill, match=said):
        start(pack, designs)
    assert not Attempt.objects.exists()
    (offer,) = pack_offers(None, pack, {}, "intermediate")
    assert (offer.is_complete, offer.shortage) == (False, said)


def test_offers_stand_in_the_packs_order_without_drills_and_what_is_off(pack: Pack) -> None:
    format_of(CONCEPTS, slug="second")
    format_of(CONCEPTS, slug="first")
    format_of(CONCEPTS, slug="off", is_active=False)
    format_of({"drill": True}, slug="drill")
    format_of(CONCEPTS, slug="other")
    pack.blueprints = ["first", "off", "drill", "unknown", "second"]
    assert [offer.blueprint.slug for offer in pack_offers(None, pack, {}, "senior")] == ["first", "second"]
    with pytest.raises(ValueError, match="a drill is planned for a topic"):
        pack_plan(pack, Blueprint.objects.get(slug="drill"), "senior")


def test_taken_again_it_stays_in_the_pack(pack: Pack) -> None:
    pack.context_notes = dict.fromkeys(Question.objects.values_list("ref", flat=True), "Told anew.")
    pack.save()
    attempt = start(pack, format_of(CONCEPTS))
    gone = Question.objects.get(ref=asked(attempt)[0])
    Question.objects.filter(pk=gone.pk).update(status=Status.RETIRED)
    Attempt.objects.update(state=State.GRADED, finished_at=STARTED_AT)
    again = retake_attempt(user=attempt.user, original=attempt, start_key=uuid4(), now=STARTED_AT).attempt
    assert (again.title, again.slot, again.pack) == (attempt.title, attempt.slot, pack)
    assert asked(again)[1] == asked(attempt)[1]
    assert asked(again)[0] != gone.ref
    assert {ref.partition(".")[0] for ref in asked(again)} <= {"gpu", "sre"}
    assert set(Response.objects.filter(attempt=again).values_list("setting", flat=True)) == {"Told anew."}


def test_a_start_costs_the_same_for_any_number_of_questions(pack: Pack) -> None:
    blueprint, user = format_of({"track": "gpu", **CONCEPTS}, slug="lab"), CandidateFactory()
    pack.pinned, pack.context_notes = ["sre.net-001"], {"gpu.memory-001": "There."}
    pack.save()
    counts = []
    for _ in range(2):
        with statements() as found:
            start(pack, blueprint, user=user)
        counts.append(len(found))
        Attempt.objects.update(state=State.ABANDONED, finished_at=STARTED_AT)
        create_questions(30, topic=Question.objects.filter(topic="gpu.memory")[0].topic, follow_ups=2)
        for ref in range(5):
            pack.pinned.append(f"gpu.memory-10{ref}")
    # What is known of this start; the references of before, questions, follow-ups, what was asked, pins,
    # tracks; attempt, references of before, settings, responses.
    assert counts == [11, 11]


def test_lent_topics_are_found_in_the_track_that_borrows_them() -> None:
    borrower = TrackFactory(code="llm")
    topic = TopicFactory(code="gpu.serving", shared={borrower: 0.5})
    QuestionFactory(topic=topic, version__kind=Kind.CONCEPT)
    pack = PackFactory(include={"topics": [topic.pk]})
    blueprint = format_of({"track": "llm", "slots": [{"minutes": 10}]})
    assert asked(start(pack, blueprint)) == [Question.objects.get().ref]

"""What a rule takes in, asked of values and of rows: the same questions, on both databases."""

from itertools import product
from pathlib import Path

import pytest
from django.conf import settings

from prepapp.bank.actions import (
    load_bank,
    load_packs,
    publish_draft,
    restore_questions,
    retire_questions,
    submit_draft,
)
from prepapp.bank.actions.bulk import move_questions, tag_questions
from prepapp.bank.actions.bulk import pack_questions as put_into_pack
from prepapp.bank.choices import Change, Kind, Level, Status
from prepapp.bank.models import Pack, Question
from prepapp.bank.packs import PackRule, read_rule
from prepapp.bank.queries.packs import new_references, pack_condition, pack_questions
from prepapp.bank.transfer.pack_file import read_packs
from prepapp.bank.transfer.question_file import read_bank
from tests.bank.test_load_bank import NOW
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory
from tests.factories.curation import EDITED_AT, draft, reviewer

SHIPPED = Path(settings.BASE_DIR) / "fixtures"


def holds(rule: PackRule, **changes: object) -> bool:
    asked = {
        "ref": "gpu.memory-001",
        "topic": "gpu.memory",
        "tags": ("l2",),
        "level": "senior",
        "kind": "concept",
    }
    return rule.holds(**{**asked, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "is_in"),
    [
        (PackRule(), False),
        (PackRule(ids=("gpu.memory-001",)), True),
        (PackRule(ids=("gpu.memory-002",)), False),
        (PackRule(topics=("gpu.memory",)), True),
        (PackRule(topics=("gpu.mem",)), False),
        (PackRule(tracks=("gpu",)), True),
        (PackRule(tracks=("gp",)), False),
        (PackRule(tags=("l2", "other")), True),
        (PackRule(tags=("other",)), False),
        (PackRule(tags=("other",), tracks=("gpu",)), True),
        (PackRule(levels=("senior",)), True),
        (PackRule(levels=("advanced",)), False),
        (PackRule(tracks=("gpu",), levels=("advanced",)), False),
        (PackRule(tracks=("gpu",), levels=("advanced",), ids=("gpu.memory-001",)), True),
        (PackRule(tracks=("gpu",), kinds=("concept", "design")), True),
        (PackRule(tracks=("gpu",), kinds=("design",)), False),
        (PackRule(kinds=("concept",)), True),
    ],
)
def test_a_rule_takes_in_what_it_says(rule: PackRule, is_in: bool) -> None:
    assert holds(rule) is is_in


def test_a_rule_as_a_row_holds_it_has_what_is_missing_empty() -> None:
    assert read_rule({}) == PackRule()
    assert read_rule({"tags": ["a"], "ids": []}) == PackRule(tags=("a",))


@pytest.mark.django_db
def test_values_and_rows_agree() -> None:
    """Every mix of conditions over a few questions of two topics, levels, kinds and tags."""
    for code, level, kind in product(
        ("gpu.memory", "gpu.exec", "sre.net"), ("foundation", "senior"), ("concept", "design")
    ):
        topic = Question.objects.filter(topic=code).first()
        QuestionFactory(
            topic=topic.topic if topic else TopicFactory(code=code),
            version__level=level,
            version__kind=kind,
            tags=["l2"] if level == "senior" else ["dns", "l2"],
        )
    rows = list(Question.objects.with_current().prefetch_related("tags"))
    assert len(rows) == 12
    options = {
        "tags": ([], ["dns"]),
        "topics": ([], ["gpu.exec", "sre.net"]),
        "tracks": ([], ["gpu"]),
        "levels": ([], ["senior"]),
        "kinds": ([], ["design"]),
        "ids": ([], [rows[0].ref, "gpu.none-001"]),
    }
    for values in product(*options.values()):
        pack = Pack(pk=0, include=dict(zip(options, values, strict=True)))
        wanted = {
            row.ref
            for row in rows
            if pack.rule.holds(
                ref=row.ref,
                topic=row.asked_topic_id,
                tags=[tag.name for tag in row.tags.all()],
                level=row.current_version.level,  # type: ignore[union-attr]
                kind=row.current_version.kind,  # type: ignore[union-attr]
            )
        }
        found = list(pack_questions(pack, {}).values_list("ref", flat=True))
        assert (len(found), set(found)) == (len(wanted), wanted), pack.include


@pytest.mark.django_db
def test_membership_follows_what_curators_do() -> None:
    """Published, tagged, moved, retired, restored, put in by hand: by the acts themselves."""
    pack = PackFactory(include={"topics": ["mle.distrib"], "tags": ["l2"], "ids": ["sre.net-001"]})
    net, storage = TopicFactory(code="sre.net"), TopicFactory(code="sys.store")
    who, acts = reviewer(), {"by": reviewer(), "now": EDITED_AT}

    def members() -> set[str]:
        return set(pack_questions(pack, new_references()).values_list("ref", flat=True))

    named = QuestionFactory(topic=net, ref="sre.net-001")
    other = QuestionFactory(topic=net, ref="sre.net-002")
    assert members() == {"sre.net-001"}

    made = draft()
    move_questions(question_ids=[made.question_id], topic=TopicFactory(code="mle.distrib"), **acts)
    submit_draft(question_id=made.question_id, revision=2, by=made.edited_by, now=EDITED_AT)
    assert members() == {"sre.net-001"}
    publish_draft(
        question_id=made.question_id, revision=2, change=Change.MAJOR, note="", by=who, now=EDITED_AT
    )
    published = Question.objects.get(pk=made.question_id).ref
    assert members() == {"sre.net-001", published}
    retire_questions(question_ids=[made.question_id], note="Old.", **acts)
    assert members() == {"sre.net-001"}
    restore_questions(question_ids=[made.question_id], note="New.", **acts)
    assert members() == {"sre.net-001", published}

    tag_questions(question_ids=[other.pk], name="l2", is_on=True, **acts)
    assert members() == {"sre.net-001", "sre.net-002", published}
    tag_questions(question_ids=[other.pk], name="l2", is_on=False, **acts)
    assert members() == {"sre.net-001", published}

    move_questions(question_ids=[named.pk, made.question_id], topic=storage, **acts)
    named.refresh_from_db()
    assert named.ref.startswith("sys.store-")
    assert members() == {named.ref}

    put_into_pack(question_ids=[other.pk], pack=pack, is_on=True, **acts)
    assert members() == {named.ref, "sre.net-002"}


@pytest.mark.django_db
def test_a_condition_asks_for_drafts_too() -> None:
    pack = PackFactory(include={"topics": ["gpu.memory"]})
    draft = QuestionFactory(topic=TopicFactory(code="gpu.memory"), status=Status.DRAFT)
    assert list(Question.objects.filter(pack_condition(pack, {}))) == [draft]


@pytest.mark.django_db
def test_files_and_tables_agree_on_the_packs_that_come_with_the_program() -> None:
    questions, _ = read_bank(SHIPPED / "bank")
    packs, problems = read_packs(SHIPPED / "packs")
    assert problems == []
    load_bank(files=questions, now=NOW)
    assert load_packs(files=packs).unknown == ()
    for file in packs:
        found = set(pack_questions(Pack.objects.get(slug=file.id), {}).values_list("ref", flat=True))
        assert found == {question.id for question in file.members(questions)}
    # What names the pack is in by the rule too, so that it says all of it.
    (nvidia,) = (file for file in packs if file.id == "nvidia")
    by_rule = [
        question.id
        for question in questions
        if nvidia.include.holds(
            ref=question.id,
            topic=question.topic,
            tags=question.tags,
            level=question.level,
            kind=question.kind,
        )
    ]
    assert {question.id for question in questions if "nvidia" in question.packs} <= set(by_rule)
    assert {Level(question.level) for question in nvidia.members(questions)} == set(Level)
    assert len({Kind(question.kind) for question in nvidia.members(questions)}) == len(Kind)

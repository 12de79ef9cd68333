"""What a rule takes in, asked of values and of rows: the same questions, on both databases."""

from itertools import product
from pathlib import Path

import pytest
from django.conf import settings

from prepapp.bank.actions import load_bank, load_packs
from prepapp.bank.choices import Kind, Level, Status
from prepapp.bank.models import Pack, Question
from prepapp.bank.packs import PackRule, read_rule
from prepapp.bank.queries.packs import new_references, pack_condition, pack_questions
from prepapp.bank.transfer.pack_file import read_packs
from prepapp.bank.transfer.question_file import read_bank
from tests.bank.test_load_bank import NOW
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory

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
def test_membership_follows_publishing_tagging_moving_and_retiring() -> None:
    pack = PackFactory(include={"topics": ["gpu.memory"], "tags": ["l2"], "ids": ["sre.net-001"]})
    memory, net = TopicFactory(code="gpu.memory"), TopicFactory(code="sre.net")

    def members() -> set[str]:
        return set(pack_questions(pack, new_references()).values_list("ref", flat=True))

    named = QuestionFactory(topic=net, ref="sre.net-001")
    draft = QuestionFactory(topic=memory, ref="gpu.memory-001", status=Status.DRAFT)
    other = QuestionFactory(topic=net, ref="sre.net-002")
    assert members() == {"sre.net-001"}
    Question.objects.filter(pk=draft.pk).update(status=Status.PUBLISHED)
    assert members() == {"sre.net-001", "gpu.memory-001"}
    Question.objects.filter(pk=draft.pk).update(status=Status.RETIRED)
    assert members() == {"sre.net-001"}
    other.topic = memory
    other.save()
    assert members() == {"sre.net-001", "sre.net-002"}
    named.ref, named.former_refs = "gpu.exec-009", ["sre.net-001"]
    named.save()
    assert members() == {"gpu.exec-009", "sre.net-002"}
    linked = QuestionFactory(topic=net, packs=[pack])
    assert linked.ref in members()


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

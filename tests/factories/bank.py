"""Rows of the question bank for tests: tracks, topics, questions with one version, their points.

Texts are short and already rendered, so that nothing here runs the Markdown pipeline. For more than a
handful of questions use `create_questions`, which costs the same few queries for any number.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import factory
from factory.django import DjangoModelFactory

from prepapp.bank.choices import Kind, Level, Status, VersionSource
from prepapp.bank.models import (
    FollowUp,
    Pack,
    Question,
    QuestionVersion,
    RubricPoint,
    Tag,
    Topic,
    Track,
    TrackTopic,
)
from prepapp.bank.rules import add_months
from prepapp.common.markdown import PIPELINE_VERSION

WRITTEN_AT = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)

# (weight, is_must) of each rubric point; a rubric sums to 10.
MAIN_POINTS = ((4, True), (3, False), (3, False))
FOLLOW_UP_POINTS = ((6, True), (4, False))


class TrackFactory(DjangoModelFactory[Track]):
    class Meta:
        model = Track
        django_get_or_create = ("code",)

    code = factory.Sequence(lambda n: f"track{n}")
    title = factory.LazyAttribute(lambda track: f"Track {track.code}")
    position = factory.Sequence(lambda n: n % 30_000)


class TopicFactory(DjangoModelFactory[Topic]):
    """A topic of the home track its code names. `TopicFactory(track=track)` puts it into that track;
    `shared={other_track: weight}` lends it to others."""

    class Meta:
        model = Topic
        skip_postgeneration_save = True

    class Params:
        track = factory.SubFactory(TrackFactory)

    code = factory.LazyAttributeSequence(lambda topic, n: f"{topic.track.code}.topic{n}")
    title = factory.LazyAttribute(lambda topic: f"Topic {topic.code}")
    span = "What belongs here"
    position = factory.Sequence(lambda n: n % 30_000)

    @factory.post_generation
    def shared(topic: Topic, create: bool, extracted: dict[Track, float] | None, **_: Any) -> None:
        if create:
            # A topic given by its code brings its home track along.
            weights = {TrackFactory(code=topic.code.partition(".")[0]).code: 1.0}
            weights.update({track.code: weight for track, weight in (extracted or {}).items()})
            TrackTopic.objects.bulk_create(
                TrackTopic(track_id=code, topic=topic, weight=weight) for code, weight in weights.items()
            )


class TagFactory(DjangoModelFactory[Tag]):
    class Meta:
        model = Tag
        django_get_or_create = ("name",)

    name = factory.Sequence(lambda n: f"tag-{n}")


class PackFactory(DjangoModelFactory[Pack]):
    class Meta:
        model = Pack
        django_get_or_create = ("slug",)

    slug = factory.Sequence(lambda n: f"pack-{n}")
    title = factory.LazyAttribute(lambda pack: f"Pack {pack.slug}")


class QuestionFactory(DjangoModelFactory[Question]):
    """A published question with a current version of three rubric points and one follow-up.

    `version__<field>=...` sets fields of the version; `version__points=[(weight, is_must), ...]` and
    `version__follow_ups=2` its parts; `version=False` makes a question without any version.
    `tags=["name"]` and `packs=[pack]` file it.
    """

    class Meta:
        model = Question
        skip_postgeneration_save = True

    topic = factory.SubFactory(TopicFactory)
    ref = factory.LazyAttributeSequence(lambda question, n: f"{question.topic.code}-{n:03d}")
    slug = factory.Sequence(lambda n: f"question-{n}")
    status = Status.PUBLISHED
    created_at = WRITTEN_AT

    @factory.post_generation
    def version(question: Question, create: bool, extracted: bool | None, **fields: Any) -> None:
        if create and extracted is not False:
            add_version(question, **{"number": 1, **fields})

    @factory.post_generation
    def tags(question: Question, create: bool, extracted: Sequence[str] | None, **_: Any) -> None:
        if create and extracted:
            question.tags.add(*(TagFactory(name=name) for name in extracted))

    @factory.post_generation
    def packs(question: Question, create: bool, extracted: Sequence[Pack] | None, **_: Any) -> None:
        if create and extracted:
            question.packs.add(*extracted)


def add_version(
    question: Question,
    *,
    points: Sequence[tuple[int, bool]] = MAIN_POINTS,
    follow_ups: int = 1,
    is_current: bool = True,
    **fields: Any,
) -> QuestionVersion:
    """The next version of a question, made current unless told otherwise. Five queries at most."""
    number = fields.pop("number", 0) or question.versions.count() + 1
    version = _version(question, number, fields)
    version.save(force_insert=True)
    _add_parts([version], points, follow_ups)
    if is_current:
        question.current_version = version
        question.save(update_fields=["current_version"])
    return version


def create_questions(
    count: int,
    *,
    topic: Topic | None = None,
    status: Status = Status.PUBLISHED,
    points: Sequence[tuple[int, bool]] = MAIN_POINTS,
    follow_ups: int = 1,
    **fields: Any,
) -> list[Question]:
    """`count` questions of one topic, each with a current version, in six queries. `fields` go to every
    version; a callable is called with the index: `kind=lambda i: [Kind.CONCEPT, Kind.DESIGN][i % 2]`."""
    home = topic or TopicFactory()
    numbers = [QuestionFactory._meta.next_sequence() for _ in range(count)]
    questions = Question.objects.bulk_create(
        Question(
            ref=f"{home.code}-{n:03d}",
            slug=f"question-{n}",
            topic=home,
            status=status,
            created_at=WRITTEN_AT,
        )
        for n in numbers
    )
    versions = [
        _version(
            question,
            1,
            {name: value(index) if callable(value) else value for name, value in fields.items()},
        )
        for index, question in enumerate(questions)
    ]
    QuestionVersion.objects.bulk_create(versions)
    _add_parts(versions, points, follow_ups)
    for question, version in zip(questions, versions, strict=True):
        question.current_version = version
    Question.objects.bulk_update(questions, ["current_version"])
    return questions


def _version(question: Question, number: int, fields: dict[str, Any]) -> QuestionVersion:
    name = question.slug
    texts = {
        "prompt": f"Prompt of {name}",
        "context": f"Context of {name}",
        "model_answer": f"Model answer of {name}",
    }
    values: dict[str, Any] = {
        "source": VersionSource.FILE,
        "meaning": number,
        "content_hash": f"hash-{name}-{number}",
        "title": f"Title of {name}",
        "level": Level.INTERMEDIATE,
        "kind": Kind.CONCEPT,
        "minutes": 5,
        "pitfalls": [f"Pitfall of {name}"],
        "references": [
            {
                "title": f"Source of {name}",
                "url": "https://example.test/source",
                "supports": [],
            }
        ],
        "difficulty": {
            "rationale": f"Rationale of {name}",
            "easier": "Give more.",
            "harder": "Give less.",
        },
        "reviewed_date": date(2026, 11, 1),
        "recheck_months": 12,
        "rendered_by": PIPELINE_VERSION,
        "created_at": WRITTEN_AT,
        **texts,
        **fields,
    }
    values.setdefault("recheck_date", add_months(values["reviewed_date"], values["recheck_months"]))
    if "rendered" not in values:
        values["rendered"] = {
            **{field: f"<p>{values[field]}</p>" if values[field] else "" for field in texts},
            **{field: f"<p>{values[field]}</p>" if values.get(field) else "" for field in ("data", "deeper")},
            "pitfalls": [f"<p>{text}</p>" for text in values["pitfalls"]],
        }
    return QuestionVersion(question=question, number=number, **values)


def _add_parts(versions: list[QuestionVersion], points: Sequence[tuple[int, bool]], follow_ups: int) -> None:
    parts = FollowUp.objects.bulk_create(
        _follow_up(version, n) for version in versions for n in range(1, follow_ups + 1)
    )
    RubricPoint.objects.bulk_create(
        [
            _point(version, None, f"r{n}", n, *point)
            for version in versions
            for n, point in enumerate(points, 1)
        ]
        + [
            _point(part.version, part, f"{part.key}{'abc'[n - 1]}", n, *point)
            for part in parts
            for n, point in enumerate(FOLLOW_UP_POINTS, 1)
        ]
    )


def _follow_up(version: QuestionVersion, position: int) -> FollowUp:
    prompt = f"Follow-up {position} of {version.title}"
    answer = f"Answer {position} of {version.title}"
    return FollowUp(
        version=version,
        key=f"f{position}",
        position=position,
        minutes=3,
        prompt=prompt,
        answer=answer,
        rendered={"prompt": f"<p>{prompt}</p>", "answer": f"<p>{answer}</p>"},
    )


def _point(
    version: QuestionVersion,
    follow_up: FollowUp | None,
    key: str,
    position: int,
    weight: int,
    is_must: bool,
) -> RubricPoint:
    return RubricPoint(
        version=version,
        follow_up=follow_up,
        key=key,
        position=position,
        weight=weight,
        is_must=is_must,
        criterion=f"Criterion {key} of {version.title}",
        met=f"Met {key} of {version.title}",
        partial=f"Partly {key} of {version.title}",
    )

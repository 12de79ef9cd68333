"""Sample answers for tests: three to a question, each with a mark for every point of its main rubric."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from prepapp.accounts.models import User
from prepapp.bank.choices import MarkValue, SampleLevel
from prepapp.bank.models import Question, RubricPoint, SampleAnswer, SampleMark
from prepapp.interviews.models import SampleGrading
from tests.factories.bank import WRITTEN_AT
from tests.factories.interviews import STARTED_AT

# What each level has earned on every point of its rubric.
EARNED = {
    SampleLevel.STRONG: MarkValue.MET,
    SampleLevel.MIDDLING: MarkValue.PARTLY,
    SampleLevel.WEAK: MarkValue.MISSED,
}


def add_samples(*questions: Question, **fields: Any) -> list[SampleAnswer]:
    """Three samples of each question's current version, in the places 1 to 3: strong, middling, weak. The
    quote of a point stands in the answer. Four queries."""
    versions = {question.pk: question.current_version_id for question in questions}
    made = SampleAnswer.objects.bulk_create(
        SampleAnswer(
            question=question,
            version_id=versions[question.pk],
            level=level,
            position=position,
            answer=f"Answer: words of r1, words of r2, words of r3 and <b>more</b> of {question.slug}, {position}.",
            content_hash=f"{question.slug}-{level}",
            created_at=WRITTEN_AT,
            **fields,
        )
        for question in questions
        for position, level in enumerate(EARNED, 1)
    )
    points = RubricPoint.objects.filter(version__in=versions.values(), follow_up=None).order_by("position")
    SampleMark.objects.bulk_create(
        SampleMark(
            sample=sample,
            point=point,
            value=EARNED[SampleLevel(sample.level)],
            quote=f"words of {point.key}" if EARNED[SampleLevel(sample.level)] else "",
            why=f"Why {point.key} of {sample.content_hash}",
        )
        for sample in made
        for point in points
        if point.version_id == sample.version_id
    )
    return made


def mark_sample(
    user: User, sample: SampleAnswer, *, value: int = MarkValue.MET, at: datetime = STARTED_AT
) -> SampleGrading:
    """That person's grading of it, with the same mark for every point."""
    keys = SampleMark.objects.filter(sample=sample.pk).values_list("point__key", flat=True)
    marks = dict.fromkeys(keys, int(value))
    return SampleGrading.objects.create(
        user=user, sample=sample, grade_key=uuid4(), marks=marks, graded_at=at
    )

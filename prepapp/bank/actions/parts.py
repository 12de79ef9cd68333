"""The rows of one version made from a question file, rendered and not yet saved."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from prepapp.bank.choices import Change, VersionSource
from prepapp.bank.models import FollowUp, Question, QuestionVersion, RubricPoint
from prepapp.bank.rendering import render_follow_up, render_version
from prepapp.bank.rules import add_months
from prepapp.bank.transfer.question_file import QuestionFile, RubricPointFile
from prepapp.common.markdown import PIPELINE_VERSION


@dataclass(frozen=True)
class Parts:
    """A version with all that belongs to it."""

    version: QuestionVersion
    follow_ups: Sequence[FollowUp]
    points: Sequence[RubricPoint]


def build_parts(file: QuestionFile, now: datetime) -> Parts:
    """The parts as the file states them; question and number are still to be set."""
    version = QuestionVersion(
        source=VersionSource.FILE,
        content_hash=file.content_hash,
        title=file.title,
        level=file.level,
        kind=file.kind,
        minutes=file.minutes,
        prompt=file.prompt,
        context=file.context,
        data=file.data,
        model_answer=file.model_answer,
        deeper=file.deeper,
        pitfalls=list(file.pitfalls),
        code=asdict(file.code) if file.code else None,
        references=[asdict(reference) for reference in file.references],
        difficulty=asdict(file.difficulty),
        weights_note=file.weights_note,
        reviewed_date=file.review.reviewed,
        recheck_months=file.review.recheck_months,
        recheck_date=add_months(file.review.reviewed, file.review.recheck_months),
        rendered_by=PIPELINE_VERSION,
        created_at=now,
    )
    version.rendered = render_version(version)
    follow_ups: list[FollowUp] = []
    points = list(_points(version, None, file.rubric))
    for position, part in enumerate(file.followups, 1):
        follow_up = FollowUp(
            version=version,
            key=part.id,
            position=position,
            minutes=part.minutes,
            prompt=part.prompt,
            answer=part.answer,
        )
        follow_up.rendered = render_follow_up(follow_up)
        follow_ups.append(follow_up)
        points.extend(_points(version, follow_up, part.rubric))
    return Parts(version, follow_ups, points)


def save_parts(made: Sequence[tuple[Question, int, Parts]]) -> None:
    """Saves the parts as the version of that number of each (saved) question and makes them current.

    A minor version must already say whose meaning it has. Five statements per batch, however many points
    there are.
    """
    if not made:
        return
    for question, number, parts in made:
        parts.version.question = question
        parts.version.number = number
        if parts.version.change == Change.MAJOR:
            parts.version.meaning = number
    QuestionVersion.objects.bulk_create([parts.version for _, _, parts in made])
    FollowUp.objects.bulk_create([row for _, _, parts in made for row in parts.follow_ups])
    RubricPoint.objects.bulk_create([row for _, _, parts in made for row in parts.points])
    for question, _, parts in made:
        question.current_version = parts.version
    Question.objects.bulk_update([question for question, _, _ in made], ["current_version"])


def _points(
    version: QuestionVersion, follow_up: FollowUp | None, points: Sequence[RubricPointFile]
) -> Iterator[RubricPoint]:
    return (
        RubricPoint(
            version=version,
            follow_up=follow_up,
            key=point.id,
            position=position,
            weight=point.weight,
            is_must=point.must,
            criterion=point.criterion,
            met=point.met,
            partial=point.partial,
        )
        for position, point in enumerate(points, 1)
    )

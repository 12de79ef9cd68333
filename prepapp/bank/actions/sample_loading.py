"""Files of sample answers written to the tables, as a part of loading the bank. The caller holds the
transaction and the questions, and has checked that the files fit their questions.

A triple belongs to the meaning its question has in the file beside it: files that lie together were marked
together. Where the content or that meaning has changed, a new triple replaces the old one, which stays for
those who have marked it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from prepapp.bank.choices import MarkValue
from prepapp.bank.models import QuestionVersion, RubricPoint, SampleAnswer, SampleMark
from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.bank.transfer.samples_file import SampleFile, SamplesFile


@dataclass(frozen=True)
class SamplesResult:
    """What came of the files, one for each question. `withdrawn`: questions that were loaded without samples
    and had some before. `left_out`: references of questions whose text in the file is no version here."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    left_out: tuple[str, ...] = ()

    @property
    def files(self) -> int:
        return self.new + self.changed + self.unchanged + len(self.left_out)


@dataclass
class _Plan:
    """Triples to write, each with its version, and the ids of answers that are current no more."""

    made: list[tuple[QuestionVersion, Sequence[SampleFile]]] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    new: int = 0
    unchanged: int = 0
    left_out: list[str] = field(default_factory=list)


def save_samples(
    *, samples: Sequence[SamplesFile], files: Sequence[QuestionFile], now: datetime
) -> SamplesResult:
    """Writes what differs. Three queries, and four statements more where there is something to write."""
    current: dict[str, list[SampleAnswer]] = defaultdict(list)
    stored = SampleAnswer.objects.filter(is_current=True).select_related("question", "version")
    for answer in stored.only("content_hash", "question__ref", "version__meaning"):
        current[answer.question.ref].append(answer)
    plan = _Plan()
    versions = _versions(files) if samples else {}
    for file in samples:
        _judge(plan, file, versions.get(file.question), current[file.question])
    kept_without = {file.id for file in files} - {file.question for file in samples}
    withdrawn = [ref for ref, answers in current.items() if answers and ref in kept_without]
    plan.replaced += [answer.pk for ref in withdrawn for answer in current[ref]]
    _write(plan, now)
    return SamplesResult(
        new=plan.new,
        changed=len(plan.made) - plan.new,
        unchanged=plan.unchanged,
        withdrawn=len(withdrawn),
        left_out=tuple(plan.left_out),
    )


def _versions(files: Sequence[QuestionFile]) -> dict[str, QuestionVersion]:
    """The newest version with the text of each file, by reference. There is none for a question that was
    edited or moved in the app before its file changed."""
    hashes = {file.id: file.content_hash for file in files}
    rows = QuestionVersion.objects.filter(question__ref__in=hashes).order_by("number")
    found = rows.select_related("question").only("meaning", "content_hash", "question__ref")
    return {
        version.question.ref: version
        for version in found
        if version.content_hash == hashes[version.question.ref]
    }


def _judge(
    plan: _Plan, file: SamplesFile, version: QuestionVersion | None, stored: Sequence[SampleAnswer]
) -> None:
    if version is None:
        plan.left_out.append(file.question)
        return
    hashes = {sample.content_hash for sample in file.samples}
    meanings = {answer.version.meaning for answer in stored}
    if {answer.content_hash for answer in stored} == hashes and meanings == {version.meaning}:
        plan.unchanged += 1
        return
    plan.new += not stored
    plan.replaced += [answer.pk for answer in stored]
    plan.made.append((version, file.samples))


def _write(plan: _Plan, now: datetime) -> None:
    if plan.replaced:
        SampleAnswer.objects.filter(pk__in=plan.replaced).update(is_current=False)
    if not plan.made:
        return
    rows: list[tuple[SampleAnswer, SampleFile]] = []
    for version, samples in plan.made:
        # By content, so that neither the place nor the row number tells which answer is the strong one.
        for position, sample in enumerate(sorted(samples, key=lambda sample: sample.content_hash), 1):
            rows.append((_answer(version, position, sample, now), sample))
    SampleAnswer.objects.bulk_create([answer for answer, _ in rows])
    points = {
        (point.version_id, point.key): point
        for point in RubricPoint.objects.filter(version__in=[version for version, _ in plan.made])
    }
    SampleMark.objects.bulk_create(
        SampleMark(
            sample=answer,
            point=points[answer.version_id, mark.point],
            value=MarkValue[mark.mark.upper()],
            quote=mark.quote,
            why=mark.why,
        )
        for answer, sample in rows
        for mark in sample.marks
    )


def _answer(version: QuestionVersion, position: int, sample: SampleFile, now: datetime) -> SampleAnswer:
    return SampleAnswer(
        question=version.question,
        version=version,
        level=sample.level,
        position=position,
        answer=sample.answer,
        content_hash=sample.content_hash,
        created_at=now,
    )

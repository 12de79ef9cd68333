"""Question files written to the tables.

Here: `load_bank`, all or nothing, in a number of queries that does not grow with the points of a rubric.
Not here: reading files (`transfer`), what follows from a changed file (`rules`).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from prepapp.bank.actions.filing import save_filing
from prepapp.bank.actions.parts import Parts, build_parts, save_parts
from prepapp.bank.actions.sample_loading import SamplesResult, save_samples
from prepapp.bank.actions.taxonomy import load_taxonomy
from prepapp.bank.choices import Change, Event, Status, VersionSource
from prepapp.bank.models import CurationEvent, Question, QuestionVersion, Topic, Track
from prepapp.bank.queries.documents import version_documents
from prepapp.bank.rules import LoadStep, VersionMark, load_step
from prepapp.bank.transfer.document import changes_meaning, document_of_file
from prepapp.bank.transfer.integrity import integrity_problems, problem
from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.bank.transfer.samples_file import SamplesFile
from prepapp.bank.transfer.samples_integrity import sample_problems
from prepapp.bank.transfer.yaml_tree import FileProblem


class BankRefused(Exception):
    """The files cannot stand together in this bank; nothing was written."""

    def __init__(self, problems: Sequence[FileProblem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = problems


@dataclass(frozen=True)
class LoadResult:
    """What came of the files: files = new + changed + refiled + unchanged + kept.

    `changed` got a new version. `refiled`: slug, tags, packs, coverage or review date changed, the text did
    not. `kept`: references of questions that a person edited in the app after the last file version, or moved
    to another topic, and of new files whose slug a question made in the app has.
    `absent`: questions of the bank that no file describes (any more).
    """

    files: int
    new: int
    changed: int
    refiled: int
    unchanged: int
    kept: tuple[str, ...]
    absent: int
    samples: SamplesResult = field(default_factory=SamplesResult)


@dataclass
class _Plan:
    """What is to be written."""

    new: list[Question] = field(default_factory=list)
    versions: list[tuple[Question, int, Parts]] = field(default_factory=list)
    filed: list[tuple[Question, QuestionFile]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def load_bank(
    *, files: Sequence[QuestionFile], now: datetime, samples: Sequence[SamplesFile] | None = None
) -> LoadResult:
    """Writes the taxonomy and these files. BankRefused with every problem, and nothing written.

    A new file makes a published question, changed content a new version, changed filing an update.
    Existing versions are never touched except for their review date. What a person tagged, put into a pack
    or checked in the app stays so. Repeating it writes nothing. Sample answers go with the questions; without
    any (None) those of the bank are left alone.
    """
    prepared = _prepare_unknown(files, now)
    with transaction.atomic():
        load_taxonomy()
        # One loader at a time: the row locks of the tracks stand for the whole bank.
        list(Track.objects.select_for_update().order_by("code").values_list("code"))
        topics = set(Topic.objects.values_list("code", flat=True))
        if problems := [*integrity_problems(files, topics), *sample_problems(samples or (), files)]:
            raise BankRefused(problems)
        questions = _lock_questions()
        moved = {ref for question in questions.values() for ref in question.former_refs}
        used = _slugs_made_here(questions.values())
        kept = [
            file.id for file in files if file.id in moved or (file.id not in questions and file.slug in used)
        ]
        files = [file for file in files if file.id not in set(kept)]
        if problems := _slug_problems(files, questions.values()):
            raise BankRefused(problems)
        plan = _plan(files, questions, prepared, now)
        _judge_changes(plan)
        Question.objects.bulk_create(plan.new)
        save_parts(plan.versions)
        tagged, checked = _done_in_app(Event.TAGGED), _done_in_app(Event.CHECKED)
        written = save_filing(plan.filed, tagged=tagged, checked=checked)
        refiled = written - {question.pk for question, _, _ in plan.versions}
        marked = SamplesResult() if samples is None else save_samples(samples=samples, files=files, now=now)
    new, changed = len(plan.new), len(plan.versions) - len(plan.new)
    kept += plan.kept
    return LoadResult(
        files=len(files) + len(kept) - len(plan.kept),
        new=new,
        changed=changed,
        refiled=len(refiled),
        unchanged=len(files) - new - changed - len(refiled) - len(plan.kept),
        kept=tuple(kept),
        absent=len(questions.keys() - {file.id for file in files}),
        samples=marked,
    )


def _prepare_unknown(files: Sequence[QuestionFile], now: datetime) -> dict[str, Parts]:
    """Parts of the files whose content no version has, by question reference.

    Rendering is the slow part. It is done before the transaction, which on SQLite keeps everybody else
    from writing.
    """
    known = set(QuestionVersion.objects.values_list("question__ref", "content_hash"))
    unknown = [file for file in files if (file.id, file.content_hash) not in known]
    # A file that is going to be refused may hold a text that cannot be rendered.
    return {
        file.id: build_parts(file, now) for file in unknown if not integrity_problems([file], {file.topic})
    }


def _lock_questions() -> dict[str, Question]:
    """Every question by its reference, with its current version, locked against edits until the commit."""
    locked = Question.objects.select_for_update(of=("self",)).select_related("current_version").order_by("pk")
    return {question.ref: question for question in locked}


def _done_in_app(event: Event) -> set[int]:
    """The ids of the questions to which a person did this. A file does not undo it."""
    lines = CurationEvent.objects.filter(event=event).values_list("question_number", flat=True)
    return {number for number in lines.distinct() if number is not None}


def _slugs_made_here(questions: Iterable[Question]) -> set[str]:
    """The slugs of questions that never came from a file. A later file gives way: refused, it would keep
    a whole site from starting until a curator has chosen another slug."""
    from_files = set(
        QuestionVersion.objects.filter(source=VersionSource.FILE).values_list("question_id", flat=True)
    )
    return {question.slug for question in questions if question.pk not in from_files}


def _slug_problems(files: Sequence[QuestionFile], questions: Iterable[Question]) -> list[FileProblem]:
    owners = {question.slug: question.ref for question in questions}
    return [
        problem(file, "slug", f"{file.slug!r} already belongs to {owners[file.slug]}; choose another")
        for file in files
        if owners.get(file.slug, file.id) != file.id
    ]


def _plan(
    files: Sequence[QuestionFile], questions: dict[str, Question], prepared: dict[str, Parts], now: datetime
) -> _Plan:
    plan = _Plan()
    marks = _version_marks()
    for file in files:
        question = questions.get(file.id)
        versions = marks[question.pk] if question else []
        step = _step(file, question, versions)
        if question is None:
            question = _new_question(file, now)
            plan.new.append(question)
        if step is LoadStep.KEPT:
            plan.kept.append(question.ref)
            continue
        if step is LoadStep.NEW_VERSION:
            parts = prepared.get(file.id) or build_parts(file, now)
            plan.versions.append((question, versions[-1].number + 1 if versions else 1, parts))
        plan.filed.append((question, file))
    return plan


def _judge_changes(plan: _Plan) -> None:
    """Tells new versions that mean the same from those that do not; a question's first one is a major one."""
    current = {
        question.pk: question.current_version
        for question, _, _ in plan.versions
        if question.current_version is not None
    }
    if not current:
        return
    files = {question.pk: file for question, file in plan.filed}
    older = version_documents(version.pk for version in current.values())
    for question, _, parts in plan.versions:
        version = current.get(question.pk)
        if version and not changes_meaning(older[version.pk], document_of_file(files[question.pk])):
            parts.version.change, parts.version.meaning = Change.MINOR, version.meaning


def _step(file: QuestionFile, question: Question | None, versions: Sequence[VersionMark]) -> LoadStep:
    shown = question.current_version if question else None
    current = VersionMark(shown.number, shown.source, shown.content_hash) if shown else None
    last_file = next((mark for mark in reversed(versions) if mark.source == VersionSource.FILE), None)
    return load_step(file.content_hash, current, last_file)


def _new_question(file: QuestionFile, now: datetime) -> Question:
    return Question(
        ref=file.id,
        slug=file.slug,
        topic_id=file.topic,
        status=Status.PUBLISHED,
        covers=list(file.covers),
        created_at=now,
    )


def _version_marks() -> dict[int, list[VersionMark]]:
    """The versions of each question by its id, oldest first."""
    marks: dict[int, list[VersionMark]] = defaultdict(list)
    rows = QuestionVersion.objects.order_by("question_id", "number")
    columns = rows.values_list("question_id", "number", "source", "content_hash")
    for question_id, number, source, content_hash in columns:
        marks[question_id].append(VersionMark(number, source, content_hash))
    return marks

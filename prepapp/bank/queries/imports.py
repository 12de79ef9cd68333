"""What an import is planned against: the questions a file may mean, as values. Nothing here writes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from django.db.models import Max

from prepapp.bank.choices import DraftState
from prepapp.bank.importing import Bank, Identity, Known, identify
from prepapp.bank.lint.finding import FAIL
from prepapp.bank.models import Draft, ImportRow, Question, Topic
from prepapp.bank.queries.documents import current_documents
from prepapp.bank.queries.findings import draft_findings
from prepapp.bank.transfer.document import Document
from prepapp.bank.transfer.item import Item, Notice

# Rows asked for, or written, by one statement.
BATCH = 500

Part = TypeVar("Part")


def batches(parts: Sequence[Part]) -> Iterator[Sequence[Part]]:
    """The parts in their order, so many at a time as one statement takes."""
    return (parts[start : start + BATCH] for start in range(0, len(parts), BATCH))


def bank_for(items: Iterable[Item]) -> Bank:
    """What the bank has of these items. Three queries, and nine for every five hundred that it knows."""
    refs: dict[str, int] = {}
    slugs: dict[str, int] = {}
    former: dict[str, int] = {}
    for pk, ref, slug, old in Question.objects.values_list("pk", "ref", "slug", "former_refs"):
        refs[ref], slugs[slug.casefold()] = pk, pk
        former |= dict.fromkeys(old, pk)
    # A file from before a question moved to another topic means that question still.
    refs = former | refs
    wanted = sorted({pk for item in items for pk in _meant(identify(item), refs, slugs)})
    known = {one.pk: one for batch in batches(wanted) for one in _known(batch)}
    return Bank(frozenset(Topic.objects.values_list("code", flat=True)), known, refs, slugs)


def judge_document(document: Document, now: datetime) -> list[Notice]:
    """What keeps a document out of the bank. Its code is not run."""
    found = draft_findings(None, document, now)
    return [Notice(finding.field, finding.message) for finding in found if finding.severity == FAIL]


def marks(question_ids: Sequence[int]) -> dict[int, tuple[object, ...]]:
    """`Known.mark` of each question as it is now. One query."""
    columns = ("pk", "ref", "slug", "status", "current_version_id", "draft__revision", "draft__state")
    rows = Question.objects.filter(pk__in=question_ids).values_list(*columns)
    return {
        pk: (ref, slug, status, version, revision or 0, state == DraftState.IN_REVIEW)
        for pk, ref, slug, status, version, revision, state in rows
    }


def _meant(identity: Identity, refs: dict[str, int], slugs: dict[str, int]) -> Iterator[int]:
    """Both questions, if reference and slug belong to two."""
    if identity.ref in refs:
        yield refs[identity.ref]
    if identity.slug in slugs:
        yield slugs[identity.slug]


def _known(question_ids: Sequence[int]) -> Iterator[Known]:
    questions = list(Question.objects.filter(pk__in=question_ids).order_by("pk"))
    drafts = {
        draft.question_id: draft
        for draft in Draft.objects.filter(question__in=question_ids).select_related("edited_by")
    }
    published = current_documents(questions)
    # Revisions are never given twice, so the highest tells who wrote last.
    imported = dict(
        ImportRow.objects.filter(question__in=question_ids)
        .values_list("question_id")
        .annotate(last=Max("revision"))
    )
    for question in questions:
        draft = drafts.get(question.pk)
        known = Known(
            pk=question.pk,
            ref=question.ref,
            slug=question.slug,
            status=question.status,
            version_id=question.current_version_id,
            published=published.get(question.pk),
        )
        if draft is not None:
            known = _with_draft(known, draft, imported.get(question.pk))
        yield known


def _with_draft(known: Known, draft: Draft, imported: int | None) -> Known:
    return replace(
        known,
        draft=draft.document,
        revision=draft.revision,
        is_in_review=draft.state == DraftState.IN_REVIEW,
        is_from_import=draft.revision == imported,
        editor=str(draft.edited_by or ""),
    )

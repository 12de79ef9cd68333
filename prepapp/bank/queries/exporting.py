"""The bank as entries of a file (`transfer.item.Entry`). Nothing here writes."""

from dataclasses import dataclass

from django.db.models import Count, Q

from prepapp.bank.choices import Status
from prepapp.bank.models import Draft, Question, QuestionQuerySet, Topic, Track
from prepapp.bank.queries.documents import current_documents
from prepapp.bank.queries.imports import batches
from prepapp.bank.transfer.item import Entry


@dataclass(frozen=True)
class ExportFilter:
    """Which questions; '' does not narrow. `status` draft stands for whatever was never published."""

    track: str = ""
    topic: str = ""
    status: str = ""


@dataclass(frozen=True)
class ExportChoices:
    """Tracks and topics as (code, title); topics grouped by the track they are at home in."""

    tracks: list[tuple[str, str]]
    topics: list[tuple[str, list[tuple[str, str]]]]


@dataclass(frozen=True)
class BankSize:
    """How many questions there are to write, by what became of them."""

    published: int
    retired: int
    drafts: int


def export_choices() -> ExportChoices:
    """Every track and topic, with questions or without. Two queries."""
    tracks = list(Track.objects.values_list("code", "title"))
    topics = list(Topic.objects.values_list("code", "title"))
    grouped = [
        (title, [(topic, name) for topic, name in topics if topic.partition(".")[0] == code])
        for code, title in tracks
    ]
    return ExportChoices(tracks, [(title, found) for title, found in grouped if found])


def bank_size() -> BankSize:
    """One query."""
    has_version = Q(current_version__isnull=False)
    return BankSize(
        **Question.objects.aggregate(
            published=Count("pk", filter=has_version & Q(status=Status.PUBLISHED)),
            retired=Count("pk", filter=has_version & Q(status=Status.RETIRED)),
            drafts=Count("pk", filter=~has_version),
        )
    )


def exported_questions(wanted: ExportFilter) -> QuestionQuerySet:
    """The questions that fit, in no order."""
    found = Question.objects.all()
    if wanted.track:
        found = found.in_track(wanted.track)
    if wanted.topic:
        found = found.filter(topic=wanted.topic)
    if wanted.status == Status.DRAFT:
        found = found.filter(current_version__isnull=True)
    elif wanted.status:
        found = found.filter(status=wanted.status, current_version__isnull=False)
    return found


def export_entries(wanted: ExportFilter) -> list[Entry]:
    """What is published, as it is published; what never was, as its draft. Seven queries for five hundred.

    A draft of a published question is work in progress and stays here. A draft in review goes out as a draft,
    since nobody elsewhere handed it in; one that waits to be retired says so."""
    entries: list[Entry] = []
    for batch in batches(list(exported_questions(wanted))):
        published = current_documents(batch)
        drafts = dict(
            Draft.objects.filter(question__in=[question.pk for question in batch]).values_list(
                "question_id", "document"
            )
        )
        for question in batch:
            if question.pk in published:
                entries.append(Entry(question.ref, question.status, published[question.pk]))
            elif question.pk in drafts:
                document = dict(drafts[question.pk])
                status = document.pop("wanted_status", Status.DRAFT)
                entries.append(Entry("", str(status), document))
    return sorted(entries, key=lambda entry: (not entry.ref, entry.ref, str(entry.document.get("slug"))))

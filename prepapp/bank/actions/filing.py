"""What may change without a new version: slug, coverage, review date, tags and packs."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.db import models

from prepapp.bank.models import Pack, Question, QuestionVersion, Tag
from prepapp.bank.packs import pack_name
from prepapp.bank.rules import add_months
from prepapp.bank.transfer.question_file import QuestionFile

Filed = Sequence[tuple[Question, QuestionFile]]
_ON_CONFLICT: dict[str, Any] = {"ignore_conflicts": True}


def save_filing(filed: Filed, *, tagged: Collection[int] = (), checked: Collection[int] = ()) -> set[int]:
    """Files each (saved) question as its file says. Returns the ids of those for which it wrote.

    Tags and packs that are new are made; nothing is written where nothing differs. The questions `tagged`
    keep the tags and packs they have, and the facts of those `checked` stay checked on the later of two days.
    """
    linked = [(question, file) for question, file in filed if question.pk not in tagged]
    tags = _named(
        Tag, "name", {name for _, file in linked for name in file.tags}, lambda name: {"name": name}
    )
    packs = _named(
        Pack,
        "slug",
        {slug for _, file in linked for slug in file.packs},
        lambda slug: {"slug": slug, "title": pack_name(slug)},
    )
    return (
        _save_columns(filed)
        | _save_reviews(filed, checked)
        | _link(
            Question.tags.through, "tag_id", {q.pk: {tags[name] for name in file.tags} for q, file in linked}
        )
        | _link(
            Question.packs.through,
            "pack_id",
            {q.pk: {packs[slug] for slug in file.packs} for q, file in linked},
        )
    )


def _save_columns(filed: Filed) -> set[int]:
    changed: list[Question] = []
    for question, file in filed:
        if (question.slug, question.covers) != (file.slug, list(file.covers)):
            question.slug, question.covers = file.slug, list(file.covers)
            changed.append(question)
    if changed:
        Question.objects.bulk_update(changed, ["slug", "covers"])
    return {question.pk for question in changed}


def _save_reviews(filed: Filed, checked: Collection[int]) -> set[int]:
    changed: list[QuestionVersion] = []
    for question, file in filed:
        version = question.current_version
        if version is None:
            continue
        day, months = file.review.reviewed, file.review.recheck_months
        if question.pk in checked:
            day = max(day, version.reviewed_date)
        if (version.reviewed_date, version.recheck_months) != (day, months):
            version.reviewed_date, version.recheck_months = day, months
            version.recheck_date = add_months(day, months)
            changed.append(version)
    if changed:
        QuestionVersion.objects.bulk_update(changed, ["reviewed_date", "recheck_months", "recheck_date"])
    return {version.question_id for version in changed}


def _named(
    model: type[models.Model], key: str, names: set[str], fields: Callable[[str], dict[str, Any]]
) -> dict[str, int]:
    """The ids of rows by name; missing ones are made, unless somebody else makes them at this moment."""
    named = model._default_manager.filter(**{f"{key}__in": names}).values_list(key, "pk")
    found = dict(named)
    missing = [model(**fields(name)) for name in sorted(names - found.keys())]
    if not missing:
        return found
    model._default_manager.bulk_create(missing, **_ON_CONFLICT)
    return dict(named.all())


def _link(through: type[models.Model], column: str, wanted: dict[int, set[int]]) -> set[int]:
    """Makes the links of each question equal to `wanted`. Returns the ids of questions it changed."""
    rows = through._default_manager.filter(question_id__in=wanted).values_list("question_id", column, "pk")
    stored = {(question_id, other): pk for question_id, other, pk in rows}
    targets = {(question_id, other) for question_id, others in wanted.items() for other in others}
    if gone := stored.keys() - targets:
        through._default_manager.filter(pk__in=[stored[pair] for pair in gone]).delete()
    added = targets - stored.keys()
    through._default_manager.bulk_create(
        through(**{"question_id": question_id, column: other}) for question_id, other in sorted(added)
    )
    return {question_id for question_id, _ in gone | added}

"""The reference of a question is given here, and no two questions ever have the same."""

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from prepapp.bank.models import Question
from prepapp.bank.refusals import SlugTaken
from prepapp.bank.rules import next_reference

_TRIES = 5


def references_in_use() -> set[str]:
    """Every reference, and every one a question had before it moved to another topic: files, packs and old
    exports go on naming it by that one."""
    found = set(Question.objects.values_list("ref", flat=True))
    former = Question.objects.exclude(former_refs=[]).values_list("former_refs", flat=True)
    return found.union(*former)


def save_asked(question: Question, fields: Sequence[str], taken: set[str] | None) -> None:
    """Saves these columns of a locked question. With `taken`, the references in use, it is given the next one
    of its topic, which joins them; the one it was asked by stays known. SlugTaken.

    Others may be given the same reference or slug at this very moment; then it is tried again with what they
    have left."""
    old, former = question.ref, list(question.former_refs)
    for left in reversed(range(_TRIES)):
        if "slug" in fields and Question.objects.filter(slug=question.slug).exclude(pk=question.pk).exists():
            raise SlugTaken(question.slug)
        if taken is not None:
            question.ref = next_reference(str(question.topic_id), list(taken))
            question.former_refs = former if question.current_version_id is None else [*former, old]
        try:
            with transaction.atomic():
                question.save(update_fields=[*fields, "ref", "former_refs"])
        except IntegrityError:
            if not left:
                raise
            if taken is not None:
                taken |= references_in_use()
        else:
            if taken is not None:
                taken.add(question.ref)
            return

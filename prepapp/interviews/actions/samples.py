"""Marking a sample answer: all its points at once, after which the reference marks are shown."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction

from prepapp.accounts.models import User
from prepapp.bank.models import SampleAnswer
from prepapp.interviews.gradebook.held_back import closed_in_bank
from prepapp.interviews.gradebook.samples import sample_points
from prepapp.interviews.models import SampleGrading
from prepapp.interviews.refusals import GuestClaimed, HeldBack, SampleChanged


def grade_sample(
    *, user: User, sample: SampleAnswer, marks: Mapping[str, int], grade_key: UUID, now: datetime
) -> SampleGrading:
    """The grading of this press: a `MarkValue` for every point of the rubric, by its key. Pressed twice, it
    is the same grading and the first marks stand; another key makes another one.

    The person's row is locked, so that a claim takes the grading along or finds nobody to mark.
    HeldBack while the answer to the question is closed to the person; SampleChanged when the marks are not
    those of its rubric; GuestClaimed when the visitor has signed in meanwhile.
    """
    with transaction.atomic():
        if not list(User.objects.select_for_update(no_key=True).filter(pk=user.pk).values_list("pk")):
            raise GuestClaimed("You have signed in meanwhile. Load the page again to mark it there.")
        if closed_in_bank(user.pk, [sample.question_id], now):
            raise HeldBack
        if marks.keys() != {point.key for point in sample_points(sample.version_id)}:
            raise SampleChanged
        given = SampleGrading(user=user, sample=sample, grade_key=grade_key, marks=dict(marks), graded_at=now)
        SampleGrading.objects.bulk_create([given], ignore_conflicts=True)
        grading = SampleGrading.objects.get(user=user, grade_key=grade_key)
        if grading.sample_id != sample.pk:
            raise SampleChanged
    return grading

"""A file on its way into the bank: what was uploaded, what came of each item, and what undoes it."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from prepapp.accounts.models import User
from prepapp.bank.choices import ImportState, RowOutcome
from prepapp.bank.models.questions import Question
from prepapp.common.ids import uuid7

# States in which a worker is at it.
AT_WORK = (ImportState.WAITING, ImportState.READING, ImportState.WRITING)


class ImportRun(models.Model):
    """One upload, from preview to done. The file itself is kept in the database (`ImportFile`), so that any
    worker reaches it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="import_runs")
    file_name = models.CharField(max_length=255)
    file_size = models.PositiveIntegerField(help_text="bytes")
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=ImportState, default=ImportState.WAITING)
    detected = models.CharField(max_length=300, blank=True, help_text="format, encoding, delimiter in words")
    takes_good_ones = models.BooleanField(
        default=False, help_text="import the good items although others are faulty"
    )
    publishes = models.BooleanField(default=False, help_text="publish complete questions as the file says")
    problems = models.JSONField(default=list, help_text="why the file as a whole is refused")
    seen = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0, help_text="items prepared so far, for the progress bar")
    counts = models.JSONField(default=dict, help_text="items by outcome")
    created_at = models.DateTimeField()
    beat_at = models.DateTimeField(help_text="last sign of life of the worker")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            # The same upload twice at once: the second finds the first.
            models.UniqueConstraint(
                fields=["made_by", "sha256"],
                condition=Q(state__in=AT_WORK),
                name="importrun_once_at_a_time",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["-created_at"], name="importrun_newest")]

    def __str__(self) -> str:
        return f"{self.file_name} {self.state}"


class ImportFile(models.Model):
    """The bytes of an upload; removed when they are no longer needed."""

    run = models.OneToOneField(ImportRun, on_delete=models.CASCADE, primary_key=True, related_name="file")
    content = models.BinaryField()

    def __str__(self) -> str:
        return str(self.run_id)


class ImportRow(models.Model):
    """What came, or would come, of one item of the file."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField(help_text="order in the file, from 1")
    place = models.CharField(max_length=200, help_text="as a curator sees it: row 5, item 12, a file name")
    label = models.CharField(max_length=300, blank=True, help_text="slug or title, if it has one")
    outcome = models.CharField(max_length=10, choices=RowOutcome)
    status = models.CharField(max_length=10, blank=True, help_text="status the question gets")
    notices = models.JSONField(default=list, help_text="[field, message] pairs, faults first")
    question = models.ForeignKey(
        Question, on_delete=models.SET_NULL, null=True, blank=True, related_name="import_rows"
    )
    revision = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="revision of the draft the import wrote; undo looks whether it is the last",
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "position"], name="importrow_position_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=["run", "outcome", "position"], name="importrow_by_outcome")]

    def __str__(self) -> str:
        return f"{self.place} {self.outcome}"

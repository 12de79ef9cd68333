"""What curators work with: the one draft of a question, its earlier states, the log, and flags of candidates.
Nothing a candidate is asked: that is a version (`questions`)."""

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.db.models import Q

from prepapp.accounts.models import User
from prepapp.bank.choices import DraftState, Event, FlagOutcome, FlagPlace, FlagReason
from prepapp.bank.models.questions import Question, QuestionVersion


class Draft(models.Model):
    """The working draft of a question: at most one. `document` is the tree of a question file
    (`transfer.document`), which may lack anything; `revision` is what a save compares with."""

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="draft")
    document = models.JSONField(default=dict)
    revision = models.PositiveIntegerField()
    based_on = models.ForeignKey(
        QuestionVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=10, choices=DraftState, default=DraftState.WORKING)
    # Of the document, for lists: an unfinished one may have none of them.
    title = models.CharField(max_length=300, blank=True)
    level = models.CharField(max_length=20, blank=True)
    kind = models.CharField(max_length=20, blank=True)
    editors = models.ManyToManyField(
        User, blank=True, related_name="edited_drafts", help_text="who had a hand in it may not publish it"
    )
    review_note = models.TextField(blank=True, help_text="why it was returned")
    created_at = models.DateTimeField()
    edited_at = models.DateTimeField()
    edited_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    submitted_at = models.DateTimeField(null=True, blank=True)
    submitted_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state=DraftState.WORKING, submitted_at__isnull=True)
                | Q(state=DraftState.IN_REVIEW, submitted_at__isnull=False),
                name="draft_in_review_since",
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.question_id}, revision {self.revision}"


class DraftRevision(models.Model):
    """A state the draft of a question has had. Kept when the draft is published or discarded, so that what
    somebody wrote can always be found again."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="draft_revisions")
    revision = models.PositiveIntegerField()
    document = models.JSONField()
    saved_at = models.DateTimeField()
    saved_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["question", "revision"], name="draftrevision_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} revision {self.revision}"


class AppendOnly(models.QuerySet["CurationEvent"]):
    """Rows are added and read; nobody changes or removes one."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("The log is append-only; write a new line instead.")

    def delete(self) -> NoReturn:
        raise TypeError("The log is append-only; its lines stay.")


class CurationEvent(models.Model):
    """Who did what to the bank, when. It outlives what it is about, so it holds numbers and names."""

    at = models.DateTimeField()
    actor = models.ForeignKey(
        User, on_delete=models.DO_NOTHING, null=True, blank=True, db_constraint=False, related_name="+"
    )
    event = models.CharField(max_length=20, choices=Event)
    question_number = models.BigIntegerField(null=True, blank=True, help_text="primary key of the question")
    label = models.CharField(max_length=300, help_text="reference, slug or name of what it is about, then")
    note = models.TextField(blank=True)
    about = models.JSONField(default=dict, blank=True)

    objects = AppendOnly.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["question_number", "at"], name="curationevent_question_at"),
            models.Index(fields=["at"], name="curationevent_at"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.event} {self.label}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The log is append-only; write a new line instead.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("The log is append-only; its lines stay.")


class Flag(models.Model):
    """Somebody says that a question is not as it should be; open until a curator has answered."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="flags")
    version = models.ForeignKey(QuestionVersion, on_delete=models.PROTECT, related_name="flags")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="flags")
    place = models.CharField(max_length=10, choices=FlagPlace)
    reason = models.CharField(max_length=10, choices=FlagReason)
    text = models.TextField(blank=True)
    raised_at = models.DateTimeField()
    outcome = models.CharField(max_length=10, choices=FlagOutcome, blank=True)
    answer = models.TextField(blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when the person saw the answer")

    class Meta:
        permissions: ClassVar = [("settle_flag", "May answer flags")]
        constraints: ClassVar = [
            # A second press, or a second thought, adds to the open flag instead of making another.
            models.UniqueConstraint(
                fields=["question", "user", "reason"],
                condition=Q(settled_at__isnull=True),
                name="flag_open_once",
            ),
            models.CheckConstraint(
                condition=Q(settled_at__isnull=True, outcome="")
                | (Q(settled_at__isnull=False) & ~Q(outcome="")),
                name="flag_settled_with_outcome",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["settled_at", "raised_at"], name="flag_queue")]

    def __str__(self) -> str:
        return f"{self.reason} on {self.question_id}"

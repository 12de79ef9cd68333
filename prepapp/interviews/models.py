"""One sitting: blueprint, attempt, responses, gradings and marks. `user` stands on each row of a
person's work, so that the work can be found, counted and moved without a join."""

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from prepapp.bank.choices import Level
from prepapp.bank.models import FollowUp, Pack, QuestionVersion, RubricPoint, SampleAnswer, Track
from prepapp.common.ids import uuid7
from prepapp.interviews import scoring
from prepapp.interviews.choices import Band, Ending, MarkValue, Mode, State

if TYPE_CHECKING:
    from prepapp.accounts.models import User


class Blueprint(models.Model):
    """The recipe of an interview; `recipes.read_recipe` says what `recipe` holds."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=100)
    summary = models.CharField(max_length=300)
    minutes = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()
    recipe = models.JSONField()
    content_hash = models.CharField(max_length=64)
    is_active = models.BooleanField(default=True)
    is_edited = models.BooleanField(
        default=False, help_text="changed in the app: the file that comes with the program leaves it alone"
    )

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(minutes__gt=0), name="blueprint_minutes_positive")
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title_within(self) -> str:
        """The title within a sentence: full loop, but GPU lab."""
        return self.title if self.title[1:2].isupper() else f"{self.title[:1].lower()}{self.title[1:]}"


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def for_user(self, user: "User") -> "AttemptQuerySet":
        return self.filter(user=user)

    def running(self) -> "AttemptQuerySet":
        return self.filter(state=State.RUNNING)

    def overdue(self, cutoff: datetime) -> "AttemptQuerySet":
        """Running attempts whose deadline is before `cutoff` (now minus the grace)."""
        return self.running().filter(deadline_at__lt=cutoff)


class Attempt(models.Model):
    """One sitting of an interview by one user. Everything that a later edit of the blueprint or of the
    person's preferences could change is copied here at the start."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attempts", db_index=False
    )
    track = models.ForeignKey(Track, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    blueprint = models.ForeignKey(
        Blueprint, on_delete=models.SET_NULL, null=True, blank=True, related_name="attempts"
    )
    pack = models.ForeignKey(
        Pack,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text="what its questions were drawn from, if not from tracks",
    )
    title = models.CharField(max_length=120)
    mode = models.CharField(max_length=10, choices=Mode)
    level = models.CharField(max_length=20, choices=Level)
    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    start_key = models.UUIDField(help_text="made with the start form: a repeated start finds this attempt")
    slot = models.CharField(max_length=120, help_text="mode, blueprint and track: one of each runs at a time")
    seed = models.BigIntegerField()
    minutes = models.PositiveSmallIntegerField()
    time_allowance = models.CharField(max_length=10)
    started_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True, blank=True, help_text="empty: no clock")
    finished_at = models.DateTimeField(null=True, blank=True)
    ending = models.CharField(max_length=10, choices=Ending, blank=True)
    graded_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(
        max_length=600, blank=True, help_text="how its questions were chosen, as it was said at the start"
    )
    score = models.DecimalField(
        max_digits=8, decimal_places=6, null=True, blank=True, help_text="newest closed grading, 0 to 10"
    )

    objects = AttemptQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "start_key"], name="attempt_start_key_unique"),
            models.UniqueConstraint(
                fields=["user", "slot"], condition=Q(state="running"), name="attempt_one_running"
            ),
            models.CheckConstraint(
                condition=Q(deadline_at__isnull=True) | Q(deadline_at__gt=F("started_at")),
                name="attempt_deadline_after_start",
            ),
            models.CheckConstraint(
                condition=Q(state="running", finished_at__isnull=True)
                | (~Q(state="running") & Q(finished_at__isnull=False)),
                name="attempt_finished_at_with_state",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=10), name="attempt_score_range"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-started_at", "-id"], name="attempt_history"),
            models.Index(
                fields=["deadline_at"], condition=Q(state="running"), name="attempt_running_deadline"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.id}"

    @property
    def is_running(self) -> bool:
        return self.state == State.RUNNING

    @property
    def is_mock(self) -> bool:
        return self.mode == Mode.MOCK

    @property
    def score_text(self) -> str:
        return "" if self.score is None else scoring.score_text(self.score)


class Response(models.Model):
    """What the user answered to one question, or to one follow-up of it, in an attempt.

    The single-column indexes are off: each would repeat the start of an index below, and this is the
    table that grows.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="responses", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    position = models.PositiveSmallIntegerField(help_text="1 is the first")
    version = models.ForeignKey(
        QuestionVersion, on_delete=models.PROTECT, related_name="responses", db_index=False
    )
    follow_up = models.ForeignKey(
        FollowUp, on_delete=models.PROTECT, null=True, blank=True, related_name="responses", db_index=False
    )
    parent_position = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="position of the main response this comes after; empty: stands alone"
    )
    minutes = models.PositiveSmallIntegerField(help_text="planned minutes, and the weight in the score")
    setting = models.TextField(blank=True, help_text="the note of the pack that was shown with the question")
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(null=True, blank=True)
    seconds_spent = models.PositiveIntegerField(default=0, help_text="as the browser counted; never judged")
    is_flagged = models.BooleanField(default=False)
    is_skipped = models.BooleanField(default=False)
    asked_at = models.DateTimeField(null=True, blank=True, help_text="empty: not put to the candidate yet")
    hints_shown = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["attempt", "position"], name="response_position_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "version"], name="response_user_version")]

    def __str__(self) -> str:
        return f"{self.attempt_id} {self.position}"

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()


class LateText(models.Model):
    """Text that arrived after the deadline: kept, shown as late, not graded."""

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="late_texts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    received_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["received_at", "id"]

    def __str__(self) -> str:
        return f"{self.response_id} {self.received_at}"


class Grading(models.Model):
    """One dated pass over the answers of an attempt. Appended, never overwritten: a re-grade is a new row."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="gradings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    score = models.DecimalField(max_digits=8, decimal_places=6, null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["attempt", "number"], name="grading_number_unique"),
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(closed_at__isnull=True), name="grading_one_open"
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=10), name="grading_score_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attempt_id} grading {self.number}"


class ResponseGrade(models.Model):
    """One response within one grading: the confidence before, when the answer was revealed, the lesson."""

    grading = models.ForeignKey(Grading, on_delete=models.CASCADE, related_name="response_grades")
    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="grades")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    confidence = models.CharField(max_length=20, choices=Band, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True, help_text="when the model answer was shown")
    fix_next = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["grading", "response"], name="responsegrade_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.grading_id} {self.response_id}"


class Mark(models.Model):
    """The self-grade of one rubric point. `first_value` is the mark as given before the model answer was
    shown; `value` is the mark that counts."""

    response_grade = models.ForeignKey(ResponseGrade, on_delete=models.CASCADE, related_name="marks")
    point = models.ForeignKey(RubricPoint, on_delete=models.PROTECT, related_name="marks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    value = models.PositiveSmallIntegerField(choices=MarkValue)
    first_value = models.PositiveSmallIntegerField(choices=MarkValue)
    quote = models.TextField(blank=True, help_text="the words of the answer that earn the mark")
    marked_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["response_grade", "point"], name="mark_point_unique"),
            models.CheckConstraint(
                condition=Q(value__in=[0, 1, 2], first_value__in=[0, 1, 2]), name="mark_value_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.response_grade_id} {self.point_id} {self.value}"


class SampleGrading(models.Model):
    """A sample answer as somebody marked it, all its points at once. The reference marks are shown after it,
    so only a person's first grading of a sample says how they mark."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    sample = models.ForeignKey(SampleAnswer, on_delete=models.PROTECT, related_name="gradings")
    grade_key = models.UUIDField(help_text="made with the form: a repeated press finds this grading")
    marks = models.JSONField(help_text="a MarkValue by the key of each rubric point")
    graded_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "grade_key"], name="samplegrading_key_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "sample"], name="samplegrading_user_sample")]

    def __str__(self) -> str:
        return f"{self.sample_id} {self.graded_at}"

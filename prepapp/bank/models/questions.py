"""What can be asked. A question is an identity; its text lives in immutable versions. Nothing here
knows who answers: that is `interviews`."""

from datetime import date
from typing import ClassVar

from django.db import models
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, Value, When

from prepapp.accounts.models import User
from prepapp.bank.choices import Change, Kind, Level, Status, VersionSource
from prepapp.bank.models.packs import Pack


class Track(models.Model):
    """A role being prepared for."""

    code = models.CharField(max_length=20, primary_key=True)
    title = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField()
    is_edited = models.BooleanField(
        default=False, help_text="changed in the app: the list that comes with the program leaves it alone"
    )

    class Meta:
        ordering: ClassVar = ["position"]

    def __str__(self) -> str:
        return self.title


class Topic(models.Model):
    """A body of knowledge. `code` is `<home track>.<name>`; other tracks may share it."""

    code = models.CharField(max_length=40, primary_key=True)
    title = models.CharField(max_length=100)
    span = models.CharField(max_length=300, help_text="What belongs to the topic, in a line.")
    position = models.PositiveSmallIntegerField()
    is_edited = models.BooleanField(
        default=False, help_text="changed in the app: the list that comes with the program leaves it alone"
    )
    tracks: "models.ManyToManyField[Track, TrackTopic]" = models.ManyToManyField(
        Track, through="TrackTopic", related_name="topics"
    )

    class Meta:
        ordering: ClassVar = ["position"]

    def __str__(self) -> str:
        return self.title


class TrackTopic(models.Model):
    """The weight of a topic within a track."""

    track = models.ForeignKey(Track, on_delete=models.CASCADE)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE)
    weight = models.DecimalField(max_digits=4, decimal_places=2, default=1)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["track", "topic"], name="tracktopic_unique"),
            models.CheckConstraint(condition=Q(weight__gt=0), name="tracktopic_weight_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.track_id} {self.topic_id} {self.weight}"


class Tag(models.Model):
    name = models.CharField(max_length=60, unique=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


# The reference is unique, so the order is total and pages neither repeat nor miss a row.
QUESTION_ORDER = ("topic__position", "level_rank", "ref")


class QuestionQuerySet(models.QuerySet["Question"]):
    def published(self) -> "QuestionQuerySet":
        return self.filter(status=Status.PUBLISHED, current_version__isnull=False)

    def due_for_check(self, day: date) -> "QuestionQuerySet":
        """Published questions whose facts are to be checked again by that day, the longest due first."""
        due = self.published().filter(current_version__recheck_date__lte=day)
        return due.order_by("current_version__recheck_date", "ref")

    def in_track(self, code: str) -> "QuestionQuerySet":
        return self.filter(topic__tracktopic__track_id=code)

    def search(self, text: str) -> "QuestionQuerySet":
        """Each word in the title, the prompt, the topic or a tag. Nothing else is looked at: a match on a
        model answer or a rubric would tell what is in it."""
        found = self
        for word in text.split():
            tagged = Question.tags.through._default_manager.filter(
                question=OuterRef("pk"), tag__name__icontains=word
            )
            found = found.filter(
                Q(current_version__title__icontains=word)
                | Q(current_version__prompt__icontains=word)
                | Q(topic__title__icontains=word)
                | Q(Exists(tagged))
            )
        return found

    def with_current(self) -> "QuestionQuerySet":
        return self.select_related("current_version", "topic")

    def with_prompt(self) -> "QuestionQuerySet":
        """What may be shown before an answer: the texts an answer is measured by are not loaded."""
        hidden = ("model_answer", "deeper", "pitfalls", "code", "references", "difficulty", "weights_note")
        return self.with_current().defer(*(f"current_version__{name}" for name in hidden))

    def as_rows(self) -> "QuestionQuerySet":
        """Title, topic, level, kind and minutes, in reading order: by topic, the easier first. The order
        is `QUESTION_ORDER`."""
        rank = Case(
            *(When(current_version__level=level, then=Value(n)) for n, level in enumerate(Level.values)),
            default=Value(len(Level.values)),
            output_field=IntegerField(),
        )
        shown = ("title", "level", "kind", "minutes")
        return (
            self.annotate(level_rank=rank)
            .select_related("topic", "current_version")
            .only(
                "ref",
                "slug",
                "topic__title",
                "topic__position",
                *(f"current_version__{name}" for name in shown),
            )
            .order_by(*QUESTION_ORDER)
        )


class Question(models.Model):
    """One interview question with a stable slug and, once it has a topic, a stable reference.

    Until it is first published its text is only a draft; an imported one may not know its topic yet."""

    ref = models.CharField(max_length=60, unique=True, help_text="topic code and number, never reused")
    slug = models.SlugField(max_length=120, unique=True)
    topic = models.ForeignKey(
        Topic, on_delete=models.PROTECT, null=True, blank=True, related_name="questions"
    )
    owner = models.ForeignKey(
        User,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="owned_questions",
        help_text="who looks after it: asked when it is flagged or due for a check",
    )
    status = models.CharField(max_length=20, choices=Status, default=Status.DRAFT)
    current_version = models.OneToOneField(
        "QuestionVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="current_of"
    )
    tags = models.ManyToManyField(Tag, blank=True, related_name="questions")
    packs = models.ManyToManyField(Pack, blank=True, related_name="questions")
    covers = models.JSONField(default=list, blank=True, help_text="checklist ids the question tests")
    former_refs = models.JSONField(
        default=list, blank=True, help_text="references it had before it moved to another topic"
    )
    created_at = models.DateTimeField()

    objects = QuestionQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["status", "topic"], name="question_status_topic")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=[Status.DRAFT, Status.IN_REVIEW]) | Q(topic__isnull=False),
                name="question_asked_with_topic",
            ),
        ]
        permissions: ClassVar = [
            ("curate_question", "May write drafts and hand them in"),
            ("publish_question", "May publish what others wrote, and retire questions"),
            ("import_questions", "May import files"),
        ]

    def __str__(self) -> str:
        return self.ref

    @property
    def asked_topic(self) -> Topic:
        """The topic of a question that has been asked, which always has one. Read it with the question."""
        assert self.topic is not None
        return self.topic

    @property
    def asked_topic_id(self) -> str:
        """Its code."""
        assert self.topic_id is not None
        return self.topic_id


class QuestionVersion(models.Model):
    """The text that was asked. Never changes once an attempt has used it; an edit makes a new version.

    Text fields hold Markdown source; `rendered` holds their sanitised HTML by field name.
    """

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    source = models.CharField(max_length=10, choices=VersionSource)
    content_hash = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    level = models.CharField(max_length=20, choices=Level)
    kind = models.CharField(max_length=20, choices=Kind)
    minutes = models.PositiveSmallIntegerField(help_text="expected minutes of the main answer")
    prompt = models.TextField()
    context = models.TextField(blank=True)
    data = models.TextField(blank=True, help_text="tables or a profile excerpt shown with the prompt")
    model_answer = models.TextField()
    deeper = models.TextField(blank=True)
    pitfalls = models.JSONField(default=list)
    code = models.JSONField(null=True, blank=True, help_text="language, timeout_s, solution, check, wrong")
    references = models.JSONField(default=list)
    difficulty = models.JSONField(default=dict)
    weights_note = models.TextField(blank=True)
    reviewed_date = models.DateField()
    recheck_months = models.PositiveSmallIntegerField()
    recheck_date = models.DateField(help_text="when the facts are due to be checked again")
    rendered = models.JSONField(default=dict)
    rendered_by = models.PositiveSmallIntegerField(default=0, help_text="version of the Markdown pipeline")
    change = models.CharField(max_length=10, choices=Change, default=Change.MAJOR)
    meaning = models.PositiveIntegerField(
        help_text="number of the version that gave the question the meaning it has here"
    )
    change_note = models.CharField(max_length=500, blank=True, help_text="what changed, for readers")
    published_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="published_versions"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["question", "number"], name="questionversion_number_unique"),
            models.CheckConstraint(condition=Q(minutes__gt=0), name="questionversion_minutes_positive"),
            models.CheckConstraint(
                condition=(Q(change=Change.MAJOR) & Q(meaning=models.F("number")))
                | (Q(change=Change.MINOR) & Q(meaning__lt=models.F("number"))),
                name="questionversion_meaning_of_change",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["level", "kind"], name="questionversion_level_kind"),
            models.Index(fields=["recheck_date"], name="questionversion_recheck"),
        ]

    def __str__(self) -> str:
        return f"{self.title} (version {self.number})"


class FollowUp(models.Model):
    """The question an interviewer asks next; belongs to one version."""

    version = models.ForeignKey(QuestionVersion, on_delete=models.PROTECT, related_name="follow_ups")
    key = models.CharField(max_length=20)
    position = models.PositiveSmallIntegerField()
    minutes = models.PositiveSmallIntegerField()
    prompt = models.TextField()
    answer = models.TextField()
    rendered = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "key"], name="followup_key_unique"),
            models.CheckConstraint(condition=Q(minutes__gt=0), name="followup_minutes_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} {self.key}"


class RubricPoint(models.Model):
    """One observable criterion of an answer: of the main answer, or of one follow-up."""

    version = models.ForeignKey(QuestionVersion, on_delete=models.PROTECT, related_name="rubric_points")
    follow_up = models.ForeignKey(
        FollowUp, on_delete=models.PROTECT, null=True, blank=True, related_name="rubric_points"
    )
    key = models.CharField(max_length=20)
    position = models.PositiveSmallIntegerField()
    weight = models.PositiveSmallIntegerField()
    is_must = models.BooleanField(default=False)
    criterion = models.CharField(max_length=400)
    met = models.CharField(max_length=400)
    partial = models.CharField(max_length=400)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "key"], name="rubricpoint_key_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} {self.key}"

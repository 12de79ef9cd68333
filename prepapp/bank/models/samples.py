"""Sample answers with the marks a grader should give: a learner marks one, then sees how the marks compare.
Nothing here knows who marks: that is `interviews`."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from prepapp.bank.choices import MarkValue, SampleLevel, Status
from prepapp.bank.models.questions import Question, QuestionVersion, RubricPoint

POSITIONS = (1, 2, 3)


class SampleAnswerQuerySet(models.QuerySet["SampleAnswer"]):
    def offered(self) -> "SampleAnswerQuerySet":
        """Current ones of published questions that still mean what they did when the answers were marked."""
        return self.filter(
            is_current=True,
            question__status=Status.PUBLISHED,
            question__current_version__meaning=F("version__meaning"),
        )

    def in_track(self, code: str) -> "SampleAnswerQuerySet":
        """Those whose topic has its home there: unlike a question, a sample counts in one track only."""
        return self.filter(question__topic__code__startswith=f"{code}.")


class SampleAnswer(models.Model):
    """One answer to the main part of a question, as a candidate might type it: plain text. Its content never
    changes; a changed file makes new rows, so that gradings keep what was marked.

    `version` is the text the answer was marked for. The place among the three answers of a question follows
    from their content, so that neither it nor the address tells the level.
    """

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="samples")
    version = models.ForeignKey(QuestionVersion, on_delete=models.PROTECT, related_name="samples")
    level = models.CharField(max_length=10, choices=SampleLevel)
    position = models.PositiveSmallIntegerField(help_text="1 to 3, in an order that tells nothing")
    answer = models.TextField()
    content_hash = models.CharField(max_length=64)
    is_current = models.BooleanField(default=True, help_text="false: its file has changed or gone since")
    created_at = models.DateTimeField()

    objects = SampleAnswerQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["question", "position"],
                condition=Q(is_current=True),
                name="sampleanswer_position_unique",
            ),
            models.CheckConstraint(condition=Q(position__in=POSITIONS), name="sampleanswer_position_range"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} sample {self.position}"

    @property
    def track_code(self) -> str:
        """The home track of its topic. Read it with the question."""
        return self.question.asked_topic_id.partition(".")[0]


class SampleMark(models.Model):
    """What a sample answer earns on one rubric point of its version, the words that earn it, and why."""

    sample = models.ForeignKey(SampleAnswer, on_delete=models.CASCADE, related_name="marks")
    point = models.ForeignKey(RubricPoint, on_delete=models.PROTECT, related_name="sample_marks")
    value = models.PositiveSmallIntegerField(choices=MarkValue)
    quote = models.TextField(blank=True)
    why = models.TextField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["sample", "point"], name="samplemark_point_unique"),
            models.CheckConstraint(condition=Q(value__in=MarkValue.values), name="samplemark_value_range"),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id} {self.point_id} {self.value}"

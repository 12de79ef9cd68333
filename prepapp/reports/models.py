"""What interviews add up to: the evidence per topic and week, the rate of a track, one report a week, and
what all answers say about each question."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from prepapp.bank.models import Question, Topic, Track
from prepapp.common.ids import uuid7
from prepapp.reports.choices import MailState


class TopicWeek(models.Model):
    """The evidence one person's graded mock answers gave about one topic in one ISO week (of UTC).

    `trials` and `successes` are weighted forward: an answer counts `2^(days since mastery.EPOCH / half
    life)` instead of losing weight with age, so that rows of any weeks can be added up in one sum and
    brought to any day by one factor. See `mastery`.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="+", db_index=False)
    week_start = models.DateField(help_text="the Monday")
    answers = models.PositiveIntegerField()
    trials = models.FloatField()
    successes = models.FloatField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "topic", "week_start"], name="topicweek_unique"),
            models.CheckConstraint(
                condition=Q(answers__gt=0, trials__gt=0, successes__gte=0, successes__lte=models.F("trials")),
                name="topicweek_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.topic_id} {self.week_start}"


class TrackRate(models.Model):
    """How much of the rubric everybody preparing in a track meets: what an unknown person is taken for.
    `trials` and `successes` are weighted to `reckoned_at`."""

    track = models.OneToOneField(Track, on_delete=models.CASCADE, primary_key=True, related_name="+")
    trials = models.FloatField()
    successes = models.FloatField()
    reckoned_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.track_id} {self.successes:.1f} of {self.trials:.1f}"


class WeeklyReportQuerySet(models.QuerySet["WeeklyReport"]):
    def readable(self) -> "WeeklyReportQuerySet":
        return self.filter(figures__isnull=False)


class WeeklyReport(models.Model):
    """One person's ISO week in their own zone: the figures as they stood when it was made, and the way of
    its mail. The row is the ledger: there is one per person and week, whoever asks for it how often."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    year = models.PositiveSmallIntegerField(help_text="of the ISO week")
    week = models.PositiveSmallIntegerField()
    made_at = models.DateTimeField()
    figures = models.JSONField(null=True, help_text="see `figures.Figures`; empty: could not be made")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when its person first opened it")
    mail_state = models.CharField(max_length=12, choices=MailState)
    mail_state_at = models.DateTimeField()
    mail_tries = models.PositiveSmallIntegerField(default=0)
    mail_due_at = models.DateTimeField(null=True, blank=True, help_text="a planned mail waits until then")
    mail_queued_at = models.DateTimeField(
        null=True, blank=True, help_text="when a task was last sent for it; one that is lost is sent again"
    )
    error = models.CharField(max_length=300, blank=True)
    copy_wanted_at = models.DateTimeField(
        null=True, blank=True, help_text="'send it to me again' was pressed"
    )
    copy_sent_at = models.DateTimeField(null=True, blank=True, help_text="when a copy was last sent")

    objects = WeeklyReportQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-year", "-week"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "year", "week"], name="weeklyreport_once"),
            models.CheckConstraint(condition=Q(week__gte=1, week__lte=53), name="weeklyreport_week_range"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["mail_state_at"],
                condition=Q(mail_state__in=["planned", "sending"]),
                name="weeklyreport_to_send",
            ),
            models.Index(
                fields=["copy_wanted_at"],
                condition=Q(copy_wanted_at__isnull=False),
                name="weeklyreport_copies",
            ),
            models.Index(fields=["year", "week", "mail_state"], name="weeklyreport_runs"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.year}-W{self.week:02d}"


class ItemStatistic(models.Model):
    """What first answers say about one item: a part of a question in one meaning. The columns beside `sums`
    are worked out of it, for lists to be ordered by, and empty where there is nothing to say yet. See
    `item_statistics`."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="+", db_index=False)
    meaning = models.PositiveIntegerField(help_text="number of the version that gave the meaning")
    part = models.CharField(max_length=20, blank=True, help_text="key of the follow-up; empty: main answer")
    answers = models.PositiveIntegerField(help_text="learners whose first answer counts")
    trials = models.BigIntegerField()
    successes = models.BigIntegerField()
    sums = models.JSONField(help_text="see `item_statistics.Totals`")
    score = models.FloatField(null=True)
    skipped = models.FloatField(null=True)
    pace = models.FloatField(null=True, help_text="median of time spent by time expected")
    pace_off = models.FloatField(null=True, help_text="octaves between the two, either way")
    discrimination = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["question", "meaning", "part"], name="itemstatistic_unique"),
            models.CheckConstraint(condition=Q(answers__gt=0), name="itemstatistic_answered"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} meaning {self.meaning} {self.part}"


class PointStatistic(models.Model):
    """The same for one rubric point of an item, by its key."""

    item = models.ForeignKey(ItemStatistic, on_delete=models.CASCADE, related_name="points", db_index=False)
    key = models.CharField(max_length=20)
    answers = models.PositiveIntegerField()
    sums = models.JSONField()
    met = models.FloatField(null=True)
    discrimination = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "key"], name="pointstatistic_unique"),
            models.CheckConstraint(condition=Q(answers__gt=0), name="pointstatistic_answered"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.key}"


class CountedAnswers(models.Model):
    """What one learner's first answers have put into the sums of items, so that it can be taken out again.
    Without its person, who is gone, it waits for the next run to do so."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    answers = models.JSONField(help_text="see `item_statistics.to_json`")

    def __str__(self) -> str:
        return f"{self.user_id}"


class ChangedLearner(models.Model):
    """Graded work of a person came, went or changed hands since their answers were counted. One row for each
    time, since a row that two may write would make somebody who closes a grading wait for a run."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.user_id}"


class StatisticsRun(models.Model):
    """One row: when the item statistics were last brought up to date, and with which mean. Whoever counts
    answers holds it, so that only one does."""

    mean = models.PositiveSmallIntegerField(help_text="rate of everybody, in percent")
    begun_at = models.DateTimeField(null=True, help_text="when all answers were last counted anew")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(pk=1), name="statisticsrun_one"),
            models.CheckConstraint(condition=Q(mean__lte=100), name="statisticsrun_mean_range"),
        ]

    def __str__(self) -> str:
        return f"{self.ended_at}"

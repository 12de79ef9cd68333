"""Fixed choices of reports."""

from django.db import models


class Standing(models.TextChoices):
    """How sure an estimate is about the bar. Not measured means no graded answer, never weak."""

    WEAK = "weak", "Weak"
    UNSURE = "unsure", "Not enough yet"
    STRONG = "strong", "Strong"
    NOT_MEASURED = "not_measured", "Not measured"


class StatisticsList(models.TextChoices):
    """The lists of items and points whose numbers ask for a look."""

    EASY = "easy", "Points nearly everybody meets"
    HARD = "hard", "Points hardly anybody meets"
    LOOSE_POINTS = "loose-points", "Points apart from the rest"
    LOOSE = "loose", "Questions apart from the rest"
    SKIPPED = "skipped", "Left empty most"
    PACE = "pace", "Time far off"
    FLAGGED = "flagged", "Flagged most"


class NextStep(models.TextChoices):
    """What a candidate had best do now."""

    RUNNING = "running", "Go on answering"
    GRADING = "grading", "Go on grading"
    REPORT = "report", "Read the new report"
    WEAK = "weak", "Drill the weakest area"
    FIRST = "first", "Sit a first interview"
    UNMEASURED = "unmeasured", "Try the heaviest topic nothing is known of"
    MOCK = "mock", "Sit a mock"


class MailState(models.TextChoices):
    """The way of one report's mail. `sending` is committed before the mail server is spoken to; what was
    in that state when a worker died is `unknown` and never sent again by itself."""

    NOT_WANTED = "not_wanted", "Not wanted"
    PLANNED = "planned", "Planned"
    SENDING = "sending", "Sending"
    SENT = "sent", "Sent"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Unknown"

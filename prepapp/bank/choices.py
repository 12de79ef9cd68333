"""The fixed lists of the question bank: kinds, statuses, where a version came from, what curators do."""

from django.db import models

from prepapp.accounts.choices import Level

__all__ = [
    "Change",
    "DraftState",
    "Event",
    "FlagOutcome",
    "FlagPlace",
    "FlagReason",
    "ImportState",
    "Kind",
    "Level",
    "MarkValue",
    "RowOutcome",
    "SampleLevel",
    "Status",
    "VersionSource",
]


class Kind(models.TextChoices):
    CONCEPT = "concept", "Concept"
    ESTIMATION = "estimation", "Estimation"
    DEBUGGING = "debugging", "Debugging"
    DESIGN = "design", "Design"
    CODING = "coding", "Coding"
    SQL = "sql", "SQL"
    BEHAVIOURAL = "behavioural", "Behavioural"


class MarkValue(models.IntegerChoices):
    """A mark in halves of a point's weight."""

    MISSED = 0, "Missed"
    PARTLY = 1, "Partly"
    MET = 2, "Met"


class SampleLevel(models.TextChoices):
    """How good a sample answer is, in the order a file lists them. Not told before it is marked."""

    STRONG = "strong", "Strong"
    MIDDLING = "middling", "Middling"
    WEAK = "weak", "Weak"


class Status(models.TextChoices):
    DRAFT = "draft", "Draft"
    IN_REVIEW = "in_review", "In review"
    PUBLISHED = "published", "Published"
    RETIRED = "retired", "Retired"


class VersionSource(models.TextChoices):
    FILE = "file", "Shipped file"
    APP = "app", "Edited in the app"


class Change(models.TextChoices):
    """What a new version does to its question. The first version is a major one."""

    MINOR = "minor", "Same meaning, better words"
    MAJOR = "major", "The meaning changed"


class DraftState(models.TextChoices):
    WORKING = "working", "Being written"
    IN_REVIEW = "in_review", "In review"


class Event(models.TextChoices):
    """What somebody did to the bank."""

    CREATED = "created", "Created"
    EDITED = "edited", "Edited"
    SUBMITTED = "submitted", "Handed in for review"
    WITHDRAWN = "withdrawn", "Taken back from review"
    RETURNED = "returned", "Returned with a note"
    DISCARDED = "discarded", "Draft discarded"
    PUBLISHED = "published", "Published"
    RETIRED = "retired", "Retired"
    RESTORED = "restored", "Taken up again"
    CHECKED = "checked", "Facts checked again"
    MOVED = "moved", "Moved to another topic"
    TAGGED = "tagged", "Tagged"
    OWNED = "owned", "Given to an owner"
    IMPORTED = "imported", "Imported"
    IMPORT_UNDONE = "import_undone", "Import undone"
    FLAG_SETTLED = "flag_settled", "Flag settled"
    LISTED = "listed", "Track, topic, weight or pack changed"


class FlagReason(models.TextChoices):
    WRONG = "wrong", "Something is wrong"
    UNCLEAR = "unclear", "It is unclear"
    OUTDATED = "outdated", "It is out of date"
    DUPLICATE = "duplicate", "It asks the same as another question"
    OTHER = "other", "Something else"


class FlagPlace(models.TextChoices):
    """Where somebody was when they raised it."""

    GRADING = "grading", "While grading"
    RESULT = "result", "On a result"
    BROWSER = "browser", "In the questions"


class FlagOutcome(models.TextChoices):
    MENDED = "mended", "Mended"
    KEPT = "kept", "Kept as it is"
    RETIRED = "retired", "Retired"


class ImportState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    READING = "reading", "Reading"
    PREVIEWED = "previewed", "To be confirmed"
    WRITING = "writing", "Writing"
    DONE = "done", "Done"
    REFUSED = "refused", "Refused"
    UNDONE = "undone", "Undone"


class RowOutcome(models.TextChoices):
    """What comes of one item of a file. The sum of all five is the number of items seen."""

    CREATED = "created", "Created"
    UPDATED = "updated", "Updated"
    UNCHANGED = "unchanged", "Unchanged"
    SKIPPED = "skipped", "Skipped"
    FAILED = "failed", "Failed"

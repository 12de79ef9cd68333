"""The fixed lists of the question bank: kinds, statuses, where a version came from."""

from django.db import models

from prepapp.accounts.choices import Level

__all__ = ["Kind", "Level", "Status", "VersionSource"]


class Kind(models.TextChoices):
    CONCEPT = "concept", "Concept"
    ESTIMATION = "estimation", "Estimation"
    DEBUGGING = "debugging", "Debugging"
    DESIGN = "design", "Design"
    CODING = "coding", "Coding"
    SQL = "sql", "SQL"
    BEHAVIOURAL = "behavioural", "Behavioural"


class Status(models.TextChoices):
    DRAFT = "draft", "Draft"
    IN_REVIEW = "in_review", "In review"
    PUBLISHED = "published", "Published"
    RETIRED = "retired", "Retired"


class VersionSource(models.TextChoices):
    FILE = "file", "Shipped file"
    APP = "app", "Edited in the app"

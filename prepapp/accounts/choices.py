"""The fixed answers a person can choose between. Levels stand here because both the person and the
bank have one, and the bank may import accounts but not the other way round."""

from django.db import models


class Level(models.TextChoices):
    FOUNDATION = "foundation", "Foundation"
    INTERMEDIATE = "intermediate", "Intermediate"
    ADVANCED = "advanced", "Advanced"
    SENIOR = "senior", "Senior"


class Role(models.TextChoices):
    """What somebody may do beyond practising; each may do what those before it may."""

    NONE = "", "None"
    CURATOR = "curator", "Curator"
    REVIEWER = "reviewer", "Reviewer"
    ADMIN = "admin", "Admin"


class Theme(models.TextChoices):
    SYSTEM = "system", "Like my device"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class TimeAllowance(models.TextChoices):
    """The factor on an interview's minutes; `untimed` removes the clock."""

    NORMAL = "1.00", "Standard time"
    QUARTER = "1.25", "25 % more time"
    HALF = "1.50", "50 % more time"
    DOUBLE = "2.00", "Double time"
    UNTIMED = "untimed", "No time limit"

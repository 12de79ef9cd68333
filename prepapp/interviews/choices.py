"""The fixed lists of an interview: modes, states, how it ended, marks, confidence."""

from django.db import models

from prepapp.bank.choices import MarkValue

__all__ = ["Band", "Ending", "MarkValue", "Mode", "State"]


class Mode(models.TextChoices):
    MOCK = "mock", "Mock"
    PRACTICE = "practice", "Practice"


class State(models.TextChoices):
    RUNNING = "running", "Running"
    GRADING = "grading", "To be graded"
    GRADED = "graded", "Graded"
    ABANDONED = "abandoned", "Abandoned"


class Ending(models.TextChoices):
    FINISHED = "finished", "Finished by you"
    DEADLINE = "deadline", "Time was up"
    ABANDONED = "abandoned", "Abandoned"


class Band(models.TextChoices):
    """The hiring scale, lowest first. Also the answers to 'how well did I do?'."""

    NOT_YET = "not_yet", "Not yet"
    BORDERLINE = "borderline", "Borderline"
    HIRE = "hire", "Hire"
    STRONG = "strong", "Strong hire"

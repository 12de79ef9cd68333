"""The fixed lists of an interview: modes, states, how it ended, marks, confidence."""

from django.db import models


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


class MarkValue(models.IntegerChoices):
    """A mark in halves of a point's weight."""

    MISSED = 0, "Missed"
    PARTLY = 1, "Partly"
    MET = 2, "Met"


class Band(models.TextChoices):
    """The hiring scale, lowest first. Also the answers to 'how well did I do?'."""

    NOT_YET = "not_yet", "Not yet"
    BORDERLINE = "borderline", "Borderline"
    HIRE = "hire", "Hire"
    STRONG = "strong", "Strong hire"

"""The one clock. Edges (views, tasks, commands) read it once and pass `now` down; nothing else reads it."""

from datetime import datetime

from django.utils import timezone


def read_clock() -> datetime:
    """Now, in UTC, aware."""
    return timezone.now()

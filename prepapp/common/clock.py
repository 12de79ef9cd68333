"""The one clock. Edges (views, tasks, commands) read it once and pass `now` down; nothing else reads it."""

import time
from datetime import datetime

from django.utils import timezone


def read_clock() -> datetime:
    """Now, in UTC, aware."""
    return timezone.now()


def read_stopwatch() -> int:
    """Nanoseconds since some moment, on a clock that cannot be set: for waits, never for a date."""
    return time.monotonic_ns()

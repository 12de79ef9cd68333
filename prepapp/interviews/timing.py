"""The arithmetic of interview time: deadline, what is left, what is late. Values only; the clock is read
at the edge and passed in as `now`. All instants are aware UTC datetimes."""

from datetime import datetime, timedelta
from decimal import Decimal

from prepapp.accounts.choices import TimeAllowance


def deadline_of(started_at: datetime, minutes: int, allowance: str) -> datetime | None:
    """`started_at + minutes × allowance`, to the second. None when the allowance is untimed."""
    if allowance == TimeAllowance.UNTIMED:
        return None
    return started_at + timedelta(seconds=int(Decimal(minutes * 60) * Decimal(allowance)))


def seconds_left(deadline_at: datetime | None, now: datetime) -> float | None:
    """Seconds until the deadline, never below 0. None without a clock."""
    return None if deadline_at is None else max(0.0, (deadline_at - now).total_seconds())


def is_overdue(deadline_at: datetime | None, now: datetime, grace_seconds: int) -> bool:
    """Whether a save arriving now is late: `now > deadline + grace`."""
    return deadline_at is not None and now > deadline_at + timedelta(seconds=grace_seconds)


def is_over(deadline_at: datetime | None, now: datetime) -> bool:
    """Whether the time is up, grace aside."""
    return deadline_at is not None and now >= deadline_at


def ended_at(deadline_at: datetime | None, now: datetime) -> datetime:
    """The instant an interview ended that is closed now: never after its deadline."""
    return now if deadline_at is None else min(now, deadline_at)


def time_plan(minutes: int, allowance: str) -> str:
    """The length in words a candidate can check: `15:00`, `22:30 = 15:00 × 1.5`, `no time limit`."""
    if allowance == TimeAllowance.UNTIMED:
        return "no time limit"
    plain = clock_text(minutes * 60)
    factor = Decimal(allowance)
    if factor == 1:
        return plain
    return f"{clock_text(int(minutes * 60 * factor))} = {plain} × {factor.normalize()}"


def planned_minutes(minutes: int, allowance: str) -> str:
    """What is planned for a part, on the clock of an interview with this allowance: `8`, `8.75`."""
    factor = Decimal(1) if allowance == TimeAllowance.UNTIMED else Decimal(allowance)
    return f"{(minutes * factor).normalize():f}"


def clock_text(seconds: int) -> str:
    """`m:ss`, minutes unbounded."""
    return f"{seconds // 60}:{seconds % 60:02d}"

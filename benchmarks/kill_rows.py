"""The rows of a run that is killed (`kill_mail`): who is written before it, what is found after it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress

from prepapp.accounts.models import User
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt
from prepapp.reports.actions.mailing import LOST_AFTER, give_up_lost
from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport

_BATCH = 500


def write_people(count: int) -> None:
    """People with a confirmed address who had an interview graded last week, and want the mail."""
    now = datetime.now(UTC)
    joined, ended = now - timedelta(days=90), now - timedelta(days=7)
    users = [
        User(
            email=f"person{n}@example.test",
            password="!",
            wants_weekly_mail=True,
            date_joined=joined,
            last_login=joined,
        )
        for n in range(count)
    ]
    User.objects.bulk_create(users, batch_size=_BATCH)
    addresses = [EmailAddress(user=user, email=user.email, primary=True, verified=True) for user in users]
    EmailAddress.objects.bulk_create(addresses, batch_size=_BATCH)
    attempts = [
        Attempt(
            user=user,
            title="Phone screen",
            mode=Mode.MOCK,
            level="intermediate",
            state=State.GRADED,
            start_key=user.pk,
            slot=f"mock:{user.pk}",
            seed=1,
            minutes=15,
            time_allowance="1.00",
            started_at=ended - timedelta(minutes=15),
            deadline_at=ended,
            finished_at=ended,
            ending=Ending.DEADLINE,
            graded_at=ended,
            score=5,
        )
        for user in users
    ]
    Attempt.objects.bulk_create(attempts, batch_size=_BATCH)


def waiting() -> int:
    """People without a report, and mails that are not at their end."""
    open_mails = WeeklyReport.objects.filter(mail_state__in=[MailState.PLANNED, MailState.SENDING]).count()
    return User.objects.count() - WeeklyReport.objects.count() + open_mails


def in_hand() -> int:
    """Mails that were being sent when their worker was killed, while the next one has only begun to start."""
    return WeeklyReport.objects.filter(mail_state=MailState.SENDING).count()


def let_an_hour_pass() -> None:
    """For mails whose task died with its worker, and for those it was sending."""
    WeeklyReport.objects.filter(mail_state=MailState.PLANNED).update(mail_queued_at=None)
    give_up_lost(now=datetime.now(UTC) + LOST_AFTER)


def reckon(mails: Sequence[str]) -> dict[str, Any]:
    """What the rows say beside the addresses the mail server took mail for."""
    taken = Counter(mails)
    per_person = Counter(WeeklyReport.objects.values_list("user", flat=True))
    unknown = WeeklyReport.objects.filter(mail_state=MailState.UNKNOWN)
    everybody = set(User.objects.values_list("email", flat=True))
    return {
        "people": len(everybody),
        "mailed": len(mails),
        "mailed_twice": sum(count > 1 for count in taken.values()),
        "reports_twice": sum(count > 1 for count in per_person.values()),
        "without_report": len(everybody) - len(per_person),
        "states": dict(Counter(WeeklyReport.objects.values_list("mail_state", flat=True))),
        "lost": len(everybody - taken.keys() - set(unknown.values_list("user__email", flat=True))),
    }

"""`manage.py weekly_reports`: what is missing of a week, by hand."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from prepapp.interviews.choices import MarkValue
from prepapp.reports.actions.weekly import make_reports
from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport
from tests.factories.bank import TopicFactory
from tests.interviews.sitting import rows
from tests.reports.working import MONDAY, THURSDAY, WEEK, grade, person
from tests.smtp_sink import Sink

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def monday(time_machine: Any, sink: Sink) -> None:
    time_machine.move_to(MONDAY, tick=False)


def run(*words: str) -> str:
    out = StringIO()
    call_command("weekly_reports", *words, stdout=out, stderr=out)
    return out.getvalue()


def practised(**fields: Any):
    user = person(**fields)
    grade(user, TopicFactory(title="Memory"), answers=6)
    return user


def test_it_makes_and_mails_what_is_missing_once(sink: Sink) -> None:
    there, missing, unwilling = practised(), practised(), practised(wants_weekly_mail=False)
    make_reports(users=[there], week=WEEK, now=MONDAY)
    assert run("--week", "2026-W48") == "2026-W48: 2 made, 1 were there. Mails: 2 sent.\n"
    assert sink.recipients == sorted([there.email, missing.email])
    assert WeeklyReport.objects.get(user=unwilling).mail_state == MailState.NOT_WANTED
    before = rows(WeeklyReport)
    assert run("--week", "2026-W48") == "2026-W48: 0 made, 3 were there. Mails: none.\n"
    assert (rows(WeeklyReport), len(sink.mails)) == (before, 2)


def test_an_older_week_can_be_made_beside_a_newer_one(sink: Sink) -> None:
    user = practised()
    grade(user, TopicFactory(), MarkValue.MET, finished_at=THURSDAY.replace(day=19))
    run("--week", "2026-W48")
    assert run("--week", "2026-W47", "--user", user.email.upper()) == (
        "2026-W47: 1 made, 0 were there. Mails: 1 sent.\n"
    )
    assert [mail.message["Subject"] for mail in sink.mails] == [
        "Your week 48: 1 mock, 30 minutes",
        "Your week 47: 1 mock, 30 minutes",
    ]


def test_for_one_person_it_touches_nobody_else(sink: Sink) -> None:
    user, other = practised(), practised()
    assert (
        run("--week", "2026-W48", "--user", user.email) == "2026-W48: 1 made, 0 were there. Mails: 1 sent.\n"
    )
    assert not WeeklyReport.objects.filter(user=other).exists()


@pytest.mark.parametrize("is_made", [False, True])
def test_a_dry_run_shows_the_letter_and_does_nothing(sink: Sink, is_made: bool) -> None:
    user = practised()
    if is_made:
        make_reports(users=[user], week=WEEK, now=MONDAY)
    before = rows(WeeklyReport)
    told = run("--week", "2026-W48", "--user", user.email, "--dry-run")
    counts = "0 would be made, 1 there" if is_made else "1 would be made, 0 there"
    assert told.startswith(f"2026-W48: {counts}; nothing was done.\n\nYou practised 30 minutes.")
    assert "Memory drill" in told
    assert (rows(WeeklyReport), sink.sessions) == (before, 0)


def test_a_dry_run_for_all_counts(sink: Sink) -> None:
    practised()
    practised()
    assert run("--week", "2026-W48", "--dry-run") == "2026-W48: 2 would be made, 0 there; nothing was done.\n"
    assert (WeeklyReport.objects.count(), sink.sessions) == (0, 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--week", "W48"], "--week: 'W48' is not a week; write it like 2026-W48."),
        (["--week", "2027-W53"], "--week: the year 2027 has no week 53."),
        (["--week", "2026-W49"], "--week: 2026-W49 is not over anywhere yet."),
        (["--week", "2026-W48", "--user", "no@example.test"], "nobody has an account with the address"),
        (["--week", "2026-W48", "--user", "closed@example.test"], "the account of 'closed@example.test' is closed"),
        (["--week", "2026-W49", "--user", "here@example.test"], "2026-W49 is due on 2026-12-07 07:00 in UTC, not yet"),
        (["--week", "2026-W48", "--user", "west@example.test"], "2026-W48 is due on 2026-11-30 07:00 in Etc/GMT+12, not yet"),
        (["--week", "2026-W48", "--user", "new@example.test"], "new@example.test joined after 2026-W48 had ended."),
    ],
)  # fmt: skip
def test_what_cannot_be_done_says_why_and_does_nothing(words: list[str], message: str) -> None:
    practised(email="here@example.test")
    practised(email="closed@example.test", is_active=False)
    practised(email="west@example.test", time_zone="Etc/GMT+12")
    practised(email="new@example.test", date_joined=MONDAY)
    with pytest.raises(CommandError) as refusal:
        run(*words)
    assert message in str(refusal.value)
    assert WeeklyReport.objects.count() == 0


def test_without_a_week_it_asks_for_one() -> None:
    with pytest.raises(CommandError, match="--week"):
        run()


def test_somebody_whose_reports_pause_is_told_so() -> None:
    user = person()
    assert "idle for more than three weeks, so reports pause" in run(
        "--week", "2026-W48", "--user", user.email
    )


def test_a_mail_that_fails_makes_the_command_fail_after_all_the_others(sink: Sink) -> None:
    bad, good = practised(), practised()
    sink.replies["rcpt", bad.email] = ["550 no"]
    with pytest.raises(CommandError, match="0 could not be made, 1 mails failed or are unknown"):
        run("--week", "2026-W48")
    assert sink.recipients == [good.email]


def test_what_could_not_be_made_is_tried_again(sink: Sink) -> None:
    user = practised()
    WeeklyReport.objects.create(
        user=user,
        year=2026,
        week=48,
        made_at=MONDAY,
        figures=None,
        mail_state=MailState.FAILED,
        mail_state_at=MONDAY,
        error="not made: ValueError",
    )
    assert run("--week", "2026-W48") == "2026-W48: 1 made, 0 were there. Mails: 1 sent.\n"
    assert WeeklyReport.objects.get().error == ""

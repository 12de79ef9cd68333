"""Who is owed a report, and that everybody gets each week's once, whatever runs when and how often."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as project
from kombu.exceptions import OperationalError

from prepapp.accounts.models import User
from prepapp.interviews.choices import State
from prepapp.reports import tasks
from prepapp.reports.actions import mailing, weekly
from prepapp.reports.actions.mailing import want_copy
from prepapp.reports.choices import MailState
from prepapp.reports.models import TopicWeek, WeeklyReport
from prepapp.reports.queries.due import chunks, due_people, due_weeks
from prepapp.reports.queries.mails import QUEUED_FOR, mails_to_queue
from tests.factories.accounts import GuestFactory
from tests.factories.bank import TopicFactory
from tests.factories.interviews import AttemptFactory
from tests.interviews.sitting import statements
from tests.reports.working import MONDAY, THURSDAY, WEEK, database_gives_out, grade, person
from tests.smtp_sink import Sink

pytestmark = pytest.mark.django_db


def tick(now: datetime) -> None:
    """What one firing of the scheduler leads to."""
    for week in due_weeks(now):
        for first, last in chunks(due_people(week, now)):
            weekly.make_due_reports(week=week, first_id=first, last_id=last, now=now)


def labels(user: User | None = None) -> list[str]:
    reports = WeeklyReport.objects.filter(user=user) if user else WeeklyReport.objects.all()
    return [
        f"{year}-W{week:02d}" for year, week in reports.order_by("year", "week").values_list("year", "week")
    ]


def owed(now: datetime = MONDAY) -> set[User]:
    return {user for week in due_weeks(now) for user in due_people(week, now)}


def practised(zone: str = "UTC", at: datetime = THURSDAY, **fields: Any) -> User:
    user = person(time_zone=zone, **fields)
    AttemptFactory(user=user, state=State.GRADING, started_at=at, responses=0)
    return user


# --- who is owed one ------------------------------------------------------------------------------


def test_somebody_who_practised_is_owed_the_week_from_monday_seven() -> None:
    user = practised()
    assert owed(MONDAY - timedelta(seconds=1)) == set()
    assert due_weeks(MONDAY - timedelta(seconds=1)) == [WEEK.shifted(-1)]
    assert list(due_people(WEEK, MONDAY)) == [user]


@pytest.mark.parametrize(
    ("fields", "is_owed"),
    [
        ({}, True),
        ({"is_active": False}, False),
        ({"wants_weekly_mail": False}, True),
        ({"date_joined": MONDAY - timedelta(hours=7, seconds=1)}, True),
        # Joined after the week had ended, with work brought along from before.
        ({"date_joined": MONDAY - timedelta(hours=7)}, False),
    ],
)
def test_accounts_in_use_that_joined_before_the_week_ended(fields: dict[str, Any], is_owed: bool) -> None:
    user = practised(**fields)
    assert owed() == ({user} if is_owed else set())


def test_a_guest_is_owed_nothing() -> None:
    AttemptFactory(user=GuestFactory(), state=State.GRADING, started_at=THURSDAY)
    assert owed() == set()


@pytest.mark.parametrize(
    ("weeks_ago", "is_owed"), [(0, True), (1, True), (2, True), (3, True), (4, False), (9, False)]
)
def test_reports_pause_after_three_idle_weeks_and_resume_by_themselves(weeks_ago: int, is_owed: bool) -> None:
    user = practised(at=THURSDAY - timedelta(weeks=weeks_ago))
    assert owed() == ({user} if is_owed else set())
    tick(MONDAY)
    kept = WeeklyReport.objects.filter(user=user).values_list("figures__idle_weeks", "figures__pauses")
    assert list(kept) == ([(weeks_ago, weeks_ago == 3)] if is_owed else [])
    # In the pause, practice in the week itself is what ends it.
    AttemptFactory(user=user, state=State.GRADING, started_at=THURSDAY + timedelta(weeks=1), responses=0)
    tick(MONDAY + timedelta(weeks=1))
    newest = WeeklyReport.objects.filter(user=user).first()
    assert newest is not None
    assert (newest.week, newest.figures["idle_weeks"], newest.figures["pauses"]) == (49, 0, False)


def test_in_a_long_silence_there_are_three_short_reports_and_one_says_it_pauses() -> None:
    user = practised(at=THURSDAY)
    for n in range(12):
        tick(MONDAY + timedelta(weeks=n))
    assert labels(user) == ["2026-W48", "2026-W49", "2026-W50", "2026-W51"]
    pauses = WeeklyReport.objects.order_by("week").values_list("figures__pauses", flat=True)
    assert list(pauses) == [False, False, False, True]


@pytest.mark.parametrize(
    ("state", "is_owed"),
    [(State.GRADING, True), (State.GRADED, True), (State.RUNNING, False), (State.ABANDONED, False)],
)
def test_practice_is_what_was_handed_in(state: str, is_owed: bool) -> None:
    user = person()
    AttemptFactory(user=user, state=state, started_at=THURSDAY, grading__closed_at=THURSDAY)
    assert owed() == ({user} if is_owed else set())


def test_marking_an_old_interview_is_practice_too() -> None:
    user = person()
    grade(user, TopicFactory(), finished_at=THURSDAY - timedelta(weeks=9), graded_at=THURSDAY)
    assert owed() == {user}


@pytest.mark.parametrize(
    ("joined", "last_login", "is_owed"),
    [
        (THURSDAY, THURSDAY, True),
        (THURSDAY - timedelta(weeks=3), THURSDAY, True),
        (THURSDAY - timedelta(weeks=4), THURSDAY, False),
        # Never came in: the address may be a stranger's.
        (THURSDAY, None, False),
    ],
)
def test_somebody_new_without_practice_counts_from_joining(
    joined: datetime, last_login: datetime | None, is_owed: bool
) -> None:
    user = person(date_joined=joined, last_login=last_login)
    assert owed() == ({user} if is_owed else set())


def test_finding_who_is_owed_one_takes_as_many_queries_for_many_zones_as_for_one() -> None:
    practised("Europe/Paris")

    def ask() -> int:
        with statements() as sent:
            for week in due_weeks(MONDAY):
                list(chunks(due_people(week, MONDAY)))
        return len(sent)

    assert (due_weeks(MONDAY), ask()) == ([WEEK], 3)
    for zone in ("America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Kiritimati", "Etc/GMT+12"):
        practised(zone)
    # Two weeks are due in the world now.
    assert (due_weeks(MONDAY), ask()) == ([WEEK, WEEK.shifted(-1)], 5)


def test_people_are_walked_in_ranges_that_meet_each_once() -> None:
    users = sorted((practised() for _ in range(23)), key=lambda user: user.pk)
    found = list(chunks(due_people(WEEK, MONDAY), size=2))
    assert len(found) == 12
    assert [first for first, _ in found] == [user.pk for user in users[::2]]
    assert [last for _, last in found] == [*(user.pk for user in users[1::2]), users[-1].pk]
    assert list(chunks(User.objects.none())) == []


# --- once a week, wherever and whenever ------------------------------------------------------------

ZONES = [
    *("UTC", "Europe/Paris", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Australia/Lord_Howe"),
    *("Pacific/Kiritimati", "Etc/GMT+12", "America/St_Johns"),
]


def made_at_local(user: User) -> datetime:
    return WeeklyReport.objects.get(user=user).made_at.astimezone(user.zone)


@pytest.mark.parametrize(
    ("sunday", "label"),
    [
        ("2026-11-29", "2026-W48"),
        ("2027-01-03", "2026-W53"),
        ("2027-01-10", "2027-W01"),
        ("2026-03-08", "2026-W10"),  # New York puts its clocks forward
        ("2026-03-29", "2026-W13"),  # Paris does
        ("2026-10-25", "2026-W43"),  # Paris puts them back
        ("2026-11-01", "2026-W44"),  # New York does
    ],
)
def test_everybody_gets_the_week_once_at_seven_by_their_own_clock(sunday: str, label: str) -> None:
    """F12: fired every hour from Sunday to Tuesday, twice each time."""
    noon = datetime.fromisoformat(f"{sunday}T12:00").replace(tzinfo=UTC)
    joined = noon - timedelta(days=3)
    users = [person(time_zone=zone, date_joined=joined, last_login=joined) for zone in ZONES]
    for hour in range(-2, 40):
        tick(noon + timedelta(hours=hour))
        tick(noon + timedelta(hours=hour, seconds=1))
    assert {user.time_zone: labels(user) for user in users} == {zone: [label] for zone in ZONES}
    for user in users:
        local = made_at_local(user)
        assert (local.isoweekday(), local.hour) == (1, 7), user.time_zone


@pytest.mark.parametrize("route", list(permutations(["Pacific/Kiritimati", "UTC", "Etc/GMT+12"])))
def test_moving_between_zones_gives_no_week_twice(route: tuple[str, ...]) -> None:
    """A new zone every few hours, over two weeks."""
    user = practised(route[0])
    for hour in range(0, 24 * 13, 3):
        user.time_zone = route[hour // 5 % len(route)]
        user.save(update_fields=["time_zone"])
        tick(MONDAY - timedelta(hours=30) + timedelta(hours=hour))
    assert labels(user) == ["2026-W48", "2026-W49"]


def test_moving_west_after_the_report_brings_back_no_older_week() -> None:
    user = practised("Pacific/Kiritimati")
    tick(MONDAY - timedelta(hours=10))
    assert labels(user) == ["2026-W48"]
    user.time_zone = "Etc/GMT+12"
    user.save(update_fields=["time_zone"])
    tick(MONDAY)
    assert labels(user) == ["2026-W48"]


def test_a_run_that_was_missed_is_caught_up_once_for_the_newest_week() -> None:
    """REP-07."""
    user, fresh = practised(), person(date_joined=MONDAY + timedelta(days=1), last_login=MONDAY)
    # Off from Sunday 20:00 to Tuesday 10:00.
    for hour in range(27, 40):
        tick(MONDAY + timedelta(hours=hour))
    assert (labels(user), labels(fresh)) == (["2026-W48"], [])
    # Off for three weeks: one report, not three.
    AttemptFactory(user=user, state=State.GRADING, started_at=THURSDAY + timedelta(weeks=2), responses=0)
    tick(MONDAY + timedelta(weeks=3, days=2))
    assert labels(user) == ["2026-W48", "2026-W51"]


def test_a_fresh_install_on_a_wednesday_makes_nothing() -> None:
    person(date_joined=MONDAY + timedelta(days=2), last_login=MONDAY + timedelta(days=2))
    for hour in range(48, 120):
        tick(MONDAY + timedelta(hours=hour))
    assert WeeklyReport.objects.count() == 0


# --- tasks: any number of times, in any order (P15) ---------------------------------------------------


@pytest.fixture
def at_work(sink: Sink, eager_celery: None, time_machine: Any) -> Callable[[datetime], None]:
    """Moves the clock; tasks run where they are sent, mail goes to the sink."""

    def move(now: datetime) -> None:
        time_machine.move_to(now, tick=False)

    move(MONDAY)
    return move


def kept() -> list[tuple[Any, ...]]:
    """The reports but for what differs by run alone."""
    return list(
        WeeklyReport.objects.order_by("user").values_list(
            "user", "year", "week", "made_at", "figures", "mail_state", "mail_tries", "error"
        )
    )


@pytest.mark.parametrize("times", [1, 2, 10])
def test_planned_once_twice_or_ten_times_everybody_has_one_report_and_one_mail(
    at_work: Callable[[datetime], None], sink: Sink, times: int
) -> None:
    """REP-05."""
    users = [practised() for _ in range(4)] + [practised(wants_weekly_mail=False)]
    for n in range(times):
        at_work(MONDAY + timedelta(minutes=n))
        tasks.plan_weekly_reports()
    at_work(MONDAY + timedelta(hours=1))
    tasks.plan_weekly_reports()
    assert Counter(labels()) == {"2026-W48": 5}
    assert sink.recipients == sorted(user.email for user in users[:4])
    states = Counter(WeeklyReport.objects.values_list("mail_state", flat=True))
    assert states == {MailState.SENT: 4, MailState.NOT_WANTED: 1}


def test_every_task_ten_times_in_any_order_leaves_the_same_rows(
    at_work: Callable[[datetime], None], sink: Sink
) -> None:
    users = [practised() for _ in range(3)]
    ids = sorted(str(user.pk) for user in users)
    tasks.plan_weekly_reports()
    once = kept()
    reports = [str(pk) for pk in WeeklyReport.objects.values_list("pk", flat=True)]
    again = [
        *(lambda pk=pk: tasks.send_report_mail(pk) for pk in reports),
        *(lambda pk=pk: tasks.send_report_copy(pk) for pk in reports),
        lambda: tasks.make_weekly_reports(2026, 48, ids[0], ids[-1]),
        lambda: tasks.make_weekly_reports(2026, 47, ids[0], ids[-1]),
        tasks.sweep_report_mails,
        tasks.plan_weekly_reports,
    ]
    for n in range(10):
        for run in again[n:] + again[:n]:
            run()
    assert kept() == once
    assert len(sink.mails) == 3


def test_a_worker_that_was_stopped_sends_one_mail_for_the_week(
    at_work: Callable[[datetime], None], sink: Sink, settings: Any
) -> None:
    """EML-07: dispatched on Monday, Tuesday and Wednesday while nothing was sent."""
    user = practised()
    for day in range(3):
        tick(MONDAY + timedelta(days=day))
    assert (labels(), sink.mails) == (["2026-W48"], [])
    at_work(MONDAY + timedelta(days=2, hours=1))
    for _ in range(3):
        tasks.sweep_report_mails()
    assert sink.recipients == [user.email]


def test_the_sweep_finds_mails_without_a_task_retries_that_are_due_and_lost_ones() -> None:
    never, queued, lost, waiting, due, done = (report(n) for n in range(6))
    hour = timedelta(hours=1)
    now = MONDAY + 5 * hour
    plan(queued, mail_due_at=MONDAY, mail_queued_at=now - hour / 2)
    plan(lost, mail_due_at=MONDAY, mail_queued_at=now - QUEUED_FOR - timedelta(seconds=1))
    plan(waiting, mail_due_at=now + timedelta(seconds=1), mail_queued_at=MONDAY)
    plan(due, mail_due_at=now, mail_queued_at=now - hour / 4)
    plan(done, mail_state=MailState.SENT)
    assert mails_to_queue(now) == [never.pk, lost.pk, due.pk]
    mailing.note_queued(report_ids=[never.pk, lost.pk, due.pk], now=now)
    assert mails_to_queue(now) == []


def report(number: int, **fields: Any) -> WeeklyReport:
    values = {"made_at": MONDAY, "figures": {}, "mail_state": MailState.PLANNED, "mail_due_at": MONDAY}
    state_at = MONDAY + timedelta(seconds=number)
    return WeeklyReport.objects.create(
        **{"user": person(), "year": 2026, "week": 48, "mail_state_at": state_at, **values, **fields}
    )


def plan(kept: WeeklyReport, **fields: Any) -> None:
    WeeklyReport.objects.filter(pk=kept.pk).update(**fields)


def test_the_sweep_sends_what_was_refused_for_now_and_the_copies(
    at_work: Callable[[datetime], None], sink: Sink
) -> None:
    user = practised()
    sink.replies["rcpt", user.email] = ["451 later"]
    tasks.plan_weekly_reports()
    assert (sink.mails, WeeklyReport.objects.get().mail_state) == ([], MailState.PLANNED)
    at_work(MONDAY + timedelta(minutes=4))
    tasks.sweep_report_mails()
    assert sink.mails == []
    at_work(MONDAY + timedelta(minutes=5))
    tasks.sweep_report_mails()
    tasks.sweep_report_mails()
    assert len(sink.mails) == 1
    assert want_copy(report=WeeklyReport.objects.get(), now=MONDAY + timedelta(minutes=5))
    tasks.sweep_report_mails()
    tasks.sweep_report_mails()
    assert len({mail.message["Message-ID"] for mail in sink.mails}) == len(sink.mails) == 2


# --- one bad row ------------------------------------------------------------------------------------


def spoil(user: User) -> None:
    """Evidence beyond all measure: nothing can be reckoned for this person."""
    TopicWeek.objects.filter(user=user).update(trials=1e308, successes=1e308)


def test_somebody_whose_figures_cannot_be_made_holds_up_nobody() -> None:
    topic = TopicFactory()
    users = sorted((person() for _ in range(9)), key=lambda user: user.pk)
    for user in users:
        grade(user, topic)
    spoil(users[4])
    tick(MONDAY)
    tick(MONDAY + timedelta(hours=1))
    assert [labels(user) for user in users] == [["2026-W48"]] * 9
    bad = WeeklyReport.objects.get(user=users[4])
    assert (bad.figures, bad.mail_state, bad.error.startswith("not made: ")) == (None, MailState.FAILED, True)
    good = WeeklyReport.objects.exclude(pk=bad.pk)
    assert {(row.mail_state, row.error, row.figures is None) for row in good} == {
        (MailState.PLANNED, "", False)
    }


def test_a_database_that_gives_out_leaves_everybody_owed_their_report() -> None:
    topic = TopicFactory()
    users = [person() for _ in range(3)]
    for user in users:
        grade(user, topic)
    with database_gives_out("interviews_mark"):
        tick(MONDAY)
    assert [labels(user) for user in users] == [[]] * 3
    tick(MONDAY + timedelta(hours=1))
    assert [labels(user) for user in users] == [["2026-W48"]] * 3


def test_a_zone_that_is_known_no_more_holds_up_nobody() -> None:
    lost, user = practised("Mars/Olympus_Mons"), practised()
    tick(MONDAY)
    assert (labels(lost), labels(user)) == ([], ["2026-W48"])


# --- a broker that is gone (P16) ----------------------------------------------------------------------


@contextmanager
def broker_gone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("nobody there")

    with monkeypatch.context() as patch:
        patch.setattr(current_app.amqp, "send_task_message", refuse)
        yield


def test_without_a_broker_the_tick_ends_and_the_next_ones_catch_up_once(
    sink: Sink, settings: Any, time_machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = practised()
    time_machine.move_to(MONDAY, tick=False)
    with broker_gone(monkeypatch):
        assert [tasks.plan_weekly_reports() for _ in range(5)] == [0] * 5
        assert labels() == []
        # The plan got through and the mails did not.
        tasks.make_weekly_reports(2026, 48, str(user.pk), str(user.pk))
        tasks.sweep_report_mails()
        assert WeeklyReport.objects.get().mail_queued_at is None
    settings.CELERY_TASK_ALWAYS_EAGER = settings.CELERY_TASK_EAGER_PROPAGATES = True
    tasks.plan_weekly_reports()
    tasks.sweep_report_mails()
    tasks.sweep_report_mails()
    assert (labels(), sink.recipients) == (["2026-W48"], [user.email])


def test_no_tick_takes_longer_than_its_share() -> None:
    schedule = project.CELERY_BEAT_SCHEDULE
    assert {name: entry["options"]["expires"] for name, entry in schedule.items() if "report" in name} == {
        "plan-weekly-reports": 3000,
        "sweep-report-mails": 50,
    }
    # Redis gives a task to somebody else after this: no task may still be running then.
    visible = 600
    limits = [
        tasks.plan_weekly_reports.time_limit,
        tasks.make_weekly_reports.time_limit,
        project.CELERY_TASK_TIME_LIMIT,
    ]
    assert max(limits) < visible

"""The way of one report's mail: who gets it, how often it is tried, what is known of it."""

import re
import socket
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import OperationalError

from prepapp.interviews.actions.history import delete_attempt
from prepapp.interviews.models import Attempt
from prepapp.reports.actions.mailing import (
    LOST_AFTER,
    TRY_AGAIN_AFTER,
    give_up_lost,
    send_copy,
    send_report,
    want_copy,
)
from prepapp.reports.actions.weekly import make_reports
from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport
from prepapp.reports.tokens import read_unsubscribe_token
from tests.factories.accounts import GuestFactory
from tests.factories.bank import TopicFactory
from tests.factories.interviews import AttemptFactory
from tests.reports.working import MONDAY, WEEK, database_gives_out, grade, person
from tests.smtp_sink import CLOSE, HANG, Sink

pytestmark = pytest.mark.django_db


def report_of(user=None, **fields) -> WeeklyReport:
    """A report to be mailed, of a week with practice."""
    user = user or person()
    grade(user, TopicFactory(title="Memory"), answers=6)
    [report_id] = make_reports(users=[user], week=WEEK, now=MONDAY)
    if fields:
        WeeklyReport.objects.filter(pk=report_id).update(**fields)
    return WeeklyReport.objects.get(pk=report_id)


def fate(report: WeeklyReport) -> tuple[str, int, str]:
    report.refresh_from_db()
    return report.mail_state, report.mail_tries, report.error


def send(report: WeeklyReport, now=MONDAY) -> MailState | None:
    return send_report(report_id=report.pk, now=now)


# --- the mail -------------------------------------------------------------------------------------


def test_it_is_sent_once(sink: Sink) -> None:
    report = report_of()
    assert [send(report, MONDAY + timedelta(minutes=n)) for n in range(3)] == [MailState.SENT, None, None]
    assert sink.recipients == [report.user.email]
    assert fate(report) == (MailState.SENT, 1, "")
    assert (report.mail_state_at, report.mail_due_at) == (MONDAY, None)


def test_the_mail_is_the_letter_as_html_and_text_with_a_way_out(sink: Sink) -> None:
    report = report_of()
    send(report)
    message = sink.mails[0].message
    assert message["Subject"] == "Your week 48: 1 mock, 30 minutes"
    assert message["Message-ID"] == f"<{report.pk.hex}@prepapp.example>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["To"] == report.user.email
    address = re.sub(r"\s", "", message["List-Unsubscribe"]).strip("<>")
    assert address.startswith("https://prepapp.example/reports/mail/")
    assert read_unsubscribe_token(address.rstrip("/").rpartition("/")[2]) == report.user_id
    assert message.get_content_type() == "multipart/alternative"
    parts = {
        part.get_content_type(): part.get_payload(decode=True).decode() for part in message.get_payload()
    }
    assert list(parts) == ["text/plain", "text/html"]
    attempt = Attempt.objects.get(user=report.user)
    for part in parts.values():
        assert "You practised 30 minutes. Memory still costs you the most." in part
        assert f"https://prepapp.example/attempts/{attempt.pk}/review/#answer-6" in part
        assert "https://prepapp.example/reports/2026-W48/" in part
        assert address in part
        assert "Memory drill" in part
        assert "Not fully met in 1 of 1 answer" in part
        # Every address is a whole one.
        assert re.findall(r'href="(?!https://prepapp\.example/)[^"]*"', part) == []
    assert "<" not in parts["text/plain"].replace("<https", "")


def test_it_is_the_same_mail_however_often_it_is_composed(sink: Sink) -> None:
    report = report_of()
    sink.replies["end", report.user.email] = ["451 later"]
    sink.takes_it = True
    send(report)
    send(report, MONDAY + TRY_AGAIN_AFTER[0])
    assert [mail.message["Message-ID"] for mail in sink.mails] == [f"<{report.pk.hex}@prepapp.example>"] * 2


def test_titles_and_criteria_are_text_and_stay_out_of_the_headers(sink: Sink) -> None:
    """EML-05."""
    user = person()
    topic = TopicFactory(title="Memory\r\nBcc: spy@example.test<script>alert(1)</script>" + "🙂" * 20)
    grade(user, topic, answers=6)
    [report_id] = make_reports(users=[user], week=WEEK, now=MONDAY)
    other = report_of()
    assert [send_report(report_id=pk, now=MONDAY) for pk in (report_id, other.pk)] == [MailState.SENT] * 2
    message = sink.to(user.email)[0].message
    assert message.get_all("Subject") == ["Your week 48: 1 mock, 30 minutes"]
    assert message["Bcc"] is None
    html = message.get_payload()[1].get_payload(decode=True).decode()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert sink.recipients == sorted([user.email, other.user.email])


def test_points_of_a_question_being_asked_when_it_is_sent_are_left_out(sink: Sink) -> None:
    report = report_of()
    asked = report.user.attempts.get().responses.get(position=6).version.question
    AttemptFactory(user=report.user, started_at=MONDAY, responses__questions=[asked])
    criterion = f"Criterion r1 of {asked.current_version.title}"
    assert criterion in str(report.figures)
    send(report)
    assert criterion not in sink.mails[0].raw.decode()


def test_so_are_those_of_an_interview_that_was_deleted_since(sink: Sink) -> None:
    report = report_of()
    attempt = report.user.attempts.get()
    asked = attempt.responses.get(position=6).version.question
    other = attempt.responses.get(position=5).version.question
    delete_attempt(attempt=attempt)
    AttemptFactory(user=report.user, started_at=MONDAY, responses__questions=[asked])
    send(report)
    told = sink.mails[0].raw.decode()
    criteria = [f"Criterion r1 of {question.current_version.title}" for question in (asked, other)]
    assert [criterion in told for criterion in criteria] == [False, True]


# --- whether and where, asked when it is sent ------------------------------------------------------


def opt_out(user):
    user.wants_weekly_mail = False
    user.save()


def deactivate(user):
    user.is_active = False
    user.save()


def unconfirm(user):
    EmailAddress.objects.filter(user=user).update(verified=False)


@pytest.mark.parametrize("change", [opt_out, deactivate, unconfirm])
def test_nothing_goes_to_somebody_who_should_have_none_by_now(sink: Sink, change) -> None:
    report = report_of()
    change(report.user)
    assert send(report) == MailState.NOT_WANTED
    assert (sink.sessions, fate(report)) == (0, (MailState.NOT_WANTED, 1, ""))


def test_a_deleted_account_has_no_mail(sink: Sink) -> None:
    report = report_of()
    report.user.delete()
    assert (send(report), sink.sessions) == (None, 0)


def test_it_goes_to_the_address_of_today(sink: Sink) -> None:
    report = report_of()
    user = report.user
    user.email = "new@example.test"
    user.save()
    EmailAddress.objects.create(user=user, email="new@example.test", verified=True)
    send(report)
    assert sink.recipients == ["new@example.test"]


def test_whoever_does_not_want_it_has_the_report_and_no_mail(sink: Sink) -> None:
    user = person(wants_weekly_mail=False)
    assert make_reports(users=[user], week=WEEK, now=MONDAY) == []
    report = WeeklyReport.objects.get()
    assert (report.mail_state, report.figures is not None) == (MailState.NOT_WANTED, True)
    assert send(report) is None


def test_a_report_that_could_not_be_made_is_not_mailed(sink: Sink) -> None:
    report = report_of(figures=None)
    assert (send(report), fate(report)[:2]) == (None, (MailState.PLANNED, 0))


def test_figures_that_cannot_be_read_fail_by_name(sink: Sink) -> None:
    report = report_of(figures={"week": "no week"})
    assert send(report) == MailState.FAILED
    state, _, error = fate(report)
    assert (state, error.startswith("not written: "), sink.sessions) == (MailState.FAILED, True, 0)


# --- the mail server ------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["account_emailaddress", "interviews_response"])
def test_a_database_that_gives_out_while_it_is_written_loses_no_mail(sink: Sink, table: str) -> None:
    report = report_of()
    with database_gives_out(table):
        assert send(report) == MailState.PLANNED
    report.refresh_from_db()
    assert (report.mail_tries, report.mail_due_at) == (1, MONDAY + TRY_AGAIN_AFTER[0])
    assert "statement timeout" in report.error
    assert (sink.sessions, send(report, report.mail_due_at)) == (0, MailState.SENT)


def test_a_copy_that_cannot_be_written_now_stays_wanted(sink: Sink) -> None:
    report = report_of(mail_state=MailState.SENT)
    want_copy(report=report, now=MONDAY)
    later = MONDAY + timedelta(minutes=1)
    with database_gives_out("interviews_response"), pytest.raises(OperationalError):
        send_copy(report_id=report.pk, now=later)
    report.refresh_from_db()
    assert (report.copy_wanted_at, report.copy_sent_at) == (MONDAY, None)
    assert send_copy(report_id=report.pk, now=later) is True


@pytest.mark.parametrize("step", ["rcpt", "data", "end"])
def test_a_no_for_good_fails_with_its_words(sink: Sink, step: str) -> None:
    report = report_of()
    sink.replies[step, report.user.email] = ["550 no such mailbox"]
    assert send(report) == MailState.FAILED
    assert fate(report) == (MailState.FAILED, 1, "550 no such mailbox")
    assert (send(report, MONDAY + timedelta(days=1)), sink.mails) == (None, [])


@pytest.mark.parametrize(
    ("step", "reply", "words"),
    [
        ("connect", "421 too busy", "421 too busy"),
        ("connect", "554 go away", "554 go away"),
        ("rcpt", "451 try later", "451 try later"),
        ("rcpt", "421 closing", "421 closing"),
        ("data", "451 try later", "451 try later"),
        ("end", "452 disk full", "452 disk full"),
        ("connect", CLOSE, "SMTPServerDisconnected: Connection unexpectedly closed"),
        ("rcpt", CLOSE, "SMTPServerDisconnected: Connection unexpectedly closed"),
        ("data", CLOSE, "SMTPServerDisconnected: Connection unexpectedly closed"),
        ("rcpt", HANG, "SMTPServerDisconnected: Connection unexpectedly closed: timed out"),
    ],
)
def test_what_was_surely_not_taken_is_tried_again_later(
    sink: Sink, settings, step: str, reply: str, words: str
) -> None:
    settings.EMAIL_TIMEOUT = 1
    report = report_of()
    sink.replies[step, "" if step == "connect" else report.user.email] = [reply]
    assert send(report) == MailState.PLANNED
    assert fate(report) == (MailState.PLANNED, 1, words)
    assert report.mail_due_at == MONDAY + TRY_AGAIN_AFTER[0]
    # Not before it is due, then once.
    assert send(report, report.mail_due_at - timedelta(seconds=1)) is None
    assert send(report, report.mail_due_at) == MailState.SENT
    assert (sink.recipients, fate(report)) == ([report.user.email], (MailState.SENT, 2, ""))


def test_no_server_there_is_tried_again(settings) -> None:
    settings.EMAIL_BACKEND = "prepapp.common.mail.SmtpBackend"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening
        settings.EMAIL_HOST, settings.EMAIL_PORT = taken.getsockname()
        report = report_of()
        assert send(report) == MailState.PLANNED
    assert fate(report)[2].startswith("ConnectionRefusedError: ")


def test_after_the_last_try_it_has_failed(sink: Sink) -> None:
    report = report_of()
    tries = len(TRY_AGAIN_AFTER) + 1
    sink.replies["rcpt", report.user.email] = ["451 later"] * (tries + 5)
    now, waits = MONDAY, []
    for _ in range(tries):
        send(report, now)
        report.refresh_from_db()
        if report.mail_due_at:
            waits.append(report.mail_due_at - now)
            now = report.mail_due_at
    assert waits == list(TRY_AGAIN_AFTER) == sorted(TRY_AGAIN_AFTER)
    assert fate(report) == (MailState.FAILED, tries, "451 later")
    assert send(report, now + timedelta(days=9)) is None


@pytest.mark.parametrize("reply", [CLOSE, HANG])
@pytest.mark.parametrize("takes_it", [True, False])
def test_a_connection_lost_after_the_text_is_unknown_and_never_sent_again(
    sink: Sink, settings, reply: str, takes_it: bool
) -> None:
    """F22: the server took it or did not, and nobody here can tell which."""
    settings.EMAIL_TIMEOUT = 1
    report = report_of()
    sink.takes_it = takes_it
    sink.replies["end", report.user.email] = [reply]
    assert send(report) == MailState.UNKNOWN
    state, tries, error = fate(report)
    assert (state, tries) == (MailState.UNKNOWN, 1)
    assert error.startswith("SMTPServerDisconnected: ")
    give_up_lost(now=MONDAY + timedelta(days=1))
    assert send(report, MONDAY + timedelta(days=1)) is None
    assert len(sink.mails) == (1 if takes_it else 0)


@pytest.mark.parametrize(
    ("reply", "words"), [("251 handed on", "251 handed on"), ("what was that", "-1 was that")]
)
def test_an_answer_to_the_text_that_is_no_refusal_is_unknown_too(sink: Sink, reply: str, words: str) -> None:
    """A server that takes the mail in words of its own must not get it five times more."""
    report = report_of()
    sink.takes_it = True
    sink.replies["end", report.user.email] = [reply]
    assert send(report) == MailState.UNKNOWN
    assert fate(report) == (MailState.UNKNOWN, 1, words)
    assert send(report, MONDAY + TRY_AGAIN_AFTER[0]) is None
    assert len(sink.mails) == 1


@pytest.mark.parametrize("reply", [CLOSE, HANG, "500 what?"])
def test_once_taken_a_bad_goodbye_changes_nothing(sink: Sink, settings, reply: str) -> None:
    settings.EMAIL_TIMEOUT = 1
    report = report_of()
    sink.replies["quit", ""] = [reply]
    assert (send(report), len(sink.mails)) == (MailState.SENT, 1)


def test_one_bad_address_stops_nobody_else(sink: Sink) -> None:
    """EML-01: five people, 550 for the third, 451 twice and then 250 for the fourth."""
    reports = [report_of() for _ in range(5)]
    people = [report.user.email for report in reports]
    sink.replies["rcpt", people[2]] = ["550 unknown"]
    sink.replies["rcpt", people[3]] = ["451 later", "451 later"]
    now = MONDAY
    for _ in range(6):
        for report in reports:
            send(report, now)
        now += timedelta(hours=1)
    assert sink.recipients == sorted(people[:2] + people[3:])
    assert [fate(report) for report in reports] == [
        (MailState.SENT, 1, ""),
        (MailState.SENT, 1, ""),
        (MailState.FAILED, 1, "550 unknown"),
        (MailState.SENT, 3, ""),
        (MailState.SENT, 1, ""),
    ]


# --- a worker that died ---------------------------------------------------------------------------


def test_what_was_sending_when_its_worker_died_becomes_unknown(sink: Sink) -> None:
    report = report_of(mail_state=MailState.SENDING, mail_state_at=MONDAY, mail_tries=1)
    assert send(report) is None
    assert give_up_lost(now=MONDAY + LOST_AFTER) == 0
    assert give_up_lost(now=MONDAY + LOST_AFTER + timedelta(seconds=1)) == 1
    assert fate(report) == (MailState.UNKNOWN, 1, "The worker ended while it was sending.")
    assert (send(report, MONDAY + timedelta(days=1)), sink.sessions) == (None, 0)


# --- 'send it to me again' --------------------------------------------------------------------------


def test_a_copy_is_sent_once_with_a_name_of_its_own(sink: Sink) -> None:
    report = report_of(mail_state=MailState.UNKNOWN)
    assert want_copy(report=report, now=MONDAY)
    assert want_copy(report=report, now=MONDAY)
    assert sink.sessions == 0
    later = MONDAY + timedelta(minutes=1)
    assert [send_copy(report_id=report.pk, now=later) for _ in range(3)] == [True, False, False]
    assert sink.recipients == [report.user.email]
    name = sink.mails[0].message["Message-ID"]
    assert name == f"<{report.pk.hex}.{int(later.timestamp()):x}@prepapp.example>"
    report.refresh_from_db()
    assert (report.mail_state, report.copy_wanted_at, report.copy_sent_at) == (MailState.UNKNOWN, None, later)


def test_a_copy_needs_no_consent_to_the_weekly_mail(sink: Sink) -> None:
    user = person(wants_weekly_mail=False)
    make_reports(users=[user], week=WEEK, now=MONDAY)
    report = WeeklyReport.objects.get()
    assert want_copy(report=report, now=MONDAY)
    assert send_copy(report_id=report.pk, now=MONDAY)


def test_three_copies_an_hour_and_none_twice_within_it(sink: Sink) -> None:
    user = person()
    weeks = [WEEK.shifted(-n) for n in range(5)]
    for week in weeks:
        make_reports(users=[user], week=week, now=MONDAY)
    reports = list(WeeklyReport.objects.order_by("year", "week"))
    other = report_of()
    assert [want_copy(report=report, now=MONDAY) for report in reports] == [True] * 3 + [False] * 2
    assert want_copy(report=other, now=MONDAY)
    for report in reports:
        send_copy(report_id=report.pk, now=MONDAY)
    half = MONDAY + timedelta(minutes=30)
    assert [want_copy(report=report, now=half) for report in reports] == [False] * 5
    over = MONDAY + timedelta(hours=1)
    assert [want_copy(report=report, now=over) for report in reports] == [True] * 3 + [False] * 2
    assert len(sink.to(user.email)) == 3


def test_no_copy_of_what_cannot_be_read_or_to_an_unconfirmed_address(sink: Sink) -> None:
    unmade, unconfirmed = report_of(figures=None), report_of()
    unconfirm(unconfirmed.user)
    assert [want_copy(report=report, now=MONDAY) for report in (unmade, unconfirmed)] == [False, False]
    assert WeeklyReport.objects.filter(copy_wanted_at__isnull=False).count() == 0


def test_a_guest_row_has_no_address(sink: Sink) -> None:
    guest = GuestFactory()
    report = WeeklyReport.objects.create(
        user=guest,
        year=2026,
        week=48,
        made_at=MONDAY,
        figures={},
        mail_state=MailState.PLANNED,
        mail_state_at=MONDAY,
    )
    assert not want_copy(report=report, now=MONDAY)


@pytest.mark.parametrize(
    ("step", "reply", "again"),
    [("rcpt", "451 later", True), ("rcpt", "550 no", False), ("end", CLOSE, False)],
)
def test_a_copy_that_was_surely_not_taken_is_wanted_again(
    sink: Sink, step: str, reply: str, again: bool
) -> None:
    report = report_of()
    want_copy(report=report, now=MONDAY)
    sink.replies[step, report.user.email] = [reply]
    assert not send_copy(report_id=report.pk, now=MONDAY)
    report.refresh_from_db()
    assert report.copy_wanted_at == (MONDAY if again else None)
    assert send_copy(report_id=report.pk, now=MONDAY + timedelta(minutes=1)) is again


def test_a_copy_nobody_waits_for_any_more_is_not_sent(sink: Sink) -> None:
    report = report_of(copy_wanted_at=MONDAY)
    assert not send_copy(report_id=report.pk, now=MONDAY + timedelta(hours=2))
    report.refresh_from_db()
    assert (report.copy_wanted_at, sink.sessions) == (None, 0)

"""The page of weekly runs, and the preview."""

from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest
import time_machine
from django.urls import reverse

from prepapp.accounts.choices import Role
from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport
from tests.factories.accounts import UserFactory
from tests.factories.interviews import STARTED_AT
from tests.factories.reports import WeeklyReportFactory

pytestmark = pytest.mark.django_db
RUNS = reverse("reports:report-runs")


@pytest.fixture(autouse=True)
def now():
    with time_machine.travel(STARTED_AT, tick=False):
        yield


@pytest.fixture
def operator(client):
    operator = UserFactory(is_staff=True, is_superuser=True)
    client.force_login(operator)
    return operator


def test_each_week_is_counted_by_state(client, operator):
    for state, count in {
        MailState.SENT: 3,
        MailState.PLANNED: 2,
        MailState.SENDING: 1,
        MailState.FAILED: 1,
        MailState.UNKNOWN: 1,
        MailState.NOT_WANTED: 2,
    }.items():
        for number in range(count):
            WeeklyReportFactory(mail_state=state, mail_state_at=STARTED_AT - timedelta(hours=number + 1))
    WeeklyReportFactory(label="2026-W44", mail_state=MailState.SENT)
    WeeklyReportFactory(label="2026-W44", mail_state=MailState.FAILED, figures=None, error="ValueError")
    new, old = client.get(RUNS).context["runs"]
    assert (new.week.label, new.total, new.sent, new.due, new.failed, new.unknown, new.not_wanted) == (
        "2026-W45", 10, 3, 3, 1, 1, 2,
    )  # fmt: skip
    assert new.oldest_due == STARTED_AT - timedelta(hours=2)
    assert (old.week.label, old.total, old.sent, old.unmade, old.oldest_due) == ("2026-W44", 2, 1, 1, None)


def test_troubles_name_the_address_and_what_was_said_never_the_report(client, operator):
    report = WeeklyReportFactory(mail_state=MailState.FAILED, error="550 no such mailbox", mail_tries=1)
    page = client.get(RUNS).content.decode()
    assert report.user.email in page
    assert "550 no such mailbox" in page
    assert "GPU memory" not in page
    assert [row.pk for row in client.get(f"{RUNS}?week=2026-W45").context["troubles"]] == [report.pk]
    assert client.get(f"{RUNS}?week=2026-W44").context["troubles"] == []
    assert client.get(f"{RUNS}?week=nonsense").context["troubles"] == [report]


def test_no_runs_yet(client, operator):
    assert "No report was made yet." in client.get(RUNS).content.decode()


def test_only_an_operator_sees_them(client):
    client.force_login(UserFactory(is_staff=True))
    assert client.get(RUNS).status_code == 403
    assert client.get(reverse("reports:report-preview")).status_code == 403


@pytest.mark.parametrize("weeks", [1, 3])
def test_runs_are_five_queries(client, operator, django_assert_num_queries, weeks):
    for week in range(1, weeks + 1):
        for _ in range(weeks):
            WeeklyReportFactory(label=f"2026-W{week:02d}", mail_state=MailState.FAILED)
    client.get(RUNS)
    with django_assert_num_queries(5):  # session, person, weeks, counts, troubles
        client.get(RUNS)


def test_a_preview_stores_and_sends_nothing(client, operator, mailoutbox):
    page = client.get(reverse("reports:report-preview"))
    assert "It is not stored and not sent." in page.content.decode()
    assert page.context["mail"].subject.startswith("Your week 45: ")
    assert not WeeklyReport.objects.exists()
    assert mailoutbox == []


def test_the_mail_of_a_preview_can_be_opened_elsewhere(client, operator):
    reply = client.get(reverse("reports:report-preview-mail"))
    assert reply["Content-Type"] == "message/rfc822"
    mail = message_from_bytes(reply.content, policy=default)
    assert mail["To"] == operator.email
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]


@pytest.mark.parametrize(("may", "links"), [(True, 1), (False, 0)])
def test_the_menu_leads_whoever_may_see_the_runs_to_them(client, may, links):
    operator = UserFactory(role=Role.ADMIN if may else Role.REVIEWER)
    client.force_login(operator)
    assert client.get(reverse("accounts:preferences")).content.decode().count(f'href="{RUNS}"') == links
    assert client.get(RUNS).status_code == (200 if may else 403)

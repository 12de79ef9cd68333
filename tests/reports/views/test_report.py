"""The list of reports and one report."""

from datetime import date, timedelta

import pytest
import time_machine
from django.urls import reverse

from prepapp.interviews.choices import Mode, State
from prepapp.reports.figures import MissedPoint, to_json
from prepapp.reports.models import WeeklyReport
from tests.factories.accounts import GuestFactory, UserFactory
from tests.factories.bank import QuestionFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory
from tests.factories.reports import WeeklyReportFactory, figures

pytestmark = pytest.mark.django_db
LIST = reverse("reports:report-list")


@pytest.fixture(autouse=True)
def now():
    with time_machine.travel(STARTED_AT, tick=False):
        yield


@pytest.fixture
def user(client):
    user = UserFactory()
    client.force_login(user)
    return user


def page_of(label):
    return reverse("reports:report-detail", args=[label])


def missed(attempt, criterion="Puts a number on the waste"):
    return MissedPoint(
        criterion=criterion,
        is_must=True,
        missed=4,
        times=6,
        attempt=str(attempt.pk),
        position=1,
        answered_on=date(2026, 11, 5),
    )


def test_the_list_is_newest_first_and_says_what_is_new(client, user):
    WeeklyReportFactory(user=user, label="2026-W44", read_at=STARTED_AT)
    WeeklyReportFactory(user=user, label="2026-W45")
    WeeklyReportFactory(user=user, label="2026-W43", figures=None)
    WeeklyReportFactory(label="2026-W46")
    reports = client.get(LIST).context["reports"]
    assert [(row.label, row.is_new) for row in reports] == [("2026-W45", True), ("2026-W44", False)]


def test_an_empty_list_says_when_the_first_comes(client, user):
    page = client.get(LIST).content.decode()
    assert (
        "No report yet. The first one comes on Monday; it says most once you have marked an interview."
        in page
    )


def test_the_list_has_pages(client, user):
    for week in range(1, 18):
        WeeklyReportFactory(user=user, label=f"2026-W{week:02d}")
    first = client.get(LIST).context
    second = client.get(f"{LIST}?page={first['page'].next}")
    part = client.get(f"{LIST}?page={first['page'].next}", headers={"HX-Request": "true"})
    assert [row.label for row in first["reports"]] == [f"2026-W{week:02d}" for week in range(17, 4, -1)]
    assert [row.label for row in second.context["reports"]] == [
        f"2026-W{week:02d}" for week in range(4, 0, -1)
    ]
    assert part.content.decode().lstrip().startswith('<section id="reports"')


def test_a_report_shows_its_letter(client, user):
    attempt = AttemptFactory(user=user, state=State.GRADED)
    stored = to_json(figures(points=[missed(attempt)]))
    WeeklyReportFactory(user=user, figures=stored)
    page = client.get(page_of("2026-W45")).content.decode()
    assert (
        "You practised 1\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}50. GPU memory still costs you the most." in page
    )
    assert "41 %, 80 % sure between 31 and 52 · 6 answers" in page
    assert f'href="/attempts/{attempt.pk}/review/#answer-1"' in page
    assert 'name="topic" value="gpu.memory"' in page
    assert 'name="blueprint" value="screen"' in page
    assert "nan" not in page.lower()


def test_opening_it_is_noted_once(client, user):
    report = WeeklyReportFactory(user=user)
    read = reverse("reports:report-read", args=["2026-W45"])
    page = client.get(page_of("2026-W45")).content.decode()
    assert f'hx-post="{read}"' in page
    # Without script the person says so.
    assert (
        f'<form method="post" action="{read}"' in page.partition("<noscript>")[2].partition("</noscript>")[0]
    )
    assert WeeklyReport.objects.get().read_at is None
    assert client.post(read, headers={"HX-Request": "true"}).status_code == 204
    with time_machine.travel(STARTED_AT + timedelta(hours=1)):
        assert client.post(read).url == page_of("2026-W45")
    report.refresh_from_db()
    assert report.read_at == STARTED_AT
    assert read not in client.get(page_of("2026-W45")).content.decode()


@pytest.mark.parametrize("label", ["2026-W46", "2026-W99", "2026-W00"])
def test_a_week_without_a_report_is_not_found(client, user, label):
    WeeklyReportFactory(user=user)
    assert client.get(page_of(label)).status_code == 404


def test_a_report_that_could_not_be_made_is_not_found(client, user):
    WeeklyReportFactory(user=user, figures=None)
    assert client.get(page_of("2026-W45")).status_code == 404


def test_somebody_elses_report_is_not_found(client, user):
    WeeklyReportFactory()
    assert client.get(page_of("2026-W45")).status_code == 404


def test_a_guest_is_sent_to_sign_in(client):
    session = client.session
    session["guest"] = str(GuestFactory().pk)
    session.save()
    reply = client.get(page_of("2026-W45"))
    assert (reply.status_code, reply.url) == (302, "/account/sign-in/?next=/reports/2026-W45/")


def test_what_a_running_mock_asks_is_not_told(client, user):
    """P13: the rubric of a question that is being asked."""
    question = QuestionFactory()
    old = AttemptFactory(user=user, state=State.GRADED, responses__questions=[question])
    other = AttemptFactory(user=user, state=State.GRADED)
    points = [missed(old, "SECRET of the rubric"), missed(other, "Names the unit")]
    WeeklyReportFactory(user=user, figures=to_json(figures(points=points)))
    running = AttemptFactory(user=user, responses__questions=[question])
    page = client.get(page_of("2026-W45")).content.decode()
    assert "SECRET" not in page
    assert "Names the unit" in page
    assert "1 point of a question you are being asked now is shown after that interview." in page
    running.mode, running.deadline_at = Mode.PRACTICE, None
    running.save()
    assert "SECRET" in client.get(page_of("2026-W45")).content.decode()


def test_an_answer_that_was_deleted_is_not_linked(client, user):
    attempt = AttemptFactory(user=user, state=State.GRADED)
    WeeklyReportFactory(user=user, figures=to_json(figures(points=[missed(attempt)])))
    attempt.delete()
    page = client.get(page_of("2026-W45")).content.decode()
    assert "5 Nov, deleted since" in page
    assert "/review/" not in page


def test_a_copy_is_noted_once_an_hour(client, user):
    report = WeeklyReportFactory(user=user)
    page = client.post(reverse("reports:report-copy", args=["2026-W45"]), follow=True)
    assert f"A copy goes to {user.email} within a few minutes." in page.content.decode()
    report.refresh_from_db()
    assert report.copy_wanted_at == STARTED_AT
    WeeklyReport.objects.update(copy_wanted_at=None, copy_sent_at=STARTED_AT)
    page = client.post(reverse("reports:report-copy", args=["2026-W45"]), follow=True)
    assert "No copy goes out now." in page.content.decode()
    report.refresh_from_db()
    assert report.copy_wanted_at is None


@pytest.mark.parametrize("reports", [1, 3])
def test_the_list_is_three_queries(client, user, django_assert_num_queries, reports):
    for week in range(1, reports + 1):
        WeeklyReportFactory(user=user, label=f"2026-W{week:02d}")
    client.get(LIST)
    with django_assert_num_queries(3):  # session, person, reports
        client.get(LIST)


@pytest.mark.parametrize("missed_points", [1, 3])
def test_a_report_is_four_queries(client, user, django_assert_num_queries, missed_points):
    points = [missed(AttemptFactory(user=user, state=State.GRADED)) for _ in range(missed_points)]
    WeeklyReportFactory(user=user, read_at=STARTED_AT, figures=to_json(figures(points=points)))
    client.get(page_of("2026-W45"))
    with django_assert_num_queries(4):  # session, person, report, what is held back
        client.get(page_of("2026-W45"))

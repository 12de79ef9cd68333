from datetime import date

import pytest
import time_machine
from django.urls import reverse

from prepapp.accounts.models import User
from tests.accounts.steps import be_guest, sign_in
from tests.factories.accounts import UserFactory
from tests.factories.bank import TrackFactory

pytestmark = pytest.mark.django_db

PAGE = "/account/"
ABOUT = "/account/about-you/"
GOOD = {
    "track": "swe",
    "level": "senior",
    "interview_date": "2026-12-01",
    "time_zone": "Europe/Paris",
    "theme": "dark",
}
STORED = ("track", "level", "interview_date", "time_zone", "is_time_zone_confirmed", "theme")


@pytest.fixture(autouse=True)
def afternoon():
    """In Auckland it is the 13th already."""
    with time_machine.travel("2026-11-12 14:00 +0000", tick=False):
        yield


@pytest.fixture
def user(client):
    TrackFactory(code="swe", title="Software Engineer", position=1)
    TrackFactory(code="mle", title="Machine Learning Engineer", position=2)
    user = UserFactory()
    client.force_login(user)
    return user


def stored(user):
    return User.objects.values_list(*STORED).get(pk=user.pk)


def test_preferences_are_stored(client, user):
    reply = client.post(PAGE, GOOD)
    assert reply.url == PAGE
    assert stored(user) == ("swe", "senior", date(2026, 12, 1), "Europe/Paris", True, "dark")
    assert reply.cookies["theme"].value == "dark"
    page = client.get(PAGE)
    form = page.context["form"]
    assert {name: form[name].value() for name in GOOD} == {**GOOD, "interview_date": date(2026, 12, 1)}
    assert page.content.decode().count('value="2026-12-01"') == 1


def test_the_weekly_mail_can_be_taken_and_left(client, user):
    assert 'name="wants_weekly_mail" aria' in client.get(PAGE).content.decode()
    for ticked, wants in (({"wants_weekly_mail": "on"}, True), ({}, False)):
        client.post(PAGE, GOOD | ticked)
        assert client.get(PAGE).context["form"]["wants_weekly_mail"].value() is wants


def test_a_guest_has_no_address_to_mail_to(client):
    guest = be_guest(client)
    assert "wants_weekly_mail" not in client.get(PAGE).context["form"].fields
    client.post(PAGE, GOOD | {"track": "", "wants_weekly_mail": "on"})
    guest.refresh_from_db()
    assert (guest.theme, guest.wants_weekly_mail) == ("dark", False)


def test_what_may_be_left_out(client, user):
    client.post(PAGE, GOOD)
    client.post(PAGE, {**GOOD, "track": "", "interview_date": ""})
    assert stored(user) == ("", "senior", None, "Europe/Paris", True, "dark")


def test_the_tracks_come_from_the_bank(client, user):
    field = client.get(PAGE).context["form"].fields["track"]
    assert field.choices == [
        ("", "Not decided yet"),
        ("swe", "Software Engineer"),
        ("mle", "Machine Learning Engineer"),
    ]


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("track", "nothing", "Choose one from the list."),
        ("level", "", "This field is required."),
        ("level", "guru", "Select a valid choice. guru is not one of the available choices."),
        (
            "interview_date",
            "2026-11-11",
            "11 Nov 2026 is in the past. Choose today or a later day, or leave it empty.",
        ),
        ("interview_date", "2036-11-11", "That is more than five years away. Check the year."),
        ("interview_date", "soon", "Enter a date as year-month-day, for example 2027-03-09."),
        ("time_zone", "Europe/Atlantis", "Choose one from the list."),
        ("time_zone", "../../etc/passwd", "Choose one from the list."),
        ("theme", "pink", "Select a valid choice. pink is not one of the available choices."),
    ],
)
def test_bad_values_are_refused_and_kept_on_the_page(client, user, field, value, error):
    before = stored(user)
    reply = client.post(PAGE, {**GOOD, field: value})
    assert reply.status_code == 422
    assert reply.context["form"].errors == {field: [error]}
    assert {name: reply.context["form"][name].value() for name in GOOD} == {**GOOD, field: value}
    assert reply.content.decode().count("data-guess-time-zone") == 0
    assert stored(user) == before


@pytest.mark.parametrize(("zone", "status"), [("Pacific/Auckland", 422), ("America/New_York", 302)])
def test_today_is_the_day_where_the_person_is(client, user, zone, status):
    assert (
        client.post(PAGE, {**GOOD, "interview_date": "2026-11-12", "time_zone": zone}).status_code == status
    )


def test_an_interview_that_is_over_does_not_stand_in_the_way(client, user):
    User.objects.update(interview_date=date(2026, 11, 1))
    page = client.get(PAGE)
    assert page.context["form"]["interview_date"].value() is None
    assert client.post(PAGE, {**GOOD, "interview_date": ""}).status_code == 302


def test_only_listed_fields_are_taken(client, user):
    """S20"""
    client.post(PAGE, {**GOOD, "is_staff": "1", "email": "x@example.test", "time_allowance": "2.00"})
    row = User.objects.get(pk=user.pk)
    assert (row.is_staff, row.email, row.time_allowance) == (False, user.email, "1.00")


def test_the_browsers_zone_is_a_guess_until_confirmed(client, user):
    client.cookies["time_zone"] = "Asia/Calcutta"
    page = client.get(PAGE)
    assert page.context["form"]["time_zone"].value() == "Asia/Calcutta"
    assert page.content.decode().count("data-guess-time-zone") == 1
    client.post(PAGE, GOOD)
    page = client.get(PAGE)
    assert page.context["form"]["time_zone"].value() == "Europe/Paris"
    assert page.content.decode().count("data-guess-time-zone") == 0


def test_a_forged_zone_is_not_offered(client, user):
    client.cookies["time_zone"] = "<script>"
    page = client.get(PAGE)
    assert page.context["form"]["time_zone"].value() == "UTC"
    assert page.content.decode().count("<script>") == 0


def test_the_time_allowance_has_a_form_of_its_own(client, user):
    text = client.get(PAGE).content.decode()
    assert text.count(f'action="{reverse("interviews:allowance")}"') == 1
    client.post(reverse("interviews:allowance"), {"time_allowance": "1.50"})
    assert User.objects.get(pk=user.pk).time_allowance == "1.50"
    assert client.get(PAGE).content.decode().count('<option value="1.50" selected>') == 1


def test_a_guest_has_preferences_too(client):
    guest = be_guest(client)
    assert client.post(PAGE, {**GOOD, "track": ""}).status_code == 302
    assert stored(guest)[1:4] == ("senior", date(2026, 12, 1), "Europe/Paris")
    assert client.get(PAGE).content.decode().count(reverse("account_email")) == 0


def test_a_stranger_is_sent_to_sign_in(client):
    assert client.get(PAGE).url == f"/account/sign-in/?next={PAGE}"
    assert client.get(ABOUT).url == f"/account/sign-in/?next={ABOUT}"
    be_guest(client)
    assert client.get(ABOUT).url == f"/account/sign-in/?next={ABOUT}"


@pytest.mark.parametrize("address", [PAGE, ABOUT])
def test_other_verbs_are_refused(client, user, address):
    assert client.delete(address).status_code == 405


def test_about_you_is_short_and_leads_home(client, user):
    page = client.get(ABOUT)
    assert list(page.context["form"].fields) == ["track", "level", "interview_date", "time_zone"]
    assert page.content.decode().count('href="/">Skip for now') == 1
    assert client.post(ABOUT, GOOD).url == "/"
    assert stored(user) == ("swe", "senior", date(2026, 12, 1), "Europe/Paris", True, "system")


def test_about_you_refuses_what_preferences_refuses(client, user):
    reply = client.post(ABOUT, {**GOOD, "interview_date": "2026-11-11"})
    assert (reply.status_code, list(reply.context["form"].errors)) == (422, ["interview_date"])


def test_about_you_comes_once(client):
    user = UserFactory()
    assert sign_in(client, user.email).url == ABOUT
    client.post(reverse("account_logout"))
    assert sign_in(client, user.email).url == "/"


def test_queries_of_the_page(client, user, django_assert_num_queries):
    with django_assert_num_queries(3):  # session, person, tracks
        client.get(PAGE)
    with django_assert_num_queries(4):  # and the update
        client.post(PAGE, GOOD)


def test_times_are_shown_in_the_confirmed_zone(client, user):
    client.cookies["time_zone"] = "America/New_York"
    assert client.get(PAGE).content.decode().count("in America/New_York time") == 1
    client.post(PAGE, GOOD)
    assert client.get(PAGE).content.decode().count("in Europe/Paris time") == 1

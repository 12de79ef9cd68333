import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.interviews.models import Attempt
from tests.accounts.steps import be_guest, code_in, confirm, person_of, sign_in, sign_up, visible
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.interviews import AttemptFactory

pytestmark = pytest.mark.django_db

CONFIRM = "/account/confirm/"


def test_sign_up_asks_for_address_and_password_and_whether_to_mail_the_report(client):
    form = client.get(reverse("account_signup")).context["form"]
    assert list(form.fields) == ["email", "password1", "wants_weekly_mail"]
    assert not form["wants_weekly_mail"].value()
    assert not form.fields["wants_weekly_mail"].required


@pytest.mark.parametrize(("ticked", "wants"), [({"wants_weekly_mail": "on"}, True), ({}, False)])
def test_the_weekly_mail_is_chosen_never_assumed(client, mailoutbox, ticked, wants):
    sign_up(client, "mia@example.test", **ticked)
    confirm(client, code_in(mailoutbox[0]))
    assert person_of(client).wants_weekly_mail is wants


def test_signing_up_with_a_known_address_changes_no_choice_of_its_owner(client):
    owner = UserFactory(wants_weekly_mail=False)
    sign_up(client, owner.email, wants_weekly_mail="on")
    owner.refresh_from_db()
    assert owner.wants_weekly_mail is False


def test_sign_up_confirm_and_be_signed_in(client, mailoutbox):
    reply = sign_up(client, "mia@example.test")
    assert (reply.status_code, reply.url) == (302, CONFIRM)
    assert person_of(client) is None
    assert [(mail.to, mail.subject) for mail in mailoutbox] == [(["mia@example.test"], "Your prepapp code")]
    reply = confirm(client, code_in(mailoutbox[0]))
    assert (reply.status_code, reply.url) == (302, "/account/about-you/")
    assert person_of(client) == User.objects.get(email="mia@example.test")


def test_a_code_may_be_typed_as_it_suits(client, mailoutbox):
    sign_up(client, "mia@example.test")
    confirm(client, code_in(mailoutbox[0]).lower().replace("-", " "))
    assert person_of(client) == User.objects.get(email="mia@example.test")


def test_sign_up_leads_to_the_page_that_was_asked_for(client, mailoutbox):
    sign_up(client, "mia@example.test", next="/history/?page=2")
    assert confirm(client, code_in(mailoutbox[0])).url == "/history/?page=2"


def test_until_the_code_a_visitor_stays_the_guest(client, mailoutbox):
    guest = be_guest(client)
    AttemptFactory(user=guest)
    sign_up(client, "mia@example.test")
    page = client.get(CONFIRM)
    assert page.context["candidate"] == guest
    assert confirm(client, "WRNG-CODE").context["candidate"] == guest
    confirm(client, code_in(mailoutbox[0]))
    assert Attempt.objects.get().user == person_of(client)
    assert not User.objects.guests().exists()


def test_leaving_the_code_page_keeps_the_guest_and_what_the_browser_keeps(client):
    guest = be_guest(client)
    sign_up(client, "mia@example.test")
    reply = client.post(reverse("account_logout"), {"next": reverse("account_signup")})
    assert (reply.url, reply.headers.get("Clear-Site-Data")) == (reverse("account_signup"), None)
    assert client.get(reverse("account_signup")).context["candidate"] == guest


def test_three_wrong_codes_end_the_attempt_to_confirm(client, mailoutbox):
    sign_up(client, "mia@example.test")
    assert [confirm(client, "WRNG-CODE").status_code for _ in range(3)] == [200, 200, 302]
    assert confirm(client, code_in(mailoutbox[0])).url == reverse("account_login")
    assert person_of(client) is None


def test_a_new_code_replaces_the_old_one(client, mailoutbox):
    sign_up(client, "mia@example.test")
    cache.clear()  # ten seconds later
    client.post(CONFIRM, {"action": "resend"})
    first, second = (code_in(mail) for mail in mailoutbox)
    assert confirm(client, first).status_code == 200
    confirm(client, second)
    assert person_of(client) == User.objects.get()


def test_sign_in_before_the_code_asks_for_a_new_one(client, mailoutbox):
    sign_up(Client(), "mia@example.test")
    cache.clear()
    assert sign_in(client, "mia@example.test").url == CONFIRM
    assert confirm(client, code_in(mailoutbox[1])).url == "/account/about-you/"
    assert person_of(client) == User.objects.get()


@pytest.mark.parametrize("action", ["sign up", "reset"])
def test_known_and_unknown_address_look_the_same(action, mailoutbox):
    """ATH-01"""
    UserFactory(email="cleo@example.test")
    seen = []
    for address in ("cleo@example.test", "new.@example.test".replace(".@", "o@")):
        client = Client()
        if action == "sign up":
            reply = sign_up(client, address)
        else:
            reply = client.post(reverse("account_reset_password"), {"email": address})
        page = client.get(reply.url)
        seen.append(
            (
                reply.status_code,
                reply.url,
                sorted(reply.cookies),
                sorted(reply.headers),
                visible(page).replace(address, ""),
                sorted(client.cookies),
            )
        )
        if action == "sign up":
            again = confirm(client, "WRNG-CODE")
            seen[-1] += (again.status_code, visible(again).replace(address, ""))
    assert seen[0] == seen[1]
    subjects = {
        "sign up": ["You have a prepapp account already", "Your prepapp code"],
        "reset": ["Reset your prepapp password", "No prepapp account with this address"],
    }
    assert [mail.subject for mail in mailoutbox] == subjects[action]
    assert [mail.to for mail in mailoutbox] == [["cleo@example.test"], ["newo@example.test"]]


def test_sign_up_with_a_known_address_changes_nothing(client):
    cleo = UserFactory(email="cleo@example.test")
    sign_up(client, "Cleo@Example.test", password="another long password")
    cleo.refresh_from_db()
    assert cleo.check_password(PASSWORD)
    assert User.objects.count() == 1


def test_one_account_whatever_the_capital_letters(client, mailoutbox):
    """ATH-03"""
    sign_up(client, "Mia@Example.test")
    confirm(client, code_in(mailoutbox[0]))
    mia = User.objects.get()
    for address in ("mia@example.test", "MIA@EXAMPLE.TEST", "Mia@Example.test"):
        client.post(reverse("account_logout"))
        assert person_of(client) is None
        sign_in(client, address)
        assert person_of(client) == mia
    cache.clear()
    other = Client()
    assert sign_up(other, "mia@example.test").url == CONFIRM
    reply = other.post(reverse("account_reset_password"), {"email": "MIA@EXAMPLE.TEST"})
    assert (reply.status_code, mailoutbox[-1].subject) == (302, "Reset your prepapp password")
    assert list(User.objects.values_list("email", flat=True)) == ["mia@example.test"]
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("mia@example.test", True)]


@pytest.mark.parametrize(
    ("password", "error"),
    [
        ("elevenchars", "This password is too short. It must contain at least 12 characters."),
        ("temppassword", "This password is too common."),
        ("mia.long.name@example.test", "The password is too similar to the e-mail."),
        ("my prepapp secret", "Leave the name of this site out of your password."),
        ("", "Enter your password."),
    ],
)
def test_weak_passwords_are_refused_with_a_reason(client, password, error):
    reply = sign_up(client, "mia.long.name@example.test", password=password)
    assert reply.context["form"].errors == {"password1": [error]}
    assert User.objects.count() == 0


@pytest.mark.parametrize("password", ["é" * 128, " spaces around it  ", "Kürbis 🎃 am Abend"])
def test_passwords_are_taken_as_they_are_typed(client, mailoutbox, password):
    sign_up(client, "mia@example.test", password=password)
    confirm(client, code_in(mailoutbox[0]))
    client.post(reverse("account_logout"))
    sign_in(client, "mia@example.test", password=password)
    assert person_of(client) == User.objects.get()


def test_bad_fields_are_marked_named_and_focused(client):
    """A11-03"""
    page = sign_up(client, "not an address", password="short").content.decode()
    assert page.count("autofocus") == 1
    email = _tag(page, 'id="id_email"')
    assert 'value="not an address"' in email
    assert 'aria-invalid="true"' in email
    assert 'aria-describedby="id_email_error"' in email
    assert "autofocus" in email
    assert page.count('id="id_email_error"') == 1
    password = _tag(page, 'id="id_password1"')
    assert 'aria-invalid="true"' in password
    assert 'aria-describedby="id_password1_helptext id_password1_error"' in password
    assert "value=" not in password
    assert page.count("Enter an address like name@example.com.") == 1


def test_a_second_account_in_the_same_moment_is_answered_like_a_known_address(
    client, mailoutbox, monkeypatch
):
    """The address is taken between the check of the form and the insert."""
    from prepapp.accounts.forms.sign_in import SignupForm

    check = SignupForm.validate_unique_email

    def taken_meanwhile(form, value):
        checked = check(form, value)
        UserFactory(email=value, is_confirmed=False)
        return checked

    monkeypatch.setattr(SignupForm, "validate_unique_email", taken_meanwhile)
    reply = sign_up(client, "mia@example.test")
    assert (reply.status_code, reply.url) == (302, CONFIRM)
    assert [mail.subject for mail in mailoutbox] == ["You have a prepapp account already"]
    assert User.objects.count() == 1


def _tag(page, mark):
    start = page.rindex("<", 0, page.index(mark))
    return page[start : page.index(">", start)]

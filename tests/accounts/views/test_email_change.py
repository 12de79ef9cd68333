from urllib.parse import quote

import pytest
from allauth.account.models import EmailAddress
from django.urls import reverse

from prepapp.accounts.models import User
from tests.accounts.steps import code_in, confirm, person_of, sign_in
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db


def change(client, address):
    """Asks for the change, gives the password again; the page that asks for the code."""
    page = reverse("account_email")
    asked = client.post(page, {"action_add": "1", "email": address})
    if asked.status_code == 200:
        return asked
    assert asked.url == f"/account/again/?next={quote(page, safe='')}"
    return client.post(asked.url, {"password": PASSWORD, "next": page})


def test_change_takes_effect_with_the_code_and_tells_the_old_address(client, mailoutbox):
    user = UserFactory(email="old@example.test")
    sign_in(client, user.email)
    assert change(client, "New@Example.test").url == reverse("account_email_verification_sent")
    assert User.objects.get().email == "old@example.test"
    assert confirm(client, code_in(mailoutbox[0])).url == reverse("account_email")
    assert User.objects.get().email == "new@example.test"
    assert list(EmailAddress.objects.values_list("email", "verified", "primary")) == [
        ("new@example.test", True, True)
    ]
    assert [(mail.to, mail.subject) for mail in mailoutbox] == [
        (["new@example.test"], "Your prepapp code"),
        (["old@example.test"], "Your prepapp address was changed"),
    ]


def test_change_needs_the_password_again(client, mailoutbox):
    user = UserFactory()
    sign_in(client, user.email)
    asked = client.post(reverse("account_email"), {"action_add": "1", "email": "new@example.test"})
    reply = client.post(asked.url, {"password": "a wrong password"})
    assert reply.context["form"].errors == {"password": ["This is not your password."]}
    assert mailoutbox == []


def test_an_address_squatted_without_confirmation_goes_to_its_owner(client, mailoutbox):
    UserFactory(email="wanted@example.test", is_confirmed=False)
    user = UserFactory(email="old@example.test")
    sign_in(client, user.email)
    change(client, "wanted@example.test")
    confirm(client, code_in(mailoutbox[0]))
    assert list(User.objects.values_list("pk", "email")) == [(user.pk, "wanted@example.test")]


def test_a_confirmed_address_of_somebody_else_is_refused_after_the_code(client, mailoutbox):
    UserFactory(email="taken@example.test")
    user = UserFactory(email="old@example.test")
    sign_in(client, user.email)
    assert change(client, "taken@example.test").url == reverse("account_email_verification_sent")
    reply = confirm(client, code_in(mailoutbox[0]))
    assert reply.status_code == 200
    assert person_of(client).email == "old@example.test"


def test_ones_own_address_is_refused_at_once(client):
    user = UserFactory()
    sign_in(client, user.email)
    reply = change(client, user.email.upper())
    assert reply.context["form"].errors == {"email": ["This is your address already."]}

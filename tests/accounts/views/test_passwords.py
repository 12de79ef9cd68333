from datetime import timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from tests.accounts.steps import NEW_PASSWORD, be_guest, link_in, person_of, sign_in
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db


def ask(client, email):
    return client.post(reverse("account_reset_password"), {"email": email})


def choose(client, link, password=NEW_PASSWORD):
    """Follows a link and, where it is valid, sets the password. The last page."""
    page = client.get(link, follow=True)
    if page.context.get("token_fail"):
        return page
    return client.post(page.context["action_url"], {"password1": password})


def is_refused(page):
    assert page.status_code == 200
    return (
        page.context.get("token_fail") is True
        and page.content.decode().count("This link is not valid</h1>") == 1
        and page.content.decode().count(f'href="{reverse("account_reset_password")}"') == 1
    )


def test_reset_sets_the_password_and_ends_other_sessions(client, mailoutbox):
    user, elsewhere = UserFactory(), Client()
    sign_in(elsewhere, user.email)
    ask(client, user.email)
    assert choose(client, link_in(mailoutbox[0])).url == reverse("account_reset_password_from_key_done")
    assert elsewhere.get("/account/").status_code == 302
    assert mailoutbox[1].subject == "Your prepapp password was reset"
    sign_in(client, user.email, NEW_PASSWORD)
    assert person_of(client) == user


def test_the_key_is_not_in_the_address_of_the_form(client, mailoutbox):
    ask(client, UserFactory().email)
    reply = client.get(link_in(mailoutbox[0]))
    assert reply.url.endswith("-set-password/")


def test_a_link_that_is_not_valid_says_so(client, mailoutbox):
    """ATH-07"""
    user = UserFactory()
    ask(client, user.email)
    link = link_in(mailoutbox[0])
    opened = client.get(link).url
    assert is_refused(Client().get(opened))
    sign = link[-2]
    assert is_refused(Client().get(f"{link[:-2]}{'a' if sign != 'a' else 'b'}/"))
    assert is_refused(Client().get("/account/password/reset/zz-abc-def/"))
    assert is_refused(Client().get(f"/account/password/reset/{'0' * 32}-abc-def/"))
    assert choose(client, link).status_code == 302
    assert is_refused(choose(client, link))
    assert User.objects.get().check_password(NEW_PASSWORD)


def test_a_newer_link_ends_the_older_one(client, mailoutbox):
    user = UserFactory()
    ask(client, user.email)
    ask(client, user.email)
    older, newer = (link_in(mail) for mail in mailoutbox)
    assert is_refused(Client().get(older, follow=True))
    assert choose(client, newer).status_code == 302


def test_a_form_opened_with_the_older_link_is_refused_too(client, mailoutbox):
    user = UserFactory()
    ask(client, user.email)
    page = client.get(link_in(mailoutbox[0]), follow=True)
    ask(Client(), user.email)
    assert is_refused(client.post(page.context["action_url"], {"password1": NEW_PASSWORD}))


@pytest.mark.parametrize(("age", "refused"), [(3590, False), (3610, True)])
def test_a_link_is_good_for_an_hour(client, mailoutbox, age, refused):
    with time_machine.travel("2026-11-12 14:00 +0000", tick=False) as clock:
        ask(client, UserFactory().email)
        clock.shift(timedelta(seconds=age))
        page = Client().get(link_in(mailoutbox[0]), follow=True)
        assert bool(page.context.get("token_fail")) is refused


def test_reset_refuses_a_weak_password(client, mailoutbox):
    ask(client, UserFactory().email)
    reply = choose(client, link_in(mailoutbox[0]), "elevenchars")
    assert reply.context["form"].errors == {
        "password1": ["This password is too short. It must contain at least 12 characters."]
    }


def test_change_keeps_this_session_ends_the_others_and_mails_a_notice(client, mailoutbox):
    user, elsewhere = UserFactory(), Client()
    sign_in(elsewhere, user.email)
    sign_in(client, user.email)
    change = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD}
    assert client.post(reverse("account_change_password"), change).url == "/account/"
    assert client.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    assert [(mail.to, mail.subject) for mail in mailoutbox] == [
        ([user.email], "Your prepapp password was changed")
    ]


def test_change_needs_the_current_password(client, mailoutbox):
    user = UserFactory()
    sign_in(client, user.email)
    reply = client.post(
        reverse("account_change_password"), {"oldpassword": "not this one", "password1": NEW_PASSWORD}
    )
    assert reply.context["form"].errors == {"oldpassword": ["This is not your current password."]}
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert mailoutbox == []


def test_resets_to_one_address_are_limited(client):
    user = UserFactory()
    assert [ask(client, user.email).status_code for _ in range(6)] == [302] * 5 + [429]
    cache.clear()
    assert ask(client, user.email).status_code == 302


def test_a_guest_who_resets_a_password_stays_the_guest(client, mailoutbox):
    guest = be_guest(client)
    ask(client, UserFactory().email)
    choose(client, link_in(mailoutbox[0]))
    assert client.get(reverse("account_login")).context["candidate"] == guest

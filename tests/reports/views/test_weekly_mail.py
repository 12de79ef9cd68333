"""Stopping the weekly mail from the mail (EML-03)."""

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.reports.tokens import unsubscribe_token
from tests.factories.accounts import GuestFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleo():
    return UserFactory(wants_weekly_mail=True)


def stop(user):
    return reverse("reports:unsubscribe", args=[unsubscribe_token(user.pk)])


def again(user):
    return reverse("reports:subscribe", args=[unsubscribe_token(user.pk)])


def wants(user):
    return User.objects.get(pk=user.pk).wants_weekly_mail


def test_reading_the_address_changes_nothing(client, cleo):
    for _ in range(3):
        assert client.get(stop(cleo)).status_code == 200
        assert client.head(stop(cleo)).status_code == 200
        assert client.get(again(cleo)).status_code == 405
    assert wants(cleo) is True


def test_one_click_works_signed_out_without_a_token_of_the_page_and_twice(cleo):
    client = Client(enforce_csrf_checks=True)
    for _ in range(2):
        reply = client.post(stop(cleo), {"List-Unsubscribe": "One-Click"})
        assert reply.status_code == 200
        assert "The weekly mail is stopped" in reply.content.decode()
        assert wants(cleo) is False


def test_it_can_be_taken_back(cleo):
    client = Client(enforce_csrf_checks=True)
    client.post(stop(cleo))
    assert (client.post(again(cleo)).status_code, wants(cleo)) == (403, False)
    reply = client.post(again(cleo), {"csrfmiddlewaretoken": client.cookies["csrftoken"].value})
    assert "The weekly mail comes again" in reply.content.decode()
    assert wants(cleo) is True


def test_the_token_is_whose_mail_it_is_whoever_is_signed_in(client, cleo):
    other = UserFactory(wants_weekly_mail=True)
    client.force_login(other)
    client.post(stop(cleo))
    assert (wants(cleo), wants(other)) == (False, True)


@pytest.mark.parametrize("token", ["nonsense", "a.b", "0" * 32 + ".x"])
def test_an_address_that_was_not_made_here_is_not_found(client, cleo, token):
    address = reverse("reports:unsubscribe", args=[token])
    assert [client.get(address).status_code, client.post(address).status_code] == [404, 404]
    assert wants(cleo) is True


def test_an_account_that_is_gone_is_not_found(client, cleo):
    address = stop(cleo)
    cleo.delete()
    assert client.post(address).status_code == 404


def test_a_guest_has_no_weekly_mail(client):
    assert client.post(stop(GuestFactory())).status_code == 404

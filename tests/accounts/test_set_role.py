"""How somebody gets a role, and what it opens."""

import pytest
from django.core.management import CommandError, call_command

from prepapp.accounts.actions import set_role
from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from tests.factories.accounts import GuestFactory, UserFactory

pytestmark = pytest.mark.django_db

CURATE, PUBLISH, RUNS = "bank.curate_question", "bank.publish_question", "reports.view_weeklyreport"


def test_the_command_gives_and_takes_a_role(capsys):
    user = UserFactory(email="ada@example.test")
    call_command("set_role", "Ada@Example.test", "reviewer")
    assert User.objects.get(pk=user.pk).role == Role.REVIEWER
    call_command("set_role", "ada@example.test", "none")
    assert User.objects.get(pk=user.pk).role == Role.NONE
    assert capsys.readouterr().out.splitlines() == [
        "ada@example.test is now reviewer.",
        "ada@example.test is now without a role.",
    ]


def test_an_unknown_address_is_refused_with_what_to_do():
    with pytest.raises(CommandError, match="There is no account nobody"):
        call_command("set_role", "nobody@example.test", "curator")


def test_guests_and_words_that_are_no_role_are_refused():
    with pytest.raises(ValueError, match="guest"):
        set_role(user=GuestFactory(), role=Role.CURATOR)
    with pytest.raises(ValueError, match="'owner' is no role"):
        set_role(user=UserFactory(), role="owner")


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.NONE, (False, False, False)),
        (Role.CURATOR, (True, False, False)),
        (Role.REVIEWER, (True, True, False)),
        (Role.ADMIN, (True, True, True)),
    ],
)
def test_each_role_may_do_what_those_before_it_may(role, may, django_assert_num_queries):
    user = UserFactory(role=role)
    with django_assert_num_queries(0):
        found = tuple(user.has_perm(name) for name in (CURATE, PUBLISH, RUNS))
        assert user.has_module_perms("bank") is may[0]
    assert found == may


def test_a_role_ends_with_the_account():
    assert UserFactory(role=Role.ADMIN, is_active=False).has_perm(CURATE) is False

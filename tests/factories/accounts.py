"""People for tests: with an account and a confirmed address, or guests without."""

from datetime import UTC, datetime
from typing import Any

import factory
from allauth.account.models import EmailAddress
from factory.django import DjangoModelFactory

from prepapp.accounts.models import User

JOINED_AT = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"


class UserFactory(DjangoModelFactory[User]):
    """A person who can sign in with PASSWORD. `is_confirmed=False` leaves the address unconfirmed."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"person{n}@example.test")
    date_joined = JOINED_AT
    password = factory.django.Password(PASSWORD)

    @factory.post_generation
    def is_confirmed(user: User, create: bool, extracted: bool | None, **_: Any) -> None:
        if create:
            EmailAddress.objects.create(
                user=user, email=user.email, primary=True, verified=extracted is not False
            )


class GuestFactory(DjangoModelFactory[User]):
    """A visitor who has started to work."""

    class Meta:
        model = User

    is_guest = True
    email = None
    date_joined = JOINED_AT
    password = factory.django.Password(None)

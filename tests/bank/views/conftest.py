"""The persons who look at questions, each with a client of their own."""

import pytest
from django.test import Client

from tests.factories.accounts import UserFactory


@pytest.fixture
def anonymous() -> Client:
    return Client()


@pytest.fixture
def candidate() -> Client:
    client = Client()
    client.force_login(UserFactory())
    return client


@pytest.fixture
def curator() -> Client:
    client = Client()
    client.force_login(UserFactory(is_staff=True))
    return client


@pytest.fixture(params=["anonymous", "candidate", "curator"])
def anyone(request: pytest.FixtureRequest) -> Client:
    client: Client = request.getfixturevalue(request.param)
    return client

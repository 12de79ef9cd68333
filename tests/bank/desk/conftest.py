"""A curator and a reviewer at the desk, each with a client of their own, at a fixed time."""

from collections.abc import Iterator

import pytest
import time_machine
from django.test import Client

from prepapp.accounts.models import User
from tests.factories.curation import EDITED_AT, curator, reviewer


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    with time_machine.travel(EDITED_AT, tick=False):
        yield


@pytest.fixture
def writer(db: None) -> User:
    return curator(email="ada@example.test")


@pytest.fixture
def reader(db: None) -> User:
    return reviewer(email="bo@example.test")


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def desk(writer: User) -> Client:
    return client_of(writer)


@pytest.fixture
def second(reader: User) -> Client:
    return client_of(reader)

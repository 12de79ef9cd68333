"""The small site of `world`, built once for all tests of a module."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine

from tests.architecture import world as worlds


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[worlds.World]:
    """Requests of a test are undone by the test; this undoes the rest. The clock stands."""
    with (
        django_db_blocker.unblock(),
        time_machine.travel(worlds.NOW, tick=False),
        worlds.world() as built,
    ):
        yield built


@pytest.fixture(autouse=True)
def no_lazy_loops(settings: Any) -> None:
    """Off here: these tests ask the same route ninety times, and what a page reads is watched elsewhere."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if not name.startswith("zeal.")]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Thousands of refusals are no news; writing them down took a fifth of the time."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)

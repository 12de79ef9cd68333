"""Fixtures of the tests about people."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def no_limits_of_earlier_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """The cache is a table that a flush between transactional tests leaves alone."""
    yield
    if request.node.get_closest_marker("django_db"):
        cache.clear()

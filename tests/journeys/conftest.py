"""The small site of the architecture tests, for journeys that ask every route."""

from tests.architecture.conftest import world

__all__ = ["world"]

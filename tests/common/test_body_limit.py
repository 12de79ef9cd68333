"""What is too large is refused before it is read (P22)."""

from typing import Any

import pytest
from django.test import RequestFactory

from prepapp.common.middleware import BodyLimitMiddleware, takes_up_to

pytestmark = pytest.mark.embedded


class Unread:
    """A body that must not be touched."""

    def read(self, *args: Any) -> bytes:
        raise AssertionError("the body was read")


def usual() -> None:
    """A view."""


@takes_up_to(5_000_000)
def upload() -> None:
    """A view that takes more."""


@pytest.mark.parametrize(
    ("view", "size", "megabytes"),
    [
        (usual, "2000000", None),
        (usual, "2000001", "2 MB is the most"),
        (upload, "5000000", None),
        (upload, "5000001", "5 MB is the most"),
        (usual, "", None),
        (usual, "many", None),
    ],
)
def test_a_body_above_the_limit_of_its_view_is_refused_unread(
    view: Any, size: str, megabytes: str | None
) -> None:
    request = RequestFactory().post("/")
    request.META["CONTENT_LENGTH"] = size
    request.META["wsgi.input"] = Unread()
    reply = BodyLimitMiddleware(lambda request: None).process_view(request, view, (), {})  # type: ignore[arg-type,return-value]
    if megabytes is None:
        assert reply is None
    else:
        assert reply is not None
        assert reply.status_code == 413
        assert megabytes in reply.content.decode()

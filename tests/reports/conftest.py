"""A mail server, and the settings that lead to it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.smtp_sink import Sink, smtp_sink


@pytest.fixture
def sink(settings: Any) -> Iterator[Sink]:
    with smtp_sink() as server:
        settings.EMAIL_BACKEND = "prepapp.common.mail.SmtpBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_TIMEOUT = 10
        settings.SITE_URL = "https://prepapp.example"
        settings.DEFAULT_FROM_EMAIL = "prepapp <no-reply@prepapp.example>"
        yield server

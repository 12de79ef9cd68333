"""Handing mail over, and knowing what became of it. In embedded mode mail is files in the data folder and
its text in the console, since nobody runs a mail server to try a program.

Not here: what a mail says and whether it may be sent, which is each app's own.
"""

import logging
import smtplib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends import filebased, smtp

logger = logging.getLogger("prepapp.mail")

_MESSAGE_LENGTH = 200


class FileAndConsoleBackend(filebased.EmailBackend):
    """Writes each message to a file of its own and logs recipient, subject and text."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            logger.info("mail to %s: %s\n%s", ", ".join(message.to), message.subject, message.body)
        return super().send_messages(email_messages) or 0


class NotAccepted(Exception):
    """Nothing was taken by the mail server, for certain. `is_final`: it said that it will not take this
    mail; otherwise trying again later may help."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.is_final = is_final


class Unclear(Exception):
    """The text went out, and no answer came or none that says no: taken or not, nobody can tell."""


class _Staged:
    """A session that knows whether the text of a mail has begun to go out. Before that, and whenever the
    server refuses it, the outcome is certain."""

    text_went_out = False
    _within_data = False

    def data(self, msg: Any) -> Any:
        self._within_data = True
        try:
            return super().data(msg)  # type: ignore[misc]
        finally:
            self._within_data = False

    def send(self, s: Any) -> None:
        # Commands are text, what follows DATA is bytes.
        if self._within_data and isinstance(s, bytes):
            self.text_went_out = True
        super().send(s)  # type: ignore[misc]


class _Session(_Staged, smtplib.SMTP):
    pass


class _SecureSession(_Staged, smtplib.SMTP_SSL):
    pass


class SmtpBackend(smtp.EmailBackend):
    """Django's, with sessions that know how far they came."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _SecureSession if self.use_ssl else _Session


def hand_over(message: EmailMessage) -> None:
    """Gives one message to the mail server and returns when it has taken it. NotAccepted, Unclear; any other
    exception means that the message could not be written at all."""
    connection = get_connection()
    session = None
    try:
        try:
            connection.open()
        except (OSError, SoftTimeLimitExceeded) as error:
            # Nothing was said about this mail yet, not even by a server that refused us for good.
            raise NotAccepted(_reason(error), is_final=False) from error
        session = getattr(connection, "connection", None)
        try:
            if not connection.send_messages([message]):
                raise NotAccepted("nothing was sent", is_final=False)
        except (OSError, SoftTimeLimitExceeded) as error:
            raise _verdict(error, session) from error
    finally:
        # What was taken stays taken, however the good-bye goes.
        with suppress(OSError):
            connection.close()


def _verdict(error: Exception, session: object) -> Exception:
    code = _reply_code(error)
    # smtplib takes 250 alone for a yes; another answer that refuses nothing may be one as well.
    is_refused = code is not None and 400 <= code < 600
    if getattr(session, "text_went_out", False) and not is_refused:
        return Unclear(_reason(error))
    is_final = isinstance(error, smtplib.SMTPNotSupportedError) or (code is not None and code >= 500)
    return NotAccepted(_reason(error), is_final=is_final)


def _reply_code(error: Exception) -> int | None:
    """The code the server answered the mail with, if it did."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return max((code for code, _ in error.recipients.values()), default=None)
    return error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else None


def _reason(error: Exception) -> str:
    """The server's own words, or what went wrong on the way to it; one line."""
    text: object = error
    code: object = f"{type(error).__name__}:"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
    elif isinstance(error, smtplib.SMTPResponseException):
        code, text = error.smtp_code, error.smtp_error
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return " ".join(f"{code} {words}".split())[:_MESSAGE_LENGTH]

"""Mail in embedded mode: files in the data folder, and the text in the console, since nobody runs a
mail server to try a program."""

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.filebased import EmailBackend

logger = logging.getLogger("prepapp.mail")


class FileAndConsoleBackend(EmailBackend):
    """Writes each message to a file of its own and logs recipient, subject and text."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            logger.info("mail to %s: %s\n%s", ", ".join(message.to), message.subject, message.body)
        return super().send_messages(email_messages) or 0

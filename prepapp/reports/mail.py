"""The weekly report as a mail: made from the same letter as the page."""

from datetime import datetime
from email.utils import parseaddr
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.reports.models import WeeklyReport
from prepapp.reports.queries.letters import read_letter
from prepapp.reports.tokens import unsubscribe_token


def address_of(user: User) -> str:
    """Where mail to the person goes now; '' while the account is closed or its address not confirmed: it may
    be a stranger's."""
    if not user.is_active or user.is_guest or not user.email:
        return ""
    confirmed = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return user.email if confirmed.exists() else ""


def compose(
    report: WeeklyReport, address: str, now: datetime, *, copied_at: datetime | None = None
) -> EmailMultiAlternatives:
    """The mail of a report as it may be read now, to `address`. A copy has a name of its own: a mailbox that
    has the first one would hide it."""
    letter = read_letter(report, now)
    site = settings.SITE_URL
    unsubscribe = site + reverse("reports:unsubscribe", args=[unsubscribe_token(report.user_id)])
    context = {
        "letter": letter,
        "site": site,
        "report_url": site + reverse("reports:report-detail", args=[letter.week.label]),
        "unsubscribe_url": unsubscribe,
        "preferences_url": site + reverse("accounts:preferences"),
    }
    subject = render_to_string("emails/weekly/subject.txt", context)
    message = EmailMultiAlternatives(
        # One line, whatever a template or a title holds.
        subject=" ".join(subject.split()),
        body=render_to_string("emails/weekly/body.txt", context),
        to=[address],
        headers={
            "Message-ID": message_id(report, copied_at),
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )
    message.attach_alternative(render_to_string("emails/weekly/body.html", context), "text/html")
    return message


def message_id(report: WeeklyReport, copied_at: datetime | None = None) -> str:
    """The same for a report however often it is composed, so that whatever receives it twice can tell."""
    _, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    domain = sender.rpartition("@")[2] or urlsplit(settings.SITE_URL).hostname or "localhost"
    # Short enough for a line: a folded name is misread here and there.
    copy = f".{int(copied_at.timestamp()):x}" if copied_at else ""
    return f"<{report.pk.hex}{copy}@{domain}>"

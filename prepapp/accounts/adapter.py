"""What sign-in does beyond allauth: it claims a guest's work, leads somebody new to 'about you', and
says everything in our words."""

from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from prepapp.accounts.access import forget_guest, guest_id_of
from prepapp.accounts.actions import claim_guest_work, free_unconfirmed_address
from prepapp.accounts.cookies import CLAIM_COOKIE, DAY, set_readable_cookie
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock

_CLAIMED = "_claimed_guest"
_FIRST = "_is_first_sign_in"


class AccountAdapter(DefaultAccountAdapter):
    error_messages: ClassVar[dict[str, str]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "This address and password do not belong together. Check both.",
        "too_many_login_attempts": (
            "Too many wrong tries. Wait five minutes and sign in again, or reset your password to get in now."
        ),
        "incorrect_code": "This is not the code from the newest mail. Check it, or ask for a new one.",
        "incorrect_password": "This is not your password.",
        "enter_current_password": "This is not your current password.",
        "duplicate_email": "This is your address already.",
        "email_taken": "This address cannot be used. Choose another one.",
        "rate_limited": "A code was sent a moment ago. Wait ten seconds before you ask for another.",
    }

    def login(self, request: HttpRequest, user: User) -> None:
        guest_id = guest_id_of(request)
        setattr(request, _FIRST, user.last_login is None)
        super().login(request, user)
        if guest_id is None:
            return
        forget_guest(request)
        if claim_guest_work(guest_id=guest_id, user=user, now=read_clock()):
            setattr(request, _CLAIMED, guest_id)

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        reply: HttpResponse = super().post_login(request, user, **kwargs)
        if guest_id := getattr(request, _CLAIMED, None):
            set_readable_cookie(request, reply, CLAIM_COOKIE, f"{guest_id}.{user.pk}", DAY)
            messages.success(request, "What you did before you signed in is in your account now.")
        return reply

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Where sign-in leads when no page was asked for."""
        if getattr(request, _FIRST, False):
            return reverse("accounts:about-you")
        return str(super().get_login_redirect_url(request))

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        return self.get_login_redirect_url(request)

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """After a changed address was confirmed."""
        return reverse("account_email")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("accounts:preferences")

    def set_password(self, user: User, password: str) -> None:
        user.set_password(password)
        user.save(update_fields=["password"])

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Whoever proves an address gets it, unless an account that proved it before has it."""
        try:
            with transaction.atomic():
                free_unconfirmed_address(email=email_address.email, owner=email_address.user)
                return bool(super().confirm_email(request, email_address))
        except IntegrityError:
            messages.error(request, self.error_messages["email_taken"])
            return False

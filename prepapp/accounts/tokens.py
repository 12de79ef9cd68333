"""The secret in a password link. Django's own: signed, an hour old at most, dead once the password, the
address or the last sign-in changes. Added: asking for a new link ends the older ones."""

from django.contrib.auth.tokens import PasswordResetTokenGenerator

from prepapp.accounts.models import User


class ResetTokenGenerator(PasswordResetTokenGenerator):
    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.reset_number}"

"""What sign-in does beyond allauth."""

from allauth.account.adapter import DefaultAccountAdapter


class AccountAdapter(DefaultAccountAdapter):
    """Replaced below by claiming a guest's work."""

"""`manage.py set_role EMAIL ROLE`: how the first curator, reviewer or admin comes about."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from prepapp.accounts.actions import set_role
from prepapp.accounts.choices import Role
from prepapp.accounts.models import User

NONE = "none"


class Command(BaseCommand):
    help = "Give an account a role: curator (writes), reviewer (publishes what others wrote), admin, or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the e-mail address of the account")
        parser.add_argument("role", choices=[NONE, *filter(None, Role.values)])

    def handle(self, *args: Any, email: str, role: str, **options: Any) -> None:
        user = User.objects.filter(email__iexact=email.strip()).first()
        if user is None:
            raise CommandError(
                f"There is no account {email}. Sign up on the site first, then give it a role."
            )
        set_role(user=user, role=Role.NONE if role == NONE else Role(role))
        self.stdout.write(f"{user.email} is now {'without a role' if role == NONE else f'{role}'}.")

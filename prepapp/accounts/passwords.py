"""What a password may not be, beyond Django's own rules."""

from django.core.exceptions import ValidationError

from prepapp.accounts.models import User

_NAME = "prepapp"


class ProductNameValidator:
    """Refuses the first thing somebody guesses on this site: its name."""

    def validate(self, password: str, user: User | None = None) -> None:
        if _NAME in password.lower():
            raise ValidationError("Leave the name of this site out of your password.", code="product_name")

    def get_help_text(self) -> str:
        return "Your password cannot contain the name of this site."

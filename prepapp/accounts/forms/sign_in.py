"""allauth's forms in our words, named in the settings as ACCOUNT_FORMS. What they check and do stays
allauth's, except where a docstring says otherwise."""

from typing import Any

from allauth.account import forms as allauth
from allauth.account.adapter import get_adapter
from django.contrib.auth.hashers import make_password
from django.core.validators import EmailValidator
from django.db import IntegrityError, transaction
from django.forms import EmailField, Form
from django.http import HttpRequest, HttpResponse

from prepapp.accounts.actions import end_older_reset_links, save_preferences
from prepapp.accounts.forms.fields import FocusedField, weekly_mail_field
from prepapp.accounts.models import User

_NEW_PASSWORD_HELP = "At least 12 characters. A few unrelated words make a good one."  # noqa: S105


def _say(form: Form, **labels: str) -> None:
    """Our labels, no placeholders: those vanish while one types and repeat the label before."""
    for name, label in labels.items():
        form.fields[name].label = label
        form.fields[name].widget.attrs.pop("placeholder", None)
        form.fields[name].error_messages["required"] = f"Enter your {label[0].lower()}{label[1:]}."
        if isinstance(form.fields[name], EmailField):
            form.fields[name].validators = [EmailValidator("Enter an address like name@example.com.")]


class LoginForm(allauth.LoginForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, login="E-mail address", password="Password")  # noqa: S106
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        # The link stands below the form, where the keyboard does not stop between the two fields.
        self.fields["password"].help_text = ""


class SignupForm(allauth.SignupForm):
    bound_field_class = FocusedField
    account_already_exists: bool

    wants_weekly_mail = weekly_mail_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, email="E-mail address", password1="Password")
        self.fields["password1"].help_text = _NEW_PASSWORD_HELP
        # allauth puts its own password last.
        self.order_fields(["email", "password1", "wants_weekly_mail"])

    def custom_signup(self, request: HttpRequest, user: User) -> None:
        super().custom_signup(request, user)
        save_preferences(person=user, values={"wants_weekly_mail": self.cleaned_data["wants_weekly_mail"]})

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """As allauth's, but takes the same time for a known and a new address, and a second press of the
        button that arrives in the same moment is answered like a known address, not with an error."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        else:
            try:
                with transaction.atomic():
                    return super().try_save(request)
            except IntegrityError:
                self.account_already_exists = True
        return super().try_save(request)


class ConfirmCodeForm(allauth.ConfirmEmailVerificationCodeForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, code="Code")
        self.fields["code"].error_messages["required"] = "Enter the code from the mail."
        self.fields["code"].widget.attrs |= {"autocapitalize": "characters", "spellcheck": "false"}

    def clean_code(self) -> str:
        """As allauth's, but an address that another account took and never confirmed is not taken."""
        code: str = allauth.BaseConfirmCodeForm.clean_code(self)
        if self.user and User.objects.keeping(self.email).exclude(pk=self.user.pk).exists():
            raise get_adapter().validation_error("email_taken")
        return code


class AddEmailForm(allauth.AddEmailForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, email="New e-mail address")


class ResetPasswordForm(allauth.ResetPasswordForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, email="E-mail address")

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """As allauth's, and the links of earlier mails stop working."""
        for user in self.users:
            end_older_reset_links(user=user)
        return super().save(request, **kwargs)


class ResetPasswordKeyForm(allauth.ResetPasswordKeyForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # One field that can be shown serves better than two that cannot.
        del self.fields["password2"]
        _say(self, password1="New password")
        self.fields["password1"].help_text = _NEW_PASSWORD_HELP


class ChangePasswordForm(allauth.ChangePasswordForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["password2"]
        _say(self, oldpassword="Current password", password1="New password")
        self.fields["oldpassword"].help_text = ""
        self.fields["password1"].help_text = _NEW_PASSWORD_HELP


class ReauthenticateForm(allauth.ReauthenticateForm):
    bound_field_class = FocusedField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self, password="Password")  # noqa: S106
        self.fields["password"].help_text = ""

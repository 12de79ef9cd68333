"""The pages of allauth that we use, under the names it knows them by and without a namespace. Left out:
social sign-in, several addresses per person, sign-in by code, links in place of codes."""

from allauth.account import views as account
from allauth.usersessions import views as usersessions
from django.urls import path, re_path

from prepapp.accounts.views import sign_out

urlpatterns = [
    path("sign-in/", account.login, name="account_login"),
    path("sign-out/", sign_out.sign_out, name="account_logout"),
    path("sign-up/", account.signup, name="account_signup"),
    path("confirm/", account.email_verification_sent, name="account_email_verification_sent"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("again/", account.reauthenticate, name="account_reauthenticate"),
    path("email/", account.email, name="account_email"),
    path("password/", account.password_change, name="account_change_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path("password/reset/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("sessions/", usersessions.list_usersessions, name="usersessions_list"),
]

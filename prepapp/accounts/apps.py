"""App configuration of accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "prepapp.accounts"

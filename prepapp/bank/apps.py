"""App configuration of the question bank."""

from django.apps import AppConfig


class BankConfig(AppConfig):
    name = "prepapp.bank"

"""App configuration of the shared leaf."""

from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "prepapp.common"

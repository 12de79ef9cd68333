"""App configuration of reports."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "prepapp.reports"
    label = "reports"

"""App configuration of interviews."""

from django.apps import AppConfig


class InterviewsConfig(AppConfig):
    name = "prepapp.interviews"

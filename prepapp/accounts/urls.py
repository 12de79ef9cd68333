"""Addresses of our own pages about a person. Those of allauth are in `sign_in_urls`."""

from django.urls import path

from prepapp.accounts.views import preferences, theme

app_name = "accounts"
urlpatterns = [
    path("", preferences.preferences, name="preferences"),
    path("about-you/", preferences.about_you, name="about-you"),
    path("theme", theme.theme, name="theme"),
]

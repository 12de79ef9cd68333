"""Addresses of bank."""

from django.urls import URLPattern

app_name = "bank"
urlpatterns: list[URLPattern] = []

"""Addresses of interviews."""

from django.urls import URLPattern

app_name = "interviews"
urlpatterns: list[URLPattern] = []

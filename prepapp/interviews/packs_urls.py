"""Addresses of packs."""

from django.urls import path

from prepapp.interviews.views import packs

app_name = "packs"
urlpatterns = [
    path("", packs.pack_list, name="pack-list"),
    path("<slug:slug>/", packs.pack_detail, name="pack-detail"),
    path("<slug:slug>/start", packs.pack_start, name="pack-start"),
]

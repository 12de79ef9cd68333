"""Addresses of exports, below /desk/exports/."""

from django.urls import path

from prepapp.bank.views import exports

app_name = "exports"
urlpatterns = [
    path("", exports.export_new, name="export-new"),
    path("file/", exports.export_file, name="export-file"),
]

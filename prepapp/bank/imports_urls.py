"""Addresses of imports, below /desk/imports/."""

from django.urls import path

from prepapp.bank.views import imports

app_name = "imports"
urlpatterns = [
    path("", imports.import_list, name="import-list"),
    path("new/", imports.import_new, name="import-new"),
    path("<uuid:run_id>/", imports.import_detail, name="import-detail"),
    path("<uuid:run_id>/confirm/", imports.import_confirm, name="import-confirm"),
    path("<uuid:run_id>/discard/", imports.import_discard, name="import-discard"),
    path("<uuid:run_id>/undo/", imports.import_undo, name="import-undo"),
]

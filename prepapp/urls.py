"""Where every address of the site starts."""

from django.contrib import admin
from django.urls import include, path

handler400 = "prepapp.common.errors.bad_request"
handler403 = "prepapp.common.errors.forbidden"
handler404 = "prepapp.common.errors.not_found"
handler429 = "prepapp.accounts.views.limits.too_many_requests"
handler500 = "prepapp.common.errors.server_error"

urlpatterns = [
    path("", include("prepapp.interviews.urls")),
    path("", include("prepapp.reports.urls")),
    path("admin/", admin.site.urls),
    path("questions/", include("prepapp.bank.urls")),
    path("packs/", include("prepapp.interviews.packs_urls")),
    path("desk/imports/", include("prepapp.bank.imports_urls")),
    path("desk/exports/", include("prepapp.bank.exports_urls")),
    path("", include("prepapp.bank.flags_urls")),
    path("desk/", include("prepapp.bank.desk_urls")),
    path("account/", include("prepapp.accounts.urls")),
    path("account/", include("prepapp.accounts.sign_in_urls")),
]

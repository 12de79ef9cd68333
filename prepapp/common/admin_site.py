"""The admin: lists and small forms for those who hold a role, in the look of django-unfold.

Here: the door, which is the site's own sign-in with its limits, and the looser content policy its scripts
need. Not here: what is listed (each app's `admin`).
"""

from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver
from django.views.decorators.http import require_http_methods
from unfold.admin import ModelAdmin
from unfold.sites import UnfoldAdminSite

# Addresses of the admin that the site's own pages stand for, or that nobody needs.
_LEFT_OUT = frozenset({"autocomplete", "login", "password_change_done", "view_on_site"})


class DeskSite(UnfoldAdminSite):
    """Open to whoever may see something in it: permissions follow from the role."""

    final_catch_all_view = False
    index_title = "Lists"

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [entry for entry in super().get_urls() if getattr(entry, "name", "") not in _LEFT_OUT]

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.has_module_perms("bank")

    def admin_view(
        self, view: Callable[..., HttpResponseBase], cacheable: bool = False
    ) -> Callable[..., Any]:
        """Visitors sign in where everybody does; who is signed in and lacks a role is told so."""
        inner = super().admin_view(csp_update(settings.ADMIN_CSP_ADDS)(view), cacheable)

        @require_http_methods(["GET", "HEAD", "POST"])
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not self.has_permission(request):
                raise PermissionDenied
            reply: HttpResponseBase = inner(request, *args, **kwargs)
            return reply

        return update_wrapper(guarded, view)

    def logout(self, request: HttpRequest, extra_context: Mapping[str, Any] | None = None) -> HttpResponse:
        return redirect("account_logout")

    def password_change(
        self, request: HttpRequest, extra_context: Mapping[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("account_change_password")


class DeskAdmin(ModelAdmin):
    """A model in the admin with only the pages it needs: `pages` names them among `changelist`, `add`,
    `change`, `delete`. What may be done follows from the permissions of the role."""

    pages: tuple[str, ...] = ("changelist",)
    list_fullwidth = True
    compressed_fields = True
    warn_unsaved_form = True

    def get_urls(self) -> list[URLPattern | URLResolver]:
        label = f"{self.opts.app_label}_{self.opts.model_name}_"
        kept = {f"{label}{page}" for page in self.pages}
        own = self.get_own_names()
        return [entry for entry in super().get_urls() if getattr(entry, "name", None) in kept | own]

    def get_own_names(self) -> set[str]:
        """Names of addresses a class adds to those of the model."""
        return set()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return "add" in self.pages and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" in self.pages and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" in self.pages and super().has_delete_permission(request, obj)

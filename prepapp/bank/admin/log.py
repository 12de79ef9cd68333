"""The log in the admin: read, filtered, never changed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from prepapp.bank.models import CurationEvent
from prepapp.common.admin_site import DeskAdmin


@admin.register(CurationEvent)
class CurationEventAdmin(DeskAdmin):
    list_display = ("at", "event", "label", "who", "note")
    list_display_links = None
    list_filter = (("event", ChoicesDropdownFilter),)
    list_filter_submit = True
    list_select_related = ("actor",)
    list_per_page = 50
    search_fields = ("label", "note", "actor__email")
    ordering = ("-at", "-pk")
    show_full_result_count = False
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[CurationEvent]:
        return super().get_queryset(request).defer("about")

    @admin.display(description="Who", ordering="actor__email")
    def who(self, event: CurationEvent) -> str:
        """Somebody whose account is gone is told by the number that is left."""
        if event.actor_id is None:
            return "prepapp"
        actor: Any = getattr(event, "actor", None)
        return str(actor) if actor else f"a deleted account ({event.actor_id})"

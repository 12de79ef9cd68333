"""People in the admin: finding somebody and giving them a role. Nothing of their work, no password."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from prepapp.accounts.actions import set_role
from prepapp.accounts.models import User
from prepapp.common.admin_site import DeskAdmin

# Rights follow from the role; addresses and sessions are each person's own affair.
for model in (Group, EmailAddress, UserSession):
    admin.site.unregister(model)


@admin.register(User)
class UserAdmin(DeskAdmin):
    pages = ("changelist", "change")
    list_display = ("email", "role", "date_joined", "is_active")
    list_filter = (("role", ChoicesDropdownFilter),)
    list_filter_submit = True
    search_fields = ("email",)
    ordering = ("email",)
    fields = ("email", "date_joined", "role")
    readonly_fields = ("email", "date_joined")
    show_full_result_count = False
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        found: QuerySet[User] = super().get_queryset(request)
        return found.filter(is_guest=False)

    def save_model(self, request: HttpRequest, obj: User, form: "forms.ModelForm[Any]", change: bool) -> None:
        set_role(user=obj, role=obj.role)

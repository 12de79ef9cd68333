"""Blueprints in the admin: the recipe of each format, checked as its file would be, and what of it the bank
can fill."""

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminTextareaWidget

from prepapp.bank.admin.lists import ListedAdmin
from prepapp.bank.choices import Level
from prepapp.interviews.bank_use import blueprint_fill
from prepapp.interviews.models import Blueprint
from prepapp.interviews.recipes import read_blueprint


class _InLines(json.JSONEncoder):
    """JSON as a person reads it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "indent": 2})


class BlueprintForm(forms.ModelForm):  # type: ignore[type-arg]
    """The fields of a blueprint file."""

    class Meta:
        model = Blueprint
        fields = ("slug", "title", "summary", "minutes", "position", "recipe", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "recipe" in self.fields:
            looks = {"rows": 24, "spellcheck": "false", "class": "font-mono"}
            recipe = self.fields["recipe"]
            assert isinstance(recipe, forms.JSONField)
            recipe.widget, recipe.encoder = UnfoldAdminTextareaWidget(attrs=looks), _InLines

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        names = ("slug", "title", "summary", "minutes", "position", "recipe")
        if all(name in said for name in names if name in self.fields):
            raw = {name: said.get(name, getattr(self.instance, name)) for name in names}
            try:
                self.instance.content_hash = read_blueprint(raw).content_hash
            except ValueError as error:
                self.add_error("recipe", str(error))
        return said


@admin.register(Blueprint)
class BlueprintAdmin(ListedAdmin):
    pages = ("changelist", "change", "add")
    form = BlueprintForm
    list_display = ("position", "title", "minutes", "is_active", "edited")
    ordering = ("position",)
    readonly_fields = ("fill",)
    actions = None

    def get_fields(self, request: HttpRequest, obj: Blueprint | None = None) -> list[str]:
        return [*BlueprintForm.Meta.fields, "fill"] if obj else list(BlueprintForm.Meta.fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Blueprint | None = None) -> tuple[str, ...]:
        # Addresses and running interviews name a blueprint by its slug.
        return ("slug", "fill") if obj else ("fill",)

    @admin.display(description="What the bank can fill")
    def fill(self, blueprint: Blueprint) -> SafeString:
        return render_to_string(
            "admin/interviews/blueprint_fill.html",
            {"levels": Level.labels, "rows": blueprint_fill(blueprint)},
        )

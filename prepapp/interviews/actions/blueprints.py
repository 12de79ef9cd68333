"""Storing interview formats."""

from collections.abc import Sequence

from django.db import transaction

from prepapp.interviews.models import Blueprint
from prepapp.interviews.recipes import BlueprintFile


def load_blueprints(*, blueprints: Sequence[BlueprintFile]) -> int:
    """Writes the formats that differ from what is stored, all or none; returns how many. Attempts keep
    their own copy of minutes and questions, so a changed format touches none of them. What somebody edited
    in the app is left as they want it."""
    stored = dict(Blueprint.objects.values_list("slug", "content_hash"))
    edited = set(Blueprint.objects.filter(is_edited=True).values_list("slug", flat=True))
    changed = [
        blueprint
        for blueprint in blueprints
        if blueprint.slug not in edited and stored.get(blueprint.slug) != blueprint.content_hash
    ]
    with transaction.atomic():
        for blueprint in changed:
            Blueprint.objects.update_or_create(
                slug=blueprint.slug,
                defaults={
                    "title": blueprint.title,
                    "summary": blueprint.summary,
                    "minutes": blueprint.minutes,
                    "position": blueprint.position,
                    "recipe": blueprint.recipe,
                    "content_hash": blueprint.content_hash,
                },
            )
    return len(changed)

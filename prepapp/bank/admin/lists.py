"""Tracks, topics with their weights, and packs in the admin. What somebody edits here is theirs: the lists
that come with the program leave it alone from then on (`is_edited`)."""

from typing import Any

from django.contrib import admin
from django.db.models import Case, Count, IntegerField, Model, Q, QuerySet, Value, When
from django.http import HttpRequest
from unfold.admin import TabularInline

from prepapp.accounts.models import User
from prepapp.bank.actions import log_event
from prepapp.bank.choices import Event, Status
from prepapp.bank.models import Pack, Topic, Track, TrackTopic
from prepapp.bank.queries.packs import pack_sizes
from prepapp.common.admin_site import DeskAdmin
from prepapp.common.clock import read_clock

_IS_PUBLISHED = Q(questions__status=Status.PUBLISHED)


class ListedAdmin(DeskAdmin):
    """Marks what was edited as such and logs what changed."""

    pages: tuple[str, ...] = ("changelist", "change")
    list_display_links = ("title",)
    show_full_result_count = False

    @admin.display(description="Edited here")
    def edited(self, row: Any) -> str:
        return "Yes" if row.is_edited else ""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        assert isinstance(request.user, User)
        listed = form.instance
        # The only rows inside of others are those of a topic.
        weights = ["weights"] if any(part.has_changed() for part in formsets) else []
        changed = [*(str(name) for name in form.changed_data), *weights]
        if not changed:
            return
        listed.is_edited = True
        listed.save(update_fields=["is_edited"])
        log_event(
            event=Event.LISTED,
            by=request.user,
            now=read_clock(),
            label=f"{listed._meta.verbose_name} {listed.pk if isinstance(listed.pk, str) else listed.slug}",
            changed=changed,
        )


@admin.register(Track)
class TrackAdmin(ListedAdmin):
    list_display = ("position", "code", "title", "topic_count", "edited")
    fields = ("title", "position")
    ordering = ("position", "code")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Track]:
        return super().get_queryset(request).annotate(topic_count=Count("topics"))

    @admin.display(description="Topics", ordering="topic_count")
    def topic_count(self, track: Any) -> int:
        return int(track.topic_count)


class WeightInline(TabularInline):
    """In which tracks the topic counts, and how much."""

    model = TrackTopic
    extra = 0
    verbose_name = "track"
    verbose_name_plural = "Weights in tracks"


@admin.register(Topic)
class TopicAdmin(ListedAdmin):
    list_display = ("position", "code", "title", "published", "edited")
    fields = ("title", "span", "position")
    inlines = (WeightInline,)
    list_filter = ("tracks",)
    search_fields = ("code", "title", "span")
    ordering = ("position", "code")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        return super().get_queryset(request).annotate(published=Count("questions", filter=_IS_PUBLISHED))

    @admin.display(description="Published questions", ordering="published")
    def published(self, topic: Any) -> int:
        return int(topic.published)


@admin.register(Pack)
class PackAdmin(ListedAdmin):
    """What a pack takes in is said by the rule of its file, and question by question in the list of those."""

    pages = ("changelist", "change", "add")
    list_display = ("slug", "title", "published", "edited")
    fields = ("slug", "title", "disclaimer", "summary")
    search_fields = ("slug", "title")
    ordering = ("title", "slug")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        # Files and addresses name a pack by its slug.
        return ("slug",) if obj else ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Pack]:
        found = super().get_queryset(request)
        if getattr(request.resolver_match, "url_name", "") != "bank_pack_changelist":
            return found
        sizes = [When(pk=size.pack.pk, then=Value(size.questions)) for size in pack_sizes()]
        return found.annotate(size=Case(*sizes, default=Value(0), output_field=IntegerField()))

    @admin.display(description="Published questions", ordering="size")
    def published(self, pack: Any) -> int:
        return int(pack.size)

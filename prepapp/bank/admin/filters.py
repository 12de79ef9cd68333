"""What narrows the list of questions in the admin."""

from abc import abstractmethod
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.module_loading import import_string
from unfold.contrib.filters.admin import DropdownFilter

from prepapp.bank.choices import DraftState, Kind, Level, Status
from prepapp.bank.models import Draft, Flag, Pack, Question, Topic, Track
from prepapp.bank.queries.packs import questions_of
from prepapp.common.clock import read_clock

Questions = QuerySet[Question]
NO_RECENT_USE_DAYS = 90


def _of_its_text(column: str, value: str) -> Q:
    """As the list shows it: of the published text, else of the draft."""
    drafted = Q(current_version=None, **{f"draft__{column}": value})
    return Q(**{f"current_version__{column}": value}) | drafted


class _Filter(DropdownFilter):
    """A choice of values, each of which `narrow` understands."""

    def queryset(self, request: HttpRequest, queryset: Questions) -> Questions:
        value = self.value()
        return self.narrow(queryset, value) if value else queryset

    @abstractmethod
    def narrow(self, questions: Questions, value: str) -> Questions:
        """The questions that fit this value of the choice."""


class StatusFilter(_Filter):
    title, parameter_name = "status", "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            *Status.choices,
            ("edited", "Published, with a draft"),
            ("draft_in_review", "Draft in review"),
        ]

    def narrow(self, questions: Questions, value: str) -> Questions:
        if value == "edited":
            return questions.filter(status=Status.PUBLISHED, draft__isnull=False)
        if value == "draft_in_review":
            return questions.filter(draft__state=DraftState.IN_REVIEW)
        return questions.filter(status=value)


class TrackFilter(_Filter):
    title, parameter_name = "track", "track"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(Track.objects.values_list("code", "title"))

    def narrow(self, questions: Questions, value: str) -> Questions:
        return questions.filter(topic__tracktopic__track=value)


class TopicFilter(_Filter):
    title, parameter_name = "topic", "topic"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("none", "No topic yet"), *Topic.objects.values_list("code", "title")]

    def narrow(self, questions: Questions, value: str) -> Questions:
        return questions.filter(topic=None if value == "none" else value)


class LevelFilter(_Filter):
    title, parameter_name = "level", "level"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(Level.choices)

    def narrow(self, questions: Questions, value: str) -> Questions:
        return questions.filter(_of_its_text("level", value))


class KindFilter(_Filter):
    title, parameter_name = "kind", "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(Kind.choices)

    def narrow(self, questions: Questions, value: str) -> Questions:
        return questions.filter(_of_its_text("kind", value))


class PackFilter(_Filter):
    title, parameter_name = "pack", "pack"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(Pack.objects.values_list("slug", "title"))

    def narrow(self, questions: Questions, value: str) -> Questions:
        return questions.filter(questions_of(value))


class NeedsFilter(_Filter):
    """What a curator might do next."""

    title, parameter_name = "what it needs", "needs"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("check", "Facts due for a check"),
            ("check30", "Due within 30 days"),
            ("answer", "Flagged, not answered"),
            ("use", f"Not asked for {NO_RECENT_USE_DAYS} days"),
            ("owner", "No owner"),
        ]

    def narrow(self, questions: Questions, value: str) -> Questions:
        now = read_clock()
        published = Question.objects.published()
        if value == "check":
            return questions.filter(pk__in=published.due_for_check(now.date()).values("pk"))
        if value == "check30":
            until = now.date() + timedelta(days=30)
            return questions.filter(pk__in=published.due_for_check(until).values("pk"))
        if value == "answer":
            return questions.filter(pk__in=Flag.objects.filter(settled_at=None).values("question"))
        if value == "use":
            asked = import_string(settings.QUESTION_USE["asked_since"])(
                now - timedelta(days=NO_RECENT_USE_DAYS)
            )
            return questions.filter(status=Status.PUBLISHED).exclude(pk__in=asked)
        return questions.filter(owner=None) if value == "owner" else questions


class MineFilter(_Filter):
    title, parameter_name = "drafts", "drafts"

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        self.person = request.user.pk
        super().__init__(request, *args)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("mine", "I have a hand in"), ("any", "Anybody's")]

    def narrow(self, questions: Questions, value: str) -> Questions:
        drafts = Draft.objects.filter(editors=self.person) if value == "mine" else Draft.objects.all()
        return questions.filter(pk__in=drafts.values("question"))


FILTERS: list[type[admin.SimpleListFilter]] = [
    StatusFilter,
    TrackFilter,
    TopicFilter,
    LevelFilter,
    KindFilter,
    PackFilter,
    NeedsFilter,
    MineFilter,
]

"""The list of all questions in the admin: filters, search, and acts on many at once. A row leads to the
editor."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.module_loading import import_string

from prepapp.accounts.models import User
from prepapp.bank.actions import bulk, restore_questions, retire_questions
from prepapp.bank.admin.filters import FILTERS
from prepapp.bank.choices import Kind, Level
from prepapp.bank.forms.bulk import NoteForm, OwnerForm, PackForm, TagForm, TopicForm
from prepapp.bank.models import Flag, Question
from prepapp.common.admin_site import DeskAdmin
from prepapp.common.clock import read_clock

Questions = QuerySet[Question]
Act = Callable[[list[int], dict[str, Any], User], list[Question]]
PAGE = 50


def _bulk(
    name: str, description: str, form: type[forms.Form], permission: str, done: str, act: Act
) -> Callable[..., HttpResponse | None]:
    """An act on the ticked questions: first a page that asks what it has to know, then the act."""

    def run(model_admin: "admin.ModelAdmin[Question]", request: HttpRequest, questions: Questions) -> Any:
        if not request.user.has_perm(permission):
            raise PermissionDenied
        is_sent = "apply" in request.POST
        asked = form(request.POST if is_sent else None)
        if is_sent and asked.is_valid():
            assert isinstance(request.user, User)
            # Numbers first: what narrowed the list may no longer hold of a question once it is changed.
            numbers = list(questions.values_list("pk", flat=True))
            changed = act(numbers, asked.cleaned_data, request.user)
            same = len(numbers) - len(changed)
            rest = f" {same} were so already or cannot be." if same else ""
            messages.success(request, f"{len(changed)} {done}.{rest}")
            return None
        page = {
            **model_admin.admin_site.each_context(request),
            "title": description,
            "opts": model_admin.opts,
            "form": asked,
            "act": name,
            "questions": questions.order_by("ref")[:PAGE],
            "count": questions.count(),
            "chosen": request.POST.getlist("_selected_action"),
            "across": request.POST.get("select_across", "0"),
        }
        status = 422 if is_sent else 200
        return TemplateResponse(request, "admin/bank/question/bulk.html", page, status=status)

    run.__name__ = name
    return admin.action(description=description)(run)


_ACTIONS = [
    _bulk(
        "retire",
        "Retire",
        NoteForm,
        "bank.publish_question",
        "retired",
        lambda ids, said, by: retire_questions(question_ids=ids, note=said["note"], by=by, now=read_clock()),
    ),
    _bulk(
        "restore",
        "Take up again",
        NoteForm,
        "bank.publish_question",
        "taken up again",
        lambda ids, said, by: restore_questions(question_ids=ids, note=said["note"], by=by, now=read_clock()),
    ),
    _bulk(
        "move",
        "Move to another topic",
        TopicForm,
        "bank.curate_question",
        "moved",
        lambda ids, said, by: bulk.move_questions(
            question_ids=ids, topic=said["topic"], by=by, now=read_clock()
        ),
    ),
    _bulk(
        "tag",
        "Add a tag",
        TagForm,
        "bank.curate_question",
        "tagged",
        lambda ids, said, by: bulk.tag_questions(
            question_ids=ids, name=said["tag"], is_on=True, by=by, now=read_clock()
        ),
    ),
    _bulk(
        "untag",
        "Remove a tag",
        TagForm,
        "bank.curate_question",
        "changed",
        lambda ids, said, by: bulk.tag_questions(
            question_ids=ids, name=said["tag"], is_on=False, by=by, now=read_clock()
        ),
    ),
    _bulk(
        "pack",
        "Put into a pack",
        PackForm,
        "bank.curate_question",
        "put into the pack",
        lambda ids, said, by: bulk.pack_questions(
            question_ids=ids, pack=said["pack"], is_on=True, by=by, now=read_clock()
        ),
    ),
    _bulk(
        "unpack",
        "Take out of a pack",
        PackForm,
        "bank.curate_question",
        "taken out of the pack",
        lambda ids, said, by: bulk.pack_questions(
            question_ids=ids, pack=said["pack"], is_on=False, by=by, now=read_clock()
        ),
    ),
    _bulk(
        "own",
        "Give an owner",
        OwnerForm,
        "bank.curate_question",
        "changed",
        lambda ids, said, by: bulk.own_questions(
            question_ids=ids, owner=said["owner"], by=by, now=read_clock()
        ),
    ),
]


@admin.register(Question)
class QuestionAdmin(DeskAdmin):
    list_display = (
        "question",
        "topic_title",
        "level",
        "kind",
        "state",
        "facts_due",
        "flags_open",
        "asked",
        "owner",
    )
    list_display_links = None
    list_filter = FILTERS
    list_filter_submit = True
    list_per_page = PAGE
    list_select_related = ("topic", "current_version", "draft", "owner")
    search_fields = (
        "ref",
        "slug",
        "current_version__title",
        "current_version__prompt",
        "draft__title",
        "tags__name",
    )
    show_full_result_count = False
    actions = _ACTIONS

    def get_queryset(self, request: HttpRequest) -> Questions:
        waiting = (
            Flag.objects.filter(question=OuterRef("pk"), settled_at=None)
            .order_by()
            .values("question")
            .annotate(number=Count("pk"))
            .values("number")
        )
        texts = ("prompt", "context", "data", "model_answer", "deeper", "pitfalls", "code", "references")
        heavy = [f"current_version__{name}" for name in (*texts, "difficulty", "rendered")]
        found: Questions = super().get_queryset(request)
        return found.annotate(
            waiting=Coalesce(Subquery(waiting), 0),
            shown_title=Coalesce("current_version__title", "draft__title"),
        ).defer(*heavy, "draft__document", "draft__review_note", "covers")

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("ref",)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        reply = super().changelist_view(request, extra_context)
        if isinstance(reply, TemplateResponse) and reply.context_data and "cl" in reply.context_data:
            # One query for the questions of this page, where a row would ask each for itself.
            rows = reply.context_data["cl"].result_list
            last = import_string(settings.QUESTION_USE["last_asked"])([row.pk for row in rows])
            for row in rows:
                row.last_asked = last.get(row.pk)
        return reply

    @admin.display(description="Question", ordering="shown_title")
    def question(self, row: Any) -> str:
        return format_html(
            '<a class="font-medium text-primary-600 dark:text-primary-400" href="{}">{}</a>'
            '<br><span class="text-xs">{}</span>',
            reverse("desk:question-detail", args=[row.pk]),
            row.shown_title or "Untitled",
            row.ref,
        )

    @admin.display(description="Topic", ordering="topic__position")
    def topic_title(self, row: Any) -> str:
        return row.topic.title if row.topic else "None yet"

    @admin.display(description="Level", ordering="current_version__level")
    def level(self, row: Any) -> str:
        version, draft = row.current_version, getattr(row, "draft", None)
        return dict(Level.choices).get(version.level if version else draft.level if draft else "", "")

    @admin.display(description="Kind", ordering="current_version__kind")
    def kind(self, row: Any) -> str:
        version, draft = row.current_version, getattr(row, "draft", None)
        return dict(Kind.choices).get(version.kind if version else draft.kind if draft else "", "")

    @admin.display(description="State", ordering="status")
    def state(self, row: Any) -> str:
        draft = getattr(row, "draft", None)
        if draft is None or row.current_version is None:
            return str(row.get_status_display())
        return f"{row.get_status_display()}; draft {draft.get_state_display().lower()}"

    @admin.display(description="Facts due", ordering="current_version__recheck_date")
    def facts_due(self, row: Any) -> str:
        return date_format(row.current_version.recheck_date, "j M Y") if row.current_version else ""

    @admin.display(description="Open flags", ordering="waiting")
    def flags_open(self, row: Any) -> int | str:
        return row.waiting or ""

    @admin.display(description="Last asked")
    def asked(self, row: Any) -> str:
        return date_format(row.last_asked, "j M Y") if getattr(row, "last_asked", None) else ""

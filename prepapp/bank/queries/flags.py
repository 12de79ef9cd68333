"""Flags as their pages show them: to whoever raised them, and to the curators who answer."""

from dataclasses import dataclass, field

from django.db.models import Count, Exists, F, Max, Min, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from prepapp.accounts.models import User
from prepapp.bank.choices import FlagReason
from prepapp.bank.models import Flag, Question, QuestionQuerySet

# Of a person's own: what was said or answered last comes first.
OWN_ORDER = ("-touched_at", "-id")
OLDEST_FIRST = ("oldest", "pk")
LAST_SETTLED_FIRST = ("-settled", "-pk")
MOST_SETTLED = 20


@dataclass(frozen=True)
class FlagFilter:
    """What is looked for in the queue; '' does not narrow."""

    reason: str = ""
    track: str = ""
    topic: str = ""
    is_settled: bool = False


@dataclass(frozen=True)
class FlagGroup:
    """What was said of one question for one reason: open flags oldest first, settled ones last first."""

    reason: str
    open: list[Flag] = field(default_factory=list)
    settled: list[Flag] = field(default_factory=list)

    @property
    def label(self) -> str:
        return FlagReason(self.reason).label

    @property
    def people(self) -> int:
        return len({flag.user_id for flag in self.open})


def unread_answer_exists() -> Exists:
    """Of a row of a person: whether a flag of theirs was answered and they have not read it. Named in the
    settings (`PERSON_FACTS`)."""
    return Exists(_unread().filter(user=OuterRef("pk")))


def unread_answers(user: User) -> list[str]:
    """The titles of the questions whose flags were answered, the oldest answer first. One query."""
    return list(
        _unread().filter(user=user).order_by("settled_at", "pk").values_list("version__title", flat=True)
    )


def own_flags(user: User) -> QuerySet[Flag]:
    """The person's flags with question and title; `touched_at` is for `OWN_ORDER`."""
    return (
        Flag.objects.filter(user=user)
        .annotate(touched_at=Coalesce("settled_at", "raised_at"))
        .select_related("question", "version")
        .only(
            *("question__slug", "question__status", "version__title", "place", "reason", "text", "raised_at"),
            *("outcome", "answer", "settled_at", "read_at", "user"),
        )
    )


def flagged_questions(wanted: FlagFilter) -> QuestionQuerySet:
    """The questions with flags that fit all of it, each with `title`, `topic_title`, `flag_count`, `people`,
    and `oldest` or `settled`, which its order goes by."""
    # One filter, so that it is one flag all of it is true of.
    narrow = {"flags__reason": wanted.reason} if wanted.reason else {}
    flagged = {"flags__isnull": False, "flags__settled_at__isnull": not wanted.is_settled}
    found = Question.objects.filter(**flagged, **narrow)
    if wanted.track:
        found = found.in_track(wanted.track)
    if wanted.topic:
        found = found.filter(topic=wanted.topic)
    return found.only("ref").annotate(
        title=F("current_version__title"),
        topic_title=F("topic__title"),
        flag_count=Count("flags"),
        people=Count("flags__user", distinct=True),
        oldest=Min("flags__raised_at"),
        settled=Max("flags__settled_at"),
    )


def reason_counts(questions: list[Question], *, is_settled: bool) -> dict[int, list[tuple[str, int]]]:
    """How many flags each question has for each reason, as (label, number). One query."""
    rows = Flag.objects.filter(question__in=questions, settled_at__isnull=not is_settled)
    found: dict[int, list[tuple[str, int]]] = {}
    for question, reason, number in (
        rows.values_list("question", "reason").annotate(number=Count("pk")).order_by("question", "reason")
    ):
        found.setdefault(question, []).append((FlagReason(reason).label, number))
    return found


def flag_groups(question_id: int) -> list[FlagGroup]:
    """Everything that was said of a question, by reason; of settled flags the last. One query."""
    groups: dict[str, FlagGroup] = {}
    flags = Flag.objects.filter(question=question_id).select_related("version", "settled_by")
    for flag in flags.only(
        "question",
        "user",
        "reason",
        "text",
        "place",
        "raised_at",
        "outcome",
        "answer",
        "settled_at",
        "version__number",
        "settled_by__email",
    ).order_by("raised_at", "pk"):
        group = groups.setdefault(flag.reason, FlagGroup(flag.reason))
        (group.settled if flag.settled_at else group.open).append(flag)
    for group in groups.values():
        group.settled.sort(key=lambda flag: (flag.settled_at, flag.pk), reverse=True)
        del group.settled[MOST_SETTLED:]
    return sorted(groups.values(), key=lambda group: (not group.open, FlagReason.values.index(group.reason)))


def _unread() -> QuerySet[Flag]:
    return Flag.objects.filter(settled_at__isnull=False, read_at__isnull=True)

"""What pages of the bank show, read from several tables at once. Nothing here writes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from django.db.models import Count, F, Min, Prefetch, Q

from prepapp.bank.choices import Status
from prepapp.bank.models import (
    FollowUp,
    Pack,
    Question,
    QuestionQuerySet,
    QuestionVersion,
    RubricPoint,
    Topic,
    Track,
    TrackTopic,
)
from prepapp.bank.queries.packs import questions_of
from prepapp.bank.rendering import reference_link
from prepapp.common.statements import Kept

SAMPLE_POINTS = 2


@dataclass(frozen=True)
class AskedText:
    """What a candidate reads while answering, as safe HTML; nothing an answer is measured by.

    `follow_up` is empty for the main question."""

    title: str
    level: str
    kind: str
    prompt: str
    context: str
    data: str
    follow_up: str


@lru_cache(maxsize=4096)
def asked_text(version_id: int, follow_up_id: int | None) -> AskedText:
    """The text of a version, or of a follow-up with its question as the setting.

    Kept per process, since a version never changes; two queries the first time.
    """
    version = QuestionVersion.objects.only("title", "level", "kind", "rendered").get(pk=version_id)
    follow_up = ""
    if follow_up_id is not None:
        asked = FollowUp.objects.only("rendered").get(pk=follow_up_id, version=version_id)
        follow_up = asked.rendered.get("prompt", "")
    return AskedText(
        title=version.title,
        level=version.get_level_display(),
        kind=version.get_kind_display(),
        prompt=version.rendered.get("prompt", ""),
        context=version.rendered.get("context", ""),
        data=version.rendered.get("data", ""),
        follow_up=follow_up,
    )


@dataclass(frozen=True)
class TrackSize:
    """A track and what it offers: published questions, and topics with at least one of them."""

    code: str
    title: str
    questions: int
    topics: int


@dataclass(frozen=True)
class TopicSize:
    """A topic as one track has it, how many published questions it has and how many minutes the shortest of
    them takes, 0 without any. `track` is '' outside of all."""

    track: str
    track_title: str
    code: str
    title: str
    weight: float
    questions: int
    shortest: int


@dataclass(frozen=True)
class FilterChoices:
    """What the browser can be narrowed to, as (value, label). Topics are grouped by their home track."""

    tracks: list[tuple[str, str]]
    topics: list[tuple[str, list[tuple[str, str]]]]
    packs: list[tuple[str, str]]
    disclaimers: dict[str, str]


@dataclass(frozen=True)
class QuestionFilter:
    """What the reader asked for; '' does not narrow."""

    q: str = ""
    track: str = ""
    topic: str = ""
    level: str = ""
    kind: str = ""
    pack: str = ""
    tag: str = ""


@dataclass(frozen=True)
class AnswerPart:
    """A follow-up with its rubric points."""

    follow_up: FollowUp
    points: list[RubricPoint]


@dataclass(frozen=True)
class Reference:
    """A source; `link` is '' when its address is not one to follow."""

    title: str
    address: str
    link: str


@dataclass(frozen=True)
class Answer:
    """What a question page shows once the reader has tried it."""

    points: list[RubricPoint]
    follow_ups: list[AnswerPart]
    references: list[Reference]
    tags: list[str]


def tracks_with_counts() -> list[TrackSize]:
    """Every track in its order, empty ones too. One query."""
    published = Q(
        topics__questions__status=Status.PUBLISHED, topics__questions__current_version__isnull=False
    )
    rows = (
        Track.objects.order_by("position", "code")
        .annotate(
            question_count=Count("topics__questions", filter=published, distinct=True),
            topic_count=Count("topics", filter=published, distinct=True),
        )
        .values_list("code", "title", "question_count", "topic_count")
    )
    return [TrackSize(*row) for row in rows]


def topic_sizes() -> list[TopicSize]:
    """Every topic once for each track it belongs to, in the order of tracks and topics; one outside of all
    tracks stands last. One query."""
    return [
        TopicSize(track or "", track_title or "", code, title, float(weight or 0), questions, shortest or 0)
        for track, track_title, code, title, weight, questions, shortest in _TOPIC_SIZES.rows()
    ]


_PUBLISHED = Q(questions__status=Status.PUBLISHED, questions__current_version__isnull=False)
_TOPIC_SIZES = Kept(
    lambda: (
        Topic.objects.order_by(
            F("tracktopic__track__position").asc(nulls_last=True), "tracktopic__track", "position", "pk"
        )
        .annotate(
            question_count=Count("questions", filter=_PUBLISHED),
            shortest=Min("questions__current_version__minutes", filter=_PUBLISHED),
        )
        .values_list(
            "tracktopic__track_id",
            "tracktopic__track__title",
            "pk",
            "title",
            "tracktopic__weight",
            "question_count",
            "shortest",
        )
    )
)


def track_sizes(topics: Iterable[TopicSize]) -> list[TrackSize]:
    """What tracks offer, from their topics: those with a topic, in their order."""
    found: dict[str, list[TopicSize]] = {}
    for size in topics:
        if size.track:
            found.setdefault(size.track, []).append(size)
    return [
        TrackSize(
            track,
            sizes[0].track_title,
            sum(size.questions for size in sizes),
            sum(size.questions > 0 for size in sizes),
        )
        for track, sizes in found.items()
    ]


def sample_question(day: date) -> Question | None:
    """One published question with at least two rubric points, another one each day; None if there is none.

    `current_version.main_points` holds the points of its main answer in order. Three queries.
    """
    main = Count("current_version__rubric_points", filter=Q(current_version__rubric_points__follow_up=None))
    fitting = Question.objects.published().annotate(points=main).filter(points__gte=SAMPLE_POINTS)
    ids = list(fitting.order_by("ref").values_list("pk", flat=True))
    if not ids:
        return None
    points = Prefetch(
        "current_version__rubric_points",
        queryset=RubricPoint.objects.filter(follow_up=None),
        to_attr="main_points",
    )
    return Question.objects.with_prompt().prefetch_related(points).get(pk=ids[day.toordinal() % len(ids)])


def filter_choices() -> FilterChoices:
    """Tracks, topics and packs to choose from. Two queries."""
    pairs = TrackTopic.objects.order_by("track__position", "track", "topic__position", "topic")
    tracks: dict[str, str] = {}
    homes: dict[str, list[tuple[str, str]]] = {}
    for track, track_title, topic, topic_title in pairs.values_list(
        "track_id", "track__title", "topic_id", "topic__title"
    ):
        tracks[track] = track_title
        if topic.partition(".")[0] == track:
            homes.setdefault(track, []).append((topic, topic_title))
    packs = list(Pack.objects.values_list("slug", "title", "disclaimer"))
    return FilterChoices(
        tracks=list(tracks.items()),
        topics=[(tracks[track], topics) for track, topics in homes.items()],
        packs=[(slug, title) for slug, title, _ in packs],
        disclaimers={slug: disclaimer for slug, _, disclaimer in packs},
    )


def find_questions(wanted: QuestionFilter) -> QuestionQuerySet:
    """The published questions that fit all of it. Lazy but for a pack, whose rule takes two queries."""
    narrow = {
        "topic": wanted.topic,
        "current_version__level": wanted.level,
        "current_version__kind": wanted.kind,
        "tags__name": wanted.tag,
    }
    found = Question.objects.published().filter(**{field: value for field, value in narrow.items() if value})
    if wanted.pack:
        found = found.filter(questions_of(wanted.pack))
    if wanted.track:
        found = found.in_track(wanted.track)
    return found.search(wanted.q)


def answer_of(question: Question) -> Answer:
    """Rubric, follow-ups, references and tags of the current version. Three queries."""
    version = question.current_version
    assert version is not None
    main: list[RubricPoint] = []
    of_follow_up: dict[int, list[RubricPoint]] = {}
    for point in version.rubric_points.order_by("position", "pk"):
        (main if point.follow_up_id is None else of_follow_up.setdefault(point.follow_up_id, [])).append(
            point
        )
    return Answer(
        points=main,
        follow_ups=[
            AnswerPart(follow_up, of_follow_up.get(follow_up.pk, []))
            for follow_up in version.follow_ups.all()
        ],
        references=[
            Reference(entry["title"], entry["url"], reference_link(entry["url"]))
            for entry in version.references
        ],
        tags=list(question.tags.values_list("name", flat=True)),
    )


def track_choices() -> list[tuple[str, str]]:
    """Every track as (code, title), for forms below the bank; named in the settings."""
    return list(Track.objects.values_list("code", "title"))

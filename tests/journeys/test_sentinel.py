"""P13, S19, I12: what an answer is measured by is in no reply before the rules allow it, and what somebody
else wrote is in none at all.

Every hidden text of every question holds a word of its own. A whole interview is walked, and after each
step the words in the reply (body and headers) are compared with those that may be known by then.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import fields
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.choices import FlagOutcome, FlagPlace, FlagReason
from prepapp.bank.models import (
    Flag,
    FollowUp,
    Question,
    QuestionVersion,
    RubricPoint,
    SampleAnswer,
    SampleMark,
)
from prepapp.bank.rendering import render_follow_up, render_version
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Attempt, LateText, Response
from prepapp.reports.actions.evidence import note_graded_work
from tests.architecture.expectations import OWN, RULES
from tests.architecture.world import OWNER, Work, World, body_of, taken_back
from tests.factories.accounts import UserFactory
from tests.factories.bank import TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, BlueprintFactory
from tests.factories.samples import add_samples

pytestmark = pytest.mark.django_db

WORD = re.compile(r"zq[a-z0-9]+qz")
PROGRESS = "/progress/"
NOBODYS = "zqwordsofsomebodyelseqz"
MINE = "One eighth of what the bus moves is useful."
# By main answer: what opens with its last mark. The rest is told by the bank alone.
REVEALED = ("model", "deeper", "pitfall", "solution", "check", "weights", "source", "link")
BANK_ONLY = ("rationale", "easier", "harder")
# Steps of grading that open something.
OPENING = {f"interviews:{name}" for name in ("confidence", "reveal", "mark")}


def word(question: Question, kind: str) -> str:
    return f"zq{question.pk}{kind}qz"


def points(question: Question, *keys: str) -> set[str]:
    """The three texts of each point."""
    return {word(question, f"{text}{key}") for key in keys for text in ("criterion", "met", "partial")}


def main_points(question: Question) -> set[str]:
    return points(question, "r1", "r2", "r3")


def revealed(question: Question) -> set[str]:
    return {word(question, kind) for kind in REVEALED}


def follow_up(question: Question) -> set[str]:
    return points(question, "f1a", "f1b")


def told_by_the_bank(question: Question) -> set[str]:
    words = {word(question, kind) for kind in BANK_ONLY} | {word(question, "f1answer")}
    return main_points(question) | revealed(question) | follow_up(question) | words


def told_by_the_review(question: Question) -> set[str]:
    criteria = {word(question, f"criterion{key}") for key in ("r1", "r2", "r3", "f1a", "f1b")}
    kinds = ("model", "deeper", "pitfall", "solution", "f1answer")
    return criteria | {word(question, kind) for kind in kinds}


def plant(question: Question, prefix: str = "") -> None:
    """A word of its own in every text that is hidden, rendered as texts are when they are loaded. The words of
    a later version begin with a `prefix`."""
    version = question.current_version
    own = {kind: word(question, f"{prefix}{kind}") for kind in (*REVEALED, *BANK_ONLY)}
    version.model_answer, version.deeper, version.pitfalls = own["model"], own["deeper"], [own["pitfall"]]
    version.code = {
        "language": "python",
        "solution": f"{own['solution']} = 1",
        "check": f"assert {own['check']}",
        "wrong": word(question, f"{prefix}wrong"),
    }
    version.references = [
        {"title": own["source"], "url": f"https://example.test/{own['link']}", "supports": []}
    ]
    version.difficulty = {kind: own[kind] for kind in BANK_ONLY}
    version.weights_note, version.change_note = own["weights"], word(question, f"{prefix}note")
    version.rendered = render_version(version)
    version.save()
    for part in FollowUp.objects.filter(version=version):
        part.answer = word(question, f"{prefix}{part.key}answer")
        part.rendered = render_follow_up(part)
        part.save()
    for point in RubricPoint.objects.filter(version=version):
        for text in ("criterion", "met", "partial"):
            setattr(point, text, word(question, f"{prefix}{text}{point.key}"))
        point.save()


class Reader:
    """Somebody with a browser, and every word they were ever told."""

    def __init__(self, user: User, **options: Any) -> None:
        self.client = Client(**options)
        self.client.force_login(user)
        self.told: set[str] = set()

    def get(self, path: str, data: Any = None, *, htmx: bool = False) -> set[str]:
        return self._read(self.client.get(path, data, headers=self._headers(htmx)))

    def post(self, path: str, data: Any = None, *, htmx: bool = False, status: int | None = None) -> set[str]:
        reply = self.client.post(path, data, headers=self._headers(htmx))
        assert status in {None, reply.status_code}, reply.status_code
        return self._read(reply)

    def send(self, method: str, path: str, data: Any, *, htmx: bool) -> set[str]:
        return self._read(getattr(self.client, method.lower())(path, data, headers=self._headers(htmx)))

    def _headers(self, htmx: bool) -> dict[str, str]:
        return {"HX-Request": "true"} if htmx else {}

    def _read(self, reply: Any) -> set[str]:
        self.reply = reply
        text = f"{reply.headers} {reply.cookies} {body_of(reply).decode()}"
        found = set(WORD.findall(text))
        self.told |= found
        return found


class Interview:
    """Two questions with a follow-up each, answered by one person; somebody else has answered them too."""

    def __init__(self) -> None:
        topic = TopicFactory(track=TrackFactory())
        self.track = topic.tracks.get()
        self.questions = create_questions(2, topic=topic)
        for question in self.questions:
            plant(Question.objects.select_related("current_version").get(pk=question.pk))
        self.samples = {question.pk: add_samples(question) for question in self.questions}
        self.blueprint = BlueprintFactory(recipe={"slots": [{"minutes": 10, "follow_ups": 1}] * 2})
        self.user = UserFactory(last_login=STARTED_AT)
        self.reader = Reader(self.user)
        stranger = UserFactory(last_login=STARTED_AT)
        self.foreign = AttemptFactory(
            user=stranger,
            state=State.GRADED,
            responses__questions=self.questions,
            responses__follow_ups=1,
            responses__texts=[NOBODYS] * 4,
            grading__quote=NOBODYS,
        )
        response = self.foreign.responses.first()
        LateText.objects.create(response=response, user=stranger, text=NOBODYS, received_at=STARTED_AT)

    def start(self, mode: str = Mode.MOCK) -> Attempt:
        key = uuid4()
        data = {
            "blueprint": self.blueprint.slug,
            "track": self.track.code,
            "level": "intermediate",
            "mode": mode,
            "start_key": key,
        }
        assert self.reader.post(reverse("interviews:start-new"), data, status=302) == set()
        attempt = Attempt.objects.get(start_key=key)
        asked = attempt.responses.order_by("position").values_list("version__question", flat=True)
        by_key = {question.pk: question for question in self.questions}
        self.asked = [by_key[pk] for pk in asked]
        assert len(self.asked) == 4
        return attempt

    def sweep(self, attempt: Attempt, skip: Collection[str] = ()) -> dict[str, set[str]]:
        """The words told by the routes of interviews, bank and flags when they are asked about this attempt, each
        request taken back. Replies that tell none are left out."""
        work = Work(*[attempt] * 6, ref=self.asked[0].ref, points=self.points_at(attempt, 1))
        found = {}
        for question in self.questions:
            start = {
                "blueprint": self.blueprint.slug,
                "track": self.track.code,
                "level": "intermediate",
                "mode": Mode.MOCK,
                "start_key": uuid4(),
            }
            # What the routes of other rooms are asked about has no part in this.
            other = {part.name: SimpleNamespace(pk=1) for part in fields(World)}
            people, works = {OWNER: self.user}, {OWNER: work}
            known = {"people": people, "work": works, "question": question, "draft": question, "start": start}
            about = {"flag": Flag(pk=1, question=question), "sample": self.samples[question.pk][0]}
            world = World(**{**other, **known, **about})
            for name, rule in RULES.items():
                space = name.partition(":")[0]
                if name in skip or space not in {"bank", "flags", "interviews"}:
                    continue
                if space == "interviews" and question != self.questions[0]:
                    continue
                for position in range(1, 5) if rule.position else [0]:
                    path = rule.address(name, world, OWNER)
                    if position:
                        path = reverse(name, args=[attempt.pk, position])
                    for method in ("GET", "POST"):
                        for htmx in (False, True):
                            data = rule.data(world, OWNER) if method == "POST" else {}
                            jar = self.reader.client.cookies.copy()
                            with taken_back():
                                told = self.reader.send(method, path, data, htmx=htmx)
                            self.reader.client.cookies = jar
                            if told:
                                found[f"{method} {path} htmx {htmx}"] = told
        return found

    def points_at(self, attempt: Attempt, position: int) -> tuple[int, ...]:
        response = Response.objects.get(attempt=attempt, position=position)
        found = RubricPoint.objects.filter(version=response.version_id, follow_up=response.follow_up_id)
        return tuple(found.order_by("position").values_list("pk", flat=True))


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(STARTED_AT, tick=False) as travelled:
        yield travelled


@pytest.fixture
def interview() -> Interview:
    return Interview()


def at(attempt: Attempt, name: str, position: int = 0) -> str:
    return reverse(f"interviews:{name}", args=[attempt.pk, position] if position else [attempt.pk])


def test_a_whole_interview_tells_each_word_in_its_time(interview: Interview) -> None:
    reader = interview.reader
    browse(interview)
    reader.told.clear()
    attempt = interview.start()
    sit(interview, attempt)
    hand_in(interview, attempt)
    assert reader.told == set()
    grade_first(interview, attempt)
    grade_rest(interview, attempt)
    assert NOBODYS not in reader.told


def browse(interview: Interview) -> None:
    """Before it begins nothing is told by choosing, listing, searching and reading questions."""
    reader = interview.reader
    listed = reverse("bank:question-list")
    for path in ("/", reverse("interviews:start"), reverse("interviews:custom"), listed):
        assert reader.get(path) == set()
    for question in interview.questions:
        assert reader.get(reverse("bank:question-detail", args=[question.slug])) == set()
        for hidden in sorted(told_by_the_bank(question)):
            # The word searched for stands in the box; nothing is found by it.
            assert reader.get(listed, {"q": hidden}) == {hidden}
            assert reader.reply.context["count"] == 0


def sit(interview: Interview, attempt: Attempt) -> None:
    """While it runs no step, right or wrong, and no other page tells anything."""
    reader = interview.reader
    for position, text in ((1, MINE), (2, ""), (3, MINE), (4, MINE)):
        assert reader.get(at(attempt, "room", position)) == set()
        save = {"text": text, "revision": 0, "spent": 9}
        assert reader.post(at(attempt, "save", position), save, status=200) == set()
        conflict = {"text": f"{text} And more.", "revision": 7}
        assert reader.post(at(attempt, "save", position), conflict, status=409) == set()
        assert reader.post(at(attempt, "go", position), {**conflict, "go": "next"}, status=409) == set()
        assert reader.post(at(attempt, "hint", position), status=404) == set()
        revision = Response.objects.get(attempt=attempt, position=position).revision
        move = {"text": text, "revision": revision, "go": "next"}
        assert reader.post(at(attempt, "go", position), move, htmx=True) == set()
    assert reader.get(at(attempt, "finish")) == set()
    for path in ("/", PROGRESS):
        assert reader.get(path) == set()
    for question in interview.questions:
        answer = reverse("bank:question-answer", args=[question.slug])
        for htmx in (False, True):
            assert reader.post(answer, {"text": MINE}, htmx=htmx, status=409) == set()
    assert reader.get(at(interview.foreign, "review")) == set()
    assert interview.sweep(attempt) == {}


def hand_in(interview: Interview, attempt: Attempt) -> None:
    """Handed in, nothing judged: late text, marks before the confidence, the answer before the marks."""
    reader = interview.reader
    assert reader.post(at(attempt, "finish"), status=302) == set()
    assert reader.post(at(attempt, "save", 3), {"text": "Too late.", "revision": 1}, status=200) == set()
    assert reader.reply.json()["late"] is True
    assert interview.sweep(attempt, skip=OPENING) == {}
    for position in (1, 3, 4):
        for point in interview.points_at(attempt, position):
            mark = {"point": point, "value": MarkValue.MET}
            for htmx in (False, True):
                assert reader.post(at(attempt, "mark", position), mark, htmx=htmx, status=409) == set()
        assert reader.post(at(attempt, "reveal", position), status=409) == set()


def grade_first(interview: Interview, attempt: Attempt) -> None:
    """The confidence opens the rubric of one answer, its last mark the model answer, and nothing more."""
    reader, first = interview.reader, interview.asked[0]
    # An empty follow-up may be opened; it tells nothing of the main answer.
    empty = follow_up(first) | {word(first, "f1answer")}
    assert reader.post(at(attempt, "reveal", 2), htmx=True) == empty
    assert reader.get(at(attempt, "grade-answer", 2)) == empty
    assert reader.get(at(attempt, "grade-answer", 1)) == set()

    assert reader.post(at(attempt, "confidence", 1), {"confidence": "hire"}, htmx=True) == main_points(first)
    assert reader.get(at(attempt, "grade-answer", 1)) == main_points(first)
    for position in (3, 4):
        assert reader.get(at(attempt, "grade-answer", position)) == set()
    one, two, three = ({"point": point, "value": MarkValue.MET} for point in interview.points_at(attempt, 1))
    for mark in (one, two):
        assert reader.post(at(attempt, "mark", 1), mark, htmx=True, status=200) == set()
    assert reader.get(at(attempt, "grade-answer", 1)) == main_points(first)
    told = interview.sweep(attempt, skip=OPENING)
    assert set().union(*told.values()) == main_points(first) | empty

    assert reader.post(at(attempt, "mark", 1), three, htmx=True) == revealed(first)
    assert reader.get(at(attempt, "grade-answer", 1)) == main_points(first) | revealed(first)
    told = interview.sweep(attempt, skip=OPENING)
    assert set().union(*told.values()) == told_by_the_bank(first)
    bank = {path: words for path, words in told.items() if "/questions/" in path}
    assert list(bank.values()) == [told_by_the_bank(first)] * 2
    assert set().union(*(words for path, words in told.items() if path not in bank)) == (
        main_points(first) | revealed(first) | empty
    )


def grade_rest(interview: Interview, attempt: Attempt) -> None:
    """All marked and closed: everything may be known, and is."""
    reader, questions = interview.reader, interview.questions
    for position in (3, 4):
        reader.post(at(attempt, "confidence", position), {"confidence": "hire"}, status=302)
        for point in interview.points_at(attempt, position):
            reader.post(at(attempt, "mark", position), {"point": point, "value": MarkValue.MET}, status=302)
    assert reader.post(at(attempt, "grade-close"), status=302) == set()
    review = reader.get(at(attempt, "review"))
    assert review == set().union(*(told_by_the_review(question) for question in questions))
    export = reader.get(reverse("interviews:history-export", args=["json"]))
    assert export == {found for found in review if "criterion" in found}
    for question in questions:
        answer = reverse("bank:question-answer", args=[question.slug])
        assert reader.post(answer, {"text": ""}, status=200) == told_by_the_bank(question)
    assert reader.told == set().union(*(told_by_the_bank(question) for question in questions))


def test_an_older_attempt_does_not_help_a_running_mock(interview: Interview) -> None:
    """The same questions again: what was open once is closed while the clock runs."""
    older = AttemptFactory(
        user=interview.user,
        state=State.GRADED,
        started_at=STARTED_AT - timedelta(days=2),
        responses__questions=interview.questions,
        responses__follow_ups=1,
        grading__value=MarkValue.MISSED,
    )
    assert interview.reader.get(at(older, "review")) != set()
    assert interview.reader.get(at(older, "result")) != set()
    note_graded_work(user_id=interview.user.pk)
    musts = {word(question, f"criterion{key}") for question in interview.questions for key in ("r1", "f1a")}
    assert interview.reader.get(PROGRESS) == musts
    attempt = interview.start()
    for path in ("/", PROGRESS):
        assert interview.reader.get(path) == set()
    assert interview.sweep(attempt) == {}
    assert interview.sweep(older) == {}
    both = {"a": older.pk, "b": older.pk, "question": interview.asked[0].ref}
    assert interview.reader.get(reverse("interviews:compare"), both) == set()
    for kind in ("csv", "json"):
        assert interview.reader.get(reverse("interviews:history-export", args=[kind])) == set()


@pytest.fixture
def changed(interview: Interview) -> Attempt:
    """An interview of long ago whose questions mean something else since, and a flag that was answered."""
    older: Attempt = AttemptFactory(
        user=interview.user,
        state=State.GRADED,
        started_at=STARTED_AT - timedelta(days=2),
        responses__questions=interview.questions,
        responses__follow_ups=1,
    )
    for question in interview.questions:
        add_version(question)
        plant(Question.objects.select_related("current_version").get(pk=question.pk), "new")
    Flag.objects.create(
        question=interview.questions[0],
        version=older.responses.get(position=1).version,
        user=interview.user,
        place=FlagPlace.RESULT,
        reason=FlagReason.WRONG,
        text=word(interview.questions[0], "said"),
        raised_at=STARTED_AT,
        answer=word(interview.questions[0], "settled"),
        outcome=FlagOutcome.MENDED,
        settled_at=STARTED_AT,
    )
    interview.asked = [interview.questions[0]] * 4
    return older


def test_what_changed_and_what_was_answered_is_told_with_the_answer(
    interview: Interview, changed: Attempt
) -> None:
    """The control of the next one: with nothing running each word is where it belongs."""
    reader, (first, second) = interview.reader, interview.questions
    notes = {word(question, "newnote") for question in (first, second)}
    for name in ("result", "review"):
        told = reader.get(at(changed, name))
        assert {found for found in told if "new" in found} == notes
    for position, question in ((1, first), (3, second)):
        for htmx in (False, True):
            told = reader.get(at(changed, "changes", position), htmx=htmx)
            both = {found.replace("new", "") for found in told if "newnote" not in found}
            assert both == told_by_the_bank(question)
            assert {found for found in told if "wrong" in found} == set()
    assert reader.get(reverse("flags:flag-list")) == {word(first, "said"), word(first, "settled")}


def test_what_changed_and_what_was_answered_does_not_help_a_running_mock(
    interview: Interview, changed: Attempt
) -> None:
    attempt = interview.start()
    for path in ("/", PROGRESS, reverse("flags:flag-list"), reverse("interviews:history")):
        assert interview.reader.get(path) == set()
    assert interview.sweep(attempt) == {}
    assert interview.sweep(changed) == {}
    assert Flag.objects.get().read_at is None


def whys(question: Question, sample: SampleAnswer) -> set[str]:
    return {word(question, f"why{sample.position}{key}") for key in ("r1", "r2", "r3")}


def plant_references(samples: Collection[SampleAnswer]) -> None:
    """A word of its own in what is said about each point of each sample."""
    marks = SampleMark.objects.filter(sample__in=samples).select_related("sample__question", "point")
    for mark in marks:
        mark.why = word(mark.sample.question, f"why{mark.sample.position}{mark.point.key}")
        mark.save()


def test_a_sample_tells_its_reference_beside_ones_own_marks_only(interview: Interview) -> None:
    reader, (question, other) = interview.reader, interview.questions
    plant_references([sample for samples in interview.samples.values() for sample in samples])
    first, second, _ = interview.samples[question.pk]
    page, grade = (reverse(f"interviews:{name}", args=[first.pk]) for name in ("sample", "sample-grade"))
    assert reader.get(reverse("interviews:sample-list")) == set()
    form = {"mark-r1": 2, "mark-r2": 1}
    for htmx in (False, True):
        assert reader.get(page, htmx=htmx) == main_points(question)
        assert reader.post(grade, {**form, "grade_key": uuid4()}, htmx=htmx, status=422) == main_points(
            question
        )
        assert reader.post(grade, {**form, "mark-r3": 0}, htmx=htmx, status=422) == main_points(question)
    stranger = Reader(UserFactory(last_login=STARTED_AT))
    stranger.post(grade, {**form, "mark-r3": 0, "grade_key": uuid4()}, status=302)
    assert reader.get(page) == main_points(question)

    told = main_points(question) | revealed(question) | whys(question, first)
    form |= {"mark-r3": 0, "grade_key": uuid4()}
    assert reader.post(grade, form, htmx=True, status=200) == reader.get(page) == told
    assert reader.get(page, {"again": "1"}) == main_points(question)
    assert reader.get(reverse("interviews:sample", args=[second.pk])) == main_points(question)
    assert reader.get(reverse("interviews:sample-list")) == set()
    assert reader.told == told

    attempt = interview.start()
    for htmx in (False, True):
        for sample in (first, second, *interview.samples[other.pk]):
            assert reader.get(reverse("interviews:sample", args=[sample.pk]), htmx=htmx) == set()
            path = reverse("interviews:sample-grade", args=[sample.pk])
            assert reader.post(path, {**form, "grade_key": uuid4()}, htmx=htmx, status=409) == set()
    assert interview.sweep(attempt) == {}
    export = reverse("interviews:history-export", args=["json"])
    assert reader.get(export) == set()


def test_words_are_found_where_they_are(interview: Interview) -> None:
    """The control: a reader without an interview is told everything by the bank, by page and by part."""
    for question in interview.questions:
        answer = reverse("bank:question-answer", args=[question.slug])
        for htmx in (False, True):
            assert interview.reader.post(answer, {"text": ""}, htmx=htmx) == told_by_the_bank(question)
    stranger = Reader(interview.foreign.user)
    assert NOBODYS in stranger.get(at(interview.foreign, "review"))
    assert NOBODYS in stranger.get(reverse("interviews:history-export", args=["csv"]))


def test_nobody_reads_what_somebody_else_wrote(interview: Interview) -> None:
    """I12, by every route and every role, with ids of the one who wrote it."""
    foreign = interview.foreign
    interview.asked = [interview.questions[0]] * 4
    for rights in ({}, {"is_staff": True}, {"is_staff": True, "is_superuser": True}):
        interview.user = UserFactory(last_login=STARTED_AT, **rights)
        interview.reader = Reader(interview.user, raise_request_exception=False)
        interview.sweep(foreign)
        for path in ("/", PROGRESS, reverse("interviews:history"), reverse("bank:question-list")):
            interview.reader.get(path, {"q": NOBODYS[2:-2]})
        assert NOBODYS not in interview.reader.told


def test_errors_tell_nothing(interview: Interview) -> None:
    """The pages of 403, 404 and 405, asked for with an interview running."""
    attempt = interview.start()
    strict = Reader(interview.user, enforce_csrf_checks=True)
    for name, rule in RULES.items():
        if rule.door == OWN and rule.state:
            path = reverse(name, args=[attempt.pk, 1] if rule.position else [attempt.pk])
            for htmx in (False, True):
                assert strict.post(path, {"text": MINE}, htmx=htmx, status=403) == set()
                assert interview.reader.send("PUT", path, {}, htmx=htmx) == set()
                assert interview.reader.reply.status_code == 405
            missing = path.replace(str(attempt.pk), str(uuid4()))
            assert interview.reader.get(missing) == set()
            assert interview.reader.reply.status_code in {404, 405}


def test_no_version_is_left_without_a_word(interview: Interview) -> None:
    """A text that is added to a question later is either planted here or said to be open."""
    planted = {"model_answer", "deeper", "pitfalls", "code", "references", "difficulty", "weights_note"}
    planted |= {"change_note"}
    open_texts = {"title", "prompt", "context", "data", "level", "kind", "minutes", "rendered"}
    about = {"id", "question", "number", "source", "content_hash", "reviewed_date", "recheck_months"}
    about |= {"recheck_date", "rendered_by", "created_at", "change", "meaning", "published_by"}
    fields = {field.name for field in QuestionVersion._meta.concrete_fields}
    assert fields == planted | open_texts | about
    assert {field.name for field in FollowUp._meta.concrete_fields} == {
        *("id", "version", "key", "position", "minutes", "prompt", "answer", "rendered")
    }
    assert {field.name for field in RubricPoint._meta.concrete_fields} == {
        *("id", "version", "follow_up", "key", "position", "weight", "is_must", "criterion", "met", "partial")
    }

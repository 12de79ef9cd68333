"""The figures of a report, recomputed from the exported history by another program, are the same."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client

from benchmarks import recompute
from prepapp.accounts.models import User
from prepapp.bank.choices import Kind
from prepapp.bank.models import Question
from prepapp.interviews.actions.blueprints import load_blueprints
from prepapp.interviews.actions.grading import close_grading, regrade, set_confidence, set_mark
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Mark, Response
from prepapp.interviews.recipes import BlueprintFile
from prepapp.reports.actions.rates import reckon_track_rates
from prepapp.reports.figures import to_json
from prepapp.reports.queries.weekly import weekly_figures
from prepapp.reports.weeks import Week
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import AttemptFactory

pytestmark = pytest.mark.django_db

# A Monday in Paris, 07:00 there; the clocks changed five weeks before.
NOW = datetime(2026, 11, 30, 6, 0, 12, 345678, tzinfo=UTC)
WEEK = Week(2026, 48)
ZONE = "Europe/Paris"
SCREEN = BlueprintFile(
    *("screen", "Phone screen", "Two questions, one with a follow-up.", 12, 1),
    {"slots": [{"minutes": 5}, {"minutes": 5, "follow_ups": 1}]},
)
QUIZ = BlueprintFile(
    *("quick-quiz", "Quick quiz", "One follow-up.", 5, 2), {"slots": [{"minutes": 5, "follow_up_only": True}]}
)


@pytest.fixture(autouse=True)
def fixed_clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def learner() -> User:
    """Five weeks of practice, one interview graded again, one running, and somebody else in the track."""
    track = TrackFactory(code="demo")
    for name in ("one", "two", "three", "four"):
        create_questions(2, topic=TopicFactory(code=f"demo.{name}", track=track), kind=Kind.CONCEPT)
    load_blueprints(blueprints=[SCREEN, QUIZ])
    with time_machine.travel(NOW - timedelta(hours=12), tick=False):
        for email, seed, weeks in (("demo@example.test", 5, 5), ("other@example.test", 6, 1)):
            options = {"weeks": weeks, "per_week": 5, "track": "demo", "level": "intermediate", "zone": ZONE}
            call_command("play_sessions", email=email, seed=seed, create=True, stdout=StringIO(), **options)
    user = User.objects.get(email="demo@example.test")
    _grade_again(user)
    asked = Question.objects.filter(versions__responses__user=user).order_by("pk")[:1]
    AttemptFactory(user=user, started_at=NOW - timedelta(minutes=1), responses__questions=list(asked))
    reckon_track_rates(now=NOW - timedelta(hours=5))
    return user


def _grade_again(user: User) -> None:
    """Another grading of an interview of the week, with every point partly met."""
    begin, _ = WEEK.bounds(user.zone)
    attempts = Attempt.objects.filter(user=user, state=State.GRADED, mode=Mode.MOCK, graded_at__gte=begin)
    attempt = attempts.latest("started_at")
    moment = NOW - timedelta(hours=2)
    regrade(attempt=attempt, now=moment)
    marks = Mark.objects.filter(response_grade__grading__attempt=attempt, response_grade__grading__number=1)
    for response in Response.objects.filter(attempt=attempt).exclude(text=""):
        place: dict[str, Any] = {"user": user, "attempt_id": attempt.pk, "position": response.position}
        set_confidence(**place, confidence="strong", now=moment)
        for point in marks.filter(response_grade__response=response).values_list("point", flat=True):
            set_mark(**place, point_id=point, value=MarkValue.PARTLY, quote="", now=moment)
    close_grading(attempt=attempt, now=moment)


def files(user: User, folder: Path) -> tuple[Path, Path, Path]:
    """The export as the person gets it, in both forms, and the figures as they are stored."""
    site = Client()
    site.force_login(user)
    paths = []
    for kind in ("csv", "json"):
        answer = site.get(f"/history/export/{kind}")
        path = folder / f"history.{kind}"
        path.write_bytes(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
        paths.append(path)
    report = folder / "report.json"
    figures = to_json(weekly_figures([user], WEEK, NOW)[user.pk])
    report.write_text(json.dumps({"made_at": NOW.isoformat(), "figures": figures}))
    return paths[0], paths[1], report


def run(monkeypatch: pytest.MonkeyPatch, history: Path, report: Path, *more: str) -> int:
    arguments = [str(history), "--week", WEEK.label, "--zone", ZONE, "--against", str(report), *more]
    monkeypatch.setattr(sys, "argv", ["recompute", *arguments])
    return recompute.main()


def test_both_exports_give_the_figures_of_the_report(
    learner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    as_csv, as_json, report = files(learner, tmp_path)
    stored = json.loads(report.read_text())["figures"]
    practice = stored["practice"]
    # Enough of everything that a difference would show.
    assert min(practice[name] for name in ("mocks", "answers", "met", "partly", "shown", "to_grade")) > 0
    assert len(stored["topics"]) == 4
    assert any(topic["before"] is not None for topic in stored["topics"])
    assert stored["track_rate"] != 0.6
    with as_csv.open(newline="") as file:
        weights = {bool(row["weights"]) for row in csv.DictReader(file) if row["marks"]}
    # The rubric of the question that is being asked is not told, the score of its old answers is.
    assert weights == {True, False}
    said = []
    for history in (as_csv, as_json):
        assert run(monkeypatch, history, report) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "13 figures and topics compared with the report: no differences" in said[0]
    assert f"{practice['mocks']} mocks" in said[0]
    (line,) = (line for line in said[0].splitlines() if line.startswith("demo.one "))
    one = next(topic for topic in stored["topics"] if topic["topic"] == "demo.one")
    shown = [round(100 * one[name] + 1e-9) for name in ("mean", "low", "high")]
    assert [int(word) for word in line.split()[1:5]] == [*shown, one["answers"]]


DIFFERENCES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda figures: figures["practice"].update(minutes=1), "minutes: the report has 1,"),
    (lambda figures: figures["topics"][0].update(mean=0.5), "mean: the report has 0.5,"),
    (lambda figures: figures["topics"][0].update(before=None), "before: the report has None,"),
    (lambda figures: figures["topics"].pop(), "only the history has it"),
    (lambda figures: figures.update(track_rate=0.9), "mean: the report has"),
    (lambda figures: figures["topics"][0].update(standing="x"), "standing: the report has x,"),
    (lambda figures: figures["weak"].append({"figure": {"topic": "x"}}), "weak areas: the report has"),
]


def test_it_finds_what_differs(
    learner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    as_csv, _, report = files(learner, tmp_path)
    original = report.read_text()
    for change, said in DIFFERENCES:
        raw = json.loads(original)
        change(raw["figures"])
        report.write_text(json.dumps(raw))
        assert run(monkeypatch, as_csv, report) == 1
        assert said in capsys.readouterr().out


def test_another_moment_or_another_mark_gives_other_figures(
    learner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_csv, _, report = files(learner, tmp_path)
    assert run(monkeypatch, as_csv, report, "--at", "2026-11-30T07:00:00Z") == 1
    assert run(monkeypatch, as_csv, report, "--at", NOW.isoformat()) == 0
    text = as_csv.read_text()
    assert "r1: 1\n" in text
    as_csv.write_text(text.replace("r1: 1\n", "r1: 0\n"))
    assert run(monkeypatch, as_csv, report) == 1


@pytest.mark.embedded
def test_it_stands_on_nothing_of_the_product() -> None:
    loaded = "import sys, benchmarks.recompute; print(*(name.partition('.')[0] for name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert {"prepapp", "django", "pytest"} & set(found.stdout.split()) == set()

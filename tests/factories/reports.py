"""Rows of reports for tests."""

from datetime import date, timedelta
from typing import Any

import factory
from factory.django import DjangoModelFactory

from prepapp.reports.choices import MailState, Standing
from prepapp.reports.figures import (
    Figures,
    MissedPoint,
    PlannedSession,
    Practice,
    TopicFigure,
    WeakArea,
    to_json,
)
from prepapp.reports.models import WeeklyReport
from tests.factories.accounts import UserFactory
from tests.factories.interviews import STARTED_AT


def topic_figure(**fields: Any) -> TopicFigure:
    return TopicFigure(
        **{
            "topic": "gpu.memory",
            "title": "GPU memory",
            "mean": 0.41,
            "low": 0.31,
            "high": 0.52,
            "p_weak": 0.92,
            "answers": 6,
            "standing": Standing.WEAK,
            "need": 0.92,
            **fields,
        }
    )


def figures(**fields: Any) -> Figures:
    """A week of three mocks with one weak area and one session; `points` are what it missed."""
    points: list[MissedPoint] = fields.pop("points", [])
    weak = topic_figure()
    values: dict[str, Any] = {
        "week": "2026-W45",
        "practice": Practice(mocks=3, minutes=110, answers=11, points=84, met=52, partly=9, shown=47),
        "topics": [weak],
        "weak": [WeakArea(weak, points)],
        "unmeasured": ["Tensor cores"],
        "plan": [
            PlannedSession(
                on=date(2026, 11, 10),
                title="GPU memory drill",
                minutes=20,
                blueprint="",
                track="gpu",
                level="intermediate",
                topic="gpu.memory",
                reason="Your weakest area.",
            ),
            PlannedSession(
                on=date(2026, 11, 12),
                title="Phone screen",
                minutes=15,
                blueprint="screen",
                track="gpu",
                level="intermediate",
            ),
        ],
    }
    return Figures(**(values | fields))


class WeeklyReportFactory(DjangoModelFactory[WeeklyReport]):
    """A report of week 45 of 2026 (2 to 8 November), made on its Monday and not mailed. `figures__points`
    and any other field of the figures; `figures=None` for one that could not be made."""

    class Meta:
        model = WeeklyReport

    class Params:
        label = "2026-W45"

    user = factory.SubFactory(UserFactory)
    year = factory.LazyAttribute(lambda report: int(report.label[:4]))
    week = factory.LazyAttribute(lambda report: int(report.label[6:]))
    made_at = STARTED_AT - timedelta(days=3)
    figures = factory.LazyAttribute(lambda report: to_json(figures(week=report.label)))
    mail_state = MailState.NOT_WANTED
    mail_state_at = factory.SelfAttribute("made_at")

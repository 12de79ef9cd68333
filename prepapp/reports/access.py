"""Finds a person's own report from the week in an address, and for the desk a question, or answers 404."""

from django.http import Http404

from prepapp.accounts.models import User
from prepapp.bank.models import Question
from prepapp.reports.models import WeeklyReport
from prepapp.reports.weeks import read_week


def get_report(user: User, label: str) -> WeeklyReport:
    """The person's report of a week written like 2026-W48. Http404 if there is none to read."""
    try:
        week = read_week(label)
    except ValueError as problem:
        raise Http404(str(problem)) from problem
    report = WeeklyReport.objects.readable().filter(user=user, year=week.year, week=week.number).first()
    if report is None:
        raise Http404("no report of that week")
    return report


def get_question(question_id: int) -> Question:
    """Any question, whatever its state, with its topic and current version, for whoever the view let in.
    Http404."""
    question = Question.objects.with_current().filter(pk=question_id).first()
    if question is None:
        raise Http404("no such question")
    return question

"""Addresses of interviews."""

from django.urls import path, re_path, register_converter
from django.urls.converters import IntConverter

from prepapp.interviews.views import (
    allowance,
    attempt,
    changes,
    export,
    finish,
    front,
    grading,
    history,
    result,
    room,
    samples,
    start,
)


class PositionConverter(IntConverter):
    """The place of a question, from 1. Larger numbers than any column holds are no address."""

    regex = "[1-9][0-9]{0,3}"


class RowConverter(IntConverter):
    """The number of a row. Longer ones than a column holds are no address."""

    regex = "[1-9][0-9]{0,17}"


register_converter(PositionConverter, "position")
register_converter(RowConverter, "row")

app_name = "interviews"
urlpatterns = [
    path("", front.front, name="front"),
    path("start/", start.start, name="start"),
    path("start/new", start.start_new, name="start-new"),
    path("start/drill/", start.drill, name="drill"),
    path("start/custom/", start.custom, name="custom"),
    path("allowance", allowance.allowance, name="allowance"),
    path("attempts/<uuid:attempt_id>/", attempt.attempt, name="attempt"),
    path("attempts/<uuid:attempt_id>/q/<position:position>/", room.room, name="room"),
    path("attempts/<uuid:attempt_id>/q/<position:position>/save", room.save, name="save"),
    path("attempts/<uuid:attempt_id>/q/<position:position>/go", room.go, name="go"),
    path("attempts/<uuid:attempt_id>/q/<position:position>/flag", room.flag, name="flag"),
    path("attempts/<uuid:attempt_id>/q/<position:position>/hint", room.hint, name="hint"),
    path("attempts/<uuid:attempt_id>/clock", room.clock, name="clock"),
    path("attempts/<uuid:attempt_id>/finish/", finish.finish, name="finish"),
    path("attempts/<uuid:attempt_id>/abandon", finish.abandon, name="abandon"),
    path("attempts/<uuid:attempt_id>/grade/", grading.grade, name="grade"),
    path("attempts/<uuid:attempt_id>/grade/close", grading.grade_close, name="grade-close"),
    path("attempts/<uuid:attempt_id>/grade/again", grading.regrade, name="regrade"),
    path("attempts/<uuid:attempt_id>/grade/<position:position>/", grading.grade_answer, name="grade-answer"),
    path(
        "attempts/<uuid:attempt_id>/grade/<position:position>/confidence",
        grading.confidence,
        name="confidence",
    ),
    path("attempts/<uuid:attempt_id>/grade/<position:position>/mark", grading.mark, name="mark"),
    path("attempts/<uuid:attempt_id>/grade/<position:position>/reveal", grading.reveal, name="reveal"),
    path("attempts/<uuid:attempt_id>/grade/<position:position>/lesson", grading.lesson, name="lesson"),
    path("attempts/<uuid:attempt_id>/result/", result.result, name="result"),
    path("attempts/<uuid:attempt_id>/review/", history.review, name="review"),
    path("attempts/<uuid:attempt_id>/changes/<position:position>/", changes.changes, name="changes"),
    path("attempts/<uuid:attempt_id>/retake", history.retake, name="retake"),
    path("attempts/<uuid:attempt_id>/delete/", history.attempt_delete, name="attempt-delete"),
    path("history/", history.history, name="history"),
    re_path(r"^history/export/(?P<kind>csv|json)$", export.history_export, name="history-export"),
    path("compare/", history.compare, name="compare"),
    path("samples/", samples.sample_list, name="sample-list"),
    path("samples/<row:sample_id>/", samples.sample, name="sample"),
    path("samples/<row:sample_id>/grade", samples.sample_grade, name="sample-grade"),
]

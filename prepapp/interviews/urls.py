"""Addresses of interviews."""

from django.urls import path

from prepapp.interviews.views import allowance, attempt, finish, front, room, start

app_name = "interviews"
urlpatterns = [
    path("", front.front, name="front"),
    path("start/", start.start, name="start"),
    path("start/new", start.start_new, name="start-new"),
    path("start/custom/", start.custom, name="custom"),
    path("allowance", allowance.allowance, name="allowance"),
    path("attempts/<uuid:attempt_id>/", attempt.attempt, name="attempt"),
    path("attempts/<uuid:attempt_id>/q/<int:position>/", room.room, name="room"),
    path("attempts/<uuid:attempt_id>/q/<int:position>/save", room.save, name="save"),
    path("attempts/<uuid:attempt_id>/q/<int:position>/go", room.go, name="go"),
    path("attempts/<uuid:attempt_id>/q/<int:position>/flag", room.flag, name="flag"),
    path("attempts/<uuid:attempt_id>/q/<int:position>/hint", room.hint, name="hint"),
    path("attempts/<uuid:attempt_id>/clock", room.clock, name="clock"),
    path("attempts/<uuid:attempt_id>/finish/", finish.finish, name="finish"),
    path("attempts/<uuid:attempt_id>/abandon", finish.abandon, name="abandon"),
]

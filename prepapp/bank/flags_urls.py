"""Addresses of flags: those of a candidate, and the queue at the desk."""

from django.urls import path

from prepapp.bank.views import flag_queue, flags

app_name = "flags"
urlpatterns = [
    path("flags/", flags.flag_list, name="flag-list"),
    path("flags/read", flags.flag_read, name="flag-read"),
    path("flags/versions/<int:version_id>", flags.flag_raise, name="flag-raise"),
    path("desk/flags/", flag_queue.flag_queue, name="flag-queue"),
    path("desk/flags/<int:question_id>/", flag_queue.flag_question, name="flag-question"),
    path("desk/flags/<int:question_id>/<slug:reason>", flag_queue.flag_settle, name="flag-settle"),
]

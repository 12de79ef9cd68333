"""Addresses of the question bank."""

from django.urls import path

from prepapp.bank.views import browser

app_name = "bank"
urlpatterns = [
    path("", browser.question_list, name="question-list"),
    path("<slug:slug>/", browser.question_detail, name="question-detail"),
    path("<slug:slug>/answer/", browser.question_answer, name="question-answer"),
]

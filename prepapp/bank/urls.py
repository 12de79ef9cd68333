"""Addresses of the question bank."""

from django.urls import path

from prepapp.bank import views

app_name = "bank"
urlpatterns = [
    path("", views.question_list, name="question-list"),
    path("<slug:slug>/", views.question_detail, name="question-detail"),
    path("<slug:slug>/answer/", views.question_answer, name="question-answer"),
]

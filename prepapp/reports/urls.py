"""Addresses of progress and reports."""

from django.urls import path, re_path

from prepapp.reports.views import item_statistics, preview, progress, report, runs, weekly_mail

app_name = "reports"

WEEK = r"(?P<label>[0-9]{4}-W[0-9]{2})"

urlpatterns = [
    path("progress/", progress.progress, name="progress"),
    path("reports/", report.report_list, name="report-list"),
    re_path(rf"^reports/{WEEK}/$", report.report_detail, name="report-detail"),
    re_path(rf"^reports/{WEEK}/copy$", report.report_copy, name="report-copy"),
    re_path(rf"^reports/{WEEK}/read$", report.report_read, name="report-read"),
    path("reports/runs/", runs.report_runs, name="report-runs"),
    path("reports/preview/", preview.report_preview, name="report-preview"),
    path("reports/preview/mail", preview.report_preview_mail, name="report-preview-mail"),
    path("desk/statistics/", item_statistics.item_statistics, name="item-statistics"),
    path(
        "desk/statistics/<int:question_id>/",
        item_statistics.question_statistics,
        name="question-statistics",
    ),
    path("reports/mail/<str:token>/", weekly_mail.unsubscribe, name="unsubscribe"),
    path("reports/mail/<str:token>/again", weekly_mail.subscribe, name="subscribe"),
]

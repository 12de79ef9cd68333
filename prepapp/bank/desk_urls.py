"""Addresses of the desk: its front page, and writing and reviewing questions."""

from django.urls import path

from prepapp.bank.views import desk, editor, keeping, merging, review, trying

app_name = "desk"
urlpatterns = [
    path("", desk.desk_home, name="home"),
    path("questions/new/", editor.question_new, name="question-new"),
    path("questions/new/check/", editor.question_check, name="question-new-check"),
    path("questions/<int:question_id>/", keeping.question_detail, name="question-detail"),
    path("questions/<int:question_id>/open/", keeping.question_open, name="question-open"),
    path("questions/<int:question_id>/edit/", editor.question_edit, name="question-edit"),
    path("questions/<int:question_id>/check/", editor.question_check, name="question-check"),
    path("questions/<int:question_id>/merge/", merging.question_merge, name="question-merge"),
    path("questions/<int:question_id>/alike/", trying.question_alike, name="question-alike"),
    path("questions/<int:question_id>/try/", trying.question_try, name="question-try"),
    path("questions/<int:question_id>/submit/", review.question_submit, name="question-submit"),
    path("questions/<int:question_id>/withdraw/", review.question_withdraw, name="question-withdraw"),
    path("questions/<int:question_id>/review/", review.question_review, name="question-review"),
    path("questions/<int:question_id>/publish/", review.question_publish, name="question-publish"),
    path("questions/<int:question_id>/return/", review.question_return, name="question-return"),
    path("questions/<int:question_id>/discard/", keeping.question_discard, name="question-discard"),
    path("questions/<int:question_id>/retire/", keeping.question_retire, name="question-retire"),
    path("questions/<int:question_id>/restore/", keeping.question_restore, name="question-restore"),
    path("questions/<int:question_id>/checked/", keeping.question_checked, name="question-checked"),
    path("questions/<int:question_id>/owner/", keeping.question_owner, name="question-owner"),
    path(
        "questions/<int:question_id>/revisions/<int:number>/",
        keeping.question_revision,
        name="question-revision",
    ),
    path(
        "questions/<int:question_id>/versions/<int:number>/",
        keeping.question_versioned,
        name="question-version",
    ),
]

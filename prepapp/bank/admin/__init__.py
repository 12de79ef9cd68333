"""The bank in the admin: the list of questions with acts on many at once, tracks, topics, packs, the log.
Writing and reviewing a question has pages of its own (`views.editor`)."""

from prepapp.bank.admin.lists import PackAdmin, TopicAdmin, TrackAdmin
from prepapp.bank.admin.log import CurationEventAdmin
from prepapp.bank.admin.questions import QuestionAdmin

__all__ = ["CurationEventAdmin", "PackAdmin", "QuestionAdmin", "TopicAdmin", "TrackAdmin"]

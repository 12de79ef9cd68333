"""What pages of the bank show, read from several tables at once. Nothing here writes."""

from prepapp.bank.queries.browsing import (
    Answer,
    AnswerPart,
    AskedText,
    FilterChoices,
    QuestionFilter,
    Reference,
    TopicSize,
    TrackSize,
    answer_of,
    asked_text,
    filter_choices,
    find_questions,
    sample_question,
    topic_sizes,
    track_choices,
    track_sizes,
    tracks_with_counts,
)
from prepapp.bank.queries.documents import current_documents, version_documents

__all__ = [
    "Answer",
    "AnswerPart",
    "AskedText",
    "FilterChoices",
    "QuestionFilter",
    "Reference",
    "TopicSize",
    "TrackSize",
    "answer_of",
    "asked_text",
    "current_documents",
    "filter_choices",
    "find_questions",
    "sample_question",
    "topic_sizes",
    "track_choices",
    "track_sizes",
    "tracks_with_counts",
    "version_documents",
]

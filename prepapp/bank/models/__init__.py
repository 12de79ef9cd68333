"""The tables of the bank: what can be asked, what curators work with, files on their way in."""

from prepapp.bank.models.curation import CurationEvent, Draft, DraftRevision, Flag
from prepapp.bank.models.imports import AT_WORK, ImportFile, ImportRow, ImportRun
from prepapp.bank.models.packs import Pack
from prepapp.bank.models.questions import (
    QUESTION_ORDER,
    FollowUp,
    Question,
    QuestionQuerySet,
    QuestionVersion,
    RubricPoint,
    Tag,
    Topic,
    Track,
    TrackTopic,
)
from prepapp.bank.models.samples import SampleAnswer, SampleMark

__all__ = [
    "AT_WORK",
    "QUESTION_ORDER",
    "CurationEvent",
    "Draft",
    "DraftRevision",
    "Flag",
    "FollowUp",
    "ImportFile",
    "ImportRow",
    "ImportRun",
    "Pack",
    "Question",
    "QuestionQuerySet",
    "QuestionVersion",
    "RubricPoint",
    "SampleAnswer",
    "SampleMark",
    "Tag",
    "Topic",
    "Track",
    "TrackTopic",
]

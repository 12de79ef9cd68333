"""A document as a candidate would meet it: rows that are never saved, rendered as published ones are.

Here: the shape pages of the browser and of the room show. No query, and nothing is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from prepapp.bank.models import FollowUp, Question, QuestionVersion, RubricPoint
from prepapp.bank.queries.browsing import Answer, AnswerPart, Reference
from prepapp.bank.rendering import reference_link, render_follow_up, render_version
from prepapp.bank.transfer.document import Document
from prepapp.common.markdown import MAX_CHARACTERS

_TEXTS = ("title", "level", "kind", "prompt", "context", "data", "model_answer", "deeper", "weights_note")
_CODE = {"language": "python", "timeout_s": 0, "solution": "", "check": "", "wrong": []}


@dataclass(frozen=True)
class Preview:
    """`question`, `version` and `answer` as the templates of the browser take them."""

    question: Question
    version: QuestionVersion
    answer: Answer


def preview_of(document: Document) -> Preview:
    """The question as it would be shown if this document were published now. Whatever is missing is empty;
    a text longer than the pipeline takes is cut there."""
    version = QuestionVersion(
        number=0,
        minutes=_whole(document.get("minutes")),
        pitfalls=[_text(item) for item in _listed(document.get("pitfalls"))],
        code=_code(document.get("code")),
        difficulty={key: _text(value) for key, value in _mapping(document.get("difficulty")).items()},
        reviewed_date=date.min,
        **{name: _text(document.get(name)) for name in _TEXTS},
    )
    version.rendered = render_version(version)
    follow_ups = [_mapping(part) for part in _listed(document.get("followups"))]
    references = [_mapping(part) for part in _listed(document.get("references"))]
    answer = Answer(
        points=_points(document.get("rubric")),
        follow_ups=[AnswerPart(_follow_up(part), _points(part.get("rubric"))) for part in follow_ups],
        references=[
            Reference(
                _text(part.get("title")), _text(part.get("url")), reference_link(_text(part.get("url")))
            )
            for part in references
        ],
        tags=[_text(tag) for tag in _listed(document.get("tags"))],
    )
    return Preview(Question(slug=_text(document.get("slug"))), version, answer)


def _points(rubric: Any) -> list[RubricPoint]:
    return [
        RubricPoint(
            key=_text(point.get("id")),
            weight=_whole(point.get("weight")),
            is_must=point.get("must") is True,
            criterion=_text(point.get("criterion")),
            met=_text(point.get("met")),
            partial=_text(point.get("partial")),
        )
        for point in map(_mapping, _listed(rubric))
    ]


def _follow_up(part: Mapping[str, Any]) -> FollowUp:
    made = FollowUp(
        key=_text(part.get("id")),
        minutes=_whole(part.get("minutes")),
        prompt=_text(part.get("prompt")),
        answer=_text(part.get("answer")),
    )
    made.rendered = render_follow_up(made)
    return made


def _code(value: Any) -> dict[str, Any] | None:
    code = _mapping(value)
    texts = {key: _text(code.get(key)) for key in ("language", "solution", "check") if code.get(key)}
    return {**_CODE, **texts} if texts else None


def _text(value: Any) -> str:
    return value[:MAX_CHARACTERS] if isinstance(value, str) else "" if value is None else str(value)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

"""Rules for what a question rests on: L14 figures, L15 references, L16 dates, L18 checklist claims.

Not here: whether an address answers; that takes a network.
"""

import re
from collections.abc import Iterator
from datetime import date

from prepapp.bank.lint import words
from prepapp.bank.lint.finding import Finding, fail, warn
from prepapp.bank.lint.parts import points
from prepapp.bank.rules import add_months
from prepapp.bank.transfer.question_file import QuestionFile

RECHECK_MONTHS = 24
RECHECK_MONTHS_FAST = 12
RECHECK_MONTHS_FIGURES = 6
FAST_TRACKS = frozenset({"gpu", "llm"})

DOI = re.compile(r"^(doi:|https://doi\.org/)10\.\d{4,9}/\S+$")
HTTPS = re.compile(r"^https://[^\s/?#]+\.[^\s/?#]+")
_PART = re.compile(
    r"\b(V100|A10G?|A100|A30|L4|L40S?|H100|H200|GH200|B200|B300|GB200|GB300|RTX|MI\d{3}X?|TPU)\b"
)
_FIGURE = re.compile(
    r"\b\d[\d,.]*\s?(?:[KMGT]i?B(?:/s)?|[KMGT]bit/s|[GTP]FLOPS?|[GTP]FLOP/s|SMs?|GHz|MHz|W)(?![A-Za-z0-9])"
)


def check_figures(question: QuestionFile) -> Iterator[Finding]:
    """L14: figures with a hardware unit that the prompt does not give rest on a source."""
    if question.kind == "behavioural" or any(reference.supports for reference in question.references):
        return
    given = f"{question.prompt} {question.context} {question.data}"
    for match in _FIGURE.finditer(words.without_code(question.model_answer)):
        if match[0] not in given:
            message = f"{match[0]!r} comes from nowhere; let a reference support the point that uses it"
            yield warn(question, "L14", "model_answer", message)
            return


def check_references(question: QuestionFile) -> Iterator[Finding]:
    """L15: sources that can be opened and that name the points they support."""
    if question.kind != "behavioural" and not question.references:
        yield fail(question, "L15", "references", "is empty; name at least one primary source")
    point_ids = {point.id for _, point in points(question)}
    for index, reference in enumerate(question.references):
        if not (HTTPS.match(reference.url) or DOI.match(reference.url)):
            field = f"references[{index}].url"
            yield fail(
                question, "L15", field, f"{reference.url!r} is neither an https address nor a doi; correct it"
            )
        for position, point_id in enumerate(reference.supports):
            if point_id not in point_ids:
                field = f"references[{index}].supports[{position}]"
                yield fail(
                    question, "L15", field, f"no rubric point has the id {point_id!r}; name one that exists"
                )


def check_dates(question: QuestionFile, today: date) -> Iterator[Finding]:
    """L16: reviewed in the past, and not too long ago for what ages in the question."""
    review = question.review
    limit, reason = _recheck_limit(question)
    if review.recheck_months > limit:
        message = f"is {review.recheck_months}; {reason} must be rechecked within {limit} months"
        yield fail(question, "L16", "review.recheck_months", message)
    if review.reviewed > today:
        yield fail(
            question,
            "L16",
            "review.reviewed",
            f"{review.reviewed} is in the future; write the day of the review",
        )
    due = add_months(review.reviewed, review.recheck_months)
    if due < today:
        yield fail(
            question, "L16", "review.reviewed", f"the recheck was due on {due}; review the question again"
        )


def check_covers(question: QuestionFile) -> Iterator[Finding]:
    """L18, the part one file shows: a question does not claim the whole checklist."""
    cells = sum(item.startswith("S1-") for item in question.covers)
    if cells > 2:
        yield fail(question, "L18", "covers", f"claims {cells} S1 cells; claim at most 2")
    if len(question.covers) > 3:
        yield warn(
            question,
            "L18",
            "covers",
            f"claims {len(question.covers)} checklist items; more than 3 is doubtful",
        )


def _recheck_limit(question: QuestionFile) -> tuple[int, str]:
    if _quotes_hardware_figure(question):
        return RECHECK_MONTHS_FIGURES, "a figure of a named part"
    if question.track in FAST_TRACKS:
        return RECHECK_MONTHS_FAST, f"the track {question.track}"
    return RECHECK_MONTHS, "every question"


def _quotes_hardware_figure(question: QuestionFile) -> bool:
    texts = [question.prompt, question.context, question.model_answer, question.data]
    texts += [follow_up.answer for follow_up in question.followups]
    return any(
        _PART.search(sentence) and _FIGURE.search(sentence)
        for text in texts
        for sentence in words.sentences(text)
    )

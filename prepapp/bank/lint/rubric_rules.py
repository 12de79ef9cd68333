"""Rules for rubric points: L2 counts and weights, L3 criteria, L4 evidence, L12 giveaways.

Not here: lengths and minutes of the texts around them (`text_rules`).
"""

import re
from collections.abc import Iterator

from prepapp.bank.lint import words
from prepapp.bank.lint.finding import Finding, fail, warn
from prepapp.bank.lint.parts import points
from prepapp.bank.transfer.question_file import QuestionFile, RubricPointFile

VERBS = frozenset(
    {
        "States", "Names", "Computes", "Chooses", "Derives", "Rejects",
        "Compares", "Proposes", "Passes", "Gives", "Handles", "Adds",
    }
)  # fmt: skip
BANNED = frozenset(
    {
        "understand",
        "understands",
        "understanding",
        "know",
        "knows",
        "good",
        "proper",
        "properly",
        "clear",
        "clearly",
    }
)
VAGUE = frozenset({"less", "vague", "incomplete"})
VAGUE_FILLERS = words.STOP_WORDS | {
    "answer",
    "answers",
    "detail",
    "details",
    "detailed",
    "explanation",
    "version",
}

_JOINED = re.compile(r"\b(and|or)\b|;|/(?!s\b)", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def check_rubric(question: QuestionFile) -> Iterator[Finding]:
    """L2: how many points, how they weigh, how many are must points."""
    rubric = question.rubric
    if not 4 <= len(rubric) <= 7:
        yield fail(question, "L2", "rubric", f"has {len(rubric)} points; write 4 to 7")
    yield from _check_sum(question, "rubric", rubric)
    for index, point in enumerate(rubric):
        if point.weight > 3:
            yield fail(question, "L2", f"rubric[{index}].weight", f"is {point.weight}; use 1, 2 or 3")
        if point.must and point.weight < 2:
            yield fail(
                question,
                "L2",
                f"rubric[{index}].weight",
                "a must point weighs at least 2; raise it to 2 or 3",
            )
    if len({point.weight for point in rubric}) > 1 and not question.weights_note:
        yield fail(question, "L2", "rubric", "the weights differ; say why in weights_note")
    must = sum(point.must for point in rubric)
    if not 1 <= must <= 3:
        yield fail(question, "L2", "rubric", f"has {must} must points; mark 1 to 3")
    for index, follow_up in enumerate(question.followups):
        field = f"followups[{index}].rubric"
        if not 2 <= len(follow_up.rubric) <= 3:
            yield fail(question, "L2", field, f"has {len(follow_up.rubric)} points; write 2 or 3")
        yield from _check_sum(question, field, follow_up.rubric)


def check_criteria(question: QuestionFile) -> Iterator[Finding]:
    """L3: each criterion is one observable act."""
    for path, point in points(question):
        field = f"{path}.criterion"
        length = words.count(point.criterion)
        if not 5 <= length <= 24:
            yield fail(question, "L3", field, f"has {length} words; write 5 to 24")
        first = point.criterion.split()[0].strip(".,:;")
        if first not in VERBS:
            yield fail(
                question, "L3", field, f"opens with {first!r}; open with one of {', '.join(sorted(VERBS))}"
            )
        for word in words.terms(point.criterion):
            if word in BANNED:
                yield fail(question, "L3", field, f"{word!r} cannot be observed; say what the candidate does")
        joined = _JOINED.search(_BRACKETS.sub("", words.without_code(point.criterion)))
        if joined:
            yield warn(question, "L3", field, f"{joined[0]!r} may join two acts; keep one act per point")


def check_evidence(question: QuestionFile) -> Iterator[Finding]:
    """L4: what met and partial sound like."""
    for path, point in points(question):
        for name, text in (("met", point.met), ("partial", point.partial)):
            length = words.count(text)
            if not 2 <= length <= 20:
                yield fail(question, "L4", f"{path}.{name}", f"has {length} words; write 2 to 20")
            if words.terms(text) == words.terms(point.criterion):
                yield fail(
                    question, "L4", f"{path}.{name}", "repeats the criterion; write what one would hear"
                )
        if words.terms(point.met) == words.terms(point.partial):
            yield fail(question, "L4", f"{path}.partial", "repeats met; write the commonest near miss")
        left = set(words.terms(point.partial)) - VAGUE_FILLERS
        if left and left <= VAGUE:
            yield warn(
                question, "L4", f"{path}.partial", "says only that something is missing; name the near miss"
            )


def check_giveaway(question: QuestionFile) -> Iterator[Finding]:
    """L12: the prompt does not hand over a must point."""
    told = words.content_words(f"{question.prompt} {question.context} {question.data}")
    for index, point in enumerate(question.rubric):
        act = words.content_words(point.criterion.partition(" ")[2])
        if point.must and act and len(act & told) > len(act) / 2:
            field = f"rubric[{index}].criterion"
            given = f"{len(act & told)} of {len(act)} content words"
            message = f"{given} stand in the prompt or context; give less away"
            yield warn(question, "L12", field, message)


def _check_sum(question: QuestionFile, field: str, rubric: tuple[RubricPointFile, ...]) -> Iterator[Finding]:
    total = sum(point.weight for point in rubric)
    if total != 10:
        yield fail(question, "L2", field, f"the weights sum to {total}; make them sum to 10")

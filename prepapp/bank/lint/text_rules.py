"""Rules for the length, pace and readability of a question's texts: L5, L6, L7.

Not here: the wording of rubric points (`rubric_rules`).
"""

from collections.abc import Iterator
from itertools import pairwise

from prepapp.bank.lint import words
from prepapp.bank.lint.finding import Finding, fail, warn
from prepapp.bank.transfer.question_file import QuestionFile

MINUTES = {
    "concept": "4-6",
    "estimation": "5-8",
    "debugging": "6-12",
    "design": "8-12 or 50",
    "coding": "12-24",
    "sql": "12-24",
    "behavioural": "8",
}
CODE_KINDS = frozenset({"coding", "sql"})
# Tables, list items, headings and quotes keep their line breaks in Markdown.
MARKDOWN_LINES = ("|", "-", "*", "#", ">")
# From how many words to how many, by field; the model answer follows from the clock (`answer_words`).
WORDS = {"prompt": (20, 90), "context": (0, 80), "deeper": (0, 250), "pitfall": (0, 25), "answer": (20, 80)}
SENTENCE_WORDS = 28
GRADE_WARN = 12
GRADE_FAIL = 15


def check_lengths(question: QuestionFile) -> Iterator[Finding]:
    """L5: lengths in words."""
    yield from _check_words(question, "L5", "prompt", question.prompt, *WORDS["prompt"])
    yield from _check_words(question, "L5", "context", question.context, *WORDS["context"])
    yield from _check_words(question, "L5", "deeper", question.deeper, *WORDS["deeper"])
    if _loses_lines(question.data):
        message = "plain lines run together when shown; fence the excerpt with ``` or write a Markdown table"
        yield fail(question, "L5", "data", message)
    if not 2 <= len(question.pitfalls) <= 4:
        yield fail(question, "L5", "pitfalls", f"has {len(question.pitfalls)} entries; write 2 to 4")
    for index, pitfall in enumerate(question.pitfalls):
        yield from _check_words(question, "L5", f"pitfalls[{index}]", pitfall, *WORDS["pitfall"])
    if not 1 <= len(question.followups) <= 3:
        yield fail(question, "L5", "followups", f"has {len(question.followups)} entries; write 1 to 3")
    for index, follow_up in enumerate(question.followups):
        yield from _check_words(
            question, "L5", f"followups[{index}].answer", follow_up.answer, *WORDS["answer"]
        )


def check_clock(question: QuestionFile) -> Iterator[Finding]:
    """L6: the answer can be spoken, and the points judged, in the minutes given."""
    bounds = MINUTES[question.kind]
    if not _within(question.minutes, bounds):
        yield fail(
            question,
            "L6",
            "minutes",
            f"is {question.minutes}; a {question.kind} question takes {bounds} minutes",
        )
    bounds_of_answer = answer_words(question.kind, question.minutes)
    yield from _check_words(question, "L6", "model_answer", question.model_answer, *bounds_of_answer)
    yield from _check_pace(question, "rubric", len(question.rubric), question.minutes)
    for index, follow_up in enumerate(question.followups):
        yield from _check_pace(
            question, f"followups[{index}].rubric", len(follow_up.rubric), follow_up.minutes
        )


def answer_words(kind: str, minutes: int) -> tuple[int, int]:
    """From how many words to how many a model answer is spoken in the minutes of its question."""
    return (60, 200) if kind in CODE_KINDS else (10 * minutes, 25 * minutes)


def _loses_lines(markdown: str) -> bool:
    lines = words.prose(markdown).splitlines()
    plain = [bool(line.strip()) and not line.lstrip().startswith(MARKDOWN_LINES) for line in lines]
    return any(first and second for first, second in pairwise(plain))


def _check_words(
    question: QuestionFile, check: str, field: str, text: str, low: int, high: int
) -> Iterator[Finding]:
    length = words.count(text)
    if length > high:
        yield fail(question, check, field, f"has {length} words; cut it to {high}")
    elif length < low:
        yield fail(question, check, field, f"has {length} words; write at least {low}")


def _check_pace(question: QuestionFile, field: str, points: int, minutes: int) -> Iterator[Finding]:
    if points * 6 > minutes * 10:
        yield fail(
            question, "L6", field, f"{points} points do not fit {minutes} minutes; allow 0.6 minutes a point"
        )


def _within(minutes: int, bounds: str) -> bool:
    for part in bounds.split(" or "):
        low, _, high = part.partition("-")
        if int(low) <= minutes <= int(high or low):
            return True
    return False


def check_readability(question: QuestionFile) -> Iterator[Finding]:
    """L7: sentences and words that can be followed at first hearing. Short texts have no grade."""
    spoken = [
        ("prompt", question.prompt),
        ("context", question.context),
        ("model_answer", question.model_answer),
    ]
    for index, follow_up in enumerate(question.followups):
        spoken.append((f"followups[{index}].prompt", follow_up.prompt))
        spoken.append((f"followups[{index}].answer", follow_up.answer))
    for field, text in spoken:
        longest = max(words.sentences(text), key=words.count, default="")
        if words.count(longest) > SENTENCE_WORDS:
            message = f"a sentence has {words.count(longest)} words ({longest[:40]!r}…); split it"
            yield warn(question, "L7", field, message)
        grade = words.reading_grade(text, terms=frozenset(question.tags))
        if grade > GRADE_FAIL:
            yield fail(question, "L7", field, f"reads at grade {grade:.0f}; shorten sentences and words")
        elif grade > GRADE_WARN:
            yield warn(question, "L7", field, f"reads at grade {grade:.0f}; shorten sentences and words")

"""Rules about a whole bank at a milestone: L17 balance, L18 coverage of the checklist.

Here: findings, which stand at no file because no single question is at fault. Not here: what is wanted
(`bank.targets`, `bank.checklist`), how it is counted (`bank.balance`).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from prepapp.bank import balance, checklist, targets
from prepapp.bank.lint.finding import FAIL, Finding
from prepapp.bank.taxonomy import TRACKS
from prepapp.bank.transfer.question_file import QuestionFile


def lint_balance(questions: Sequence[QuestionFile], milestone: str) -> list[Finding]:
    """Every finding about these questions as a whole bank. Raises KeyError for an unknown milestone."""
    return [finding for rule in RULES for finding in rule(questions, milestone)]


def check_counts(questions: Sequence[QuestionFile], milestone: str) -> Iterator[Finding]:
    """L17: every topic has the questions its milestone wants."""
    counts = Counter(question.topic for question in questions)
    for topic, target in targets.TOPIC_TARGETS.items():
        wanted = target.wanted(milestone)
        if counts[topic] < wanted:
            message = f"has {counts[topic]} of the {wanted} questions {milestone} wants; write the others"
            yield _of_bank("L17", topic, message)


def check_levels(questions: Sequence[QuestionFile], milestone: str) -> Iterator[Finding]:
    """L17: levels are mixed as intended, in the bank and in each track."""
    yield from _check_levels(questions, "")
    for track in TRACKS:
        yield from _check_levels(balance.of_track(questions, track.code), track.code)


def check_association(questions: Sequence[QuestionFile], milestone: str) -> Iterator[Finding]:
    """L17: the kind of a question does not give its level away."""
    found = balance.association(questions)
    if found > targets.ASSOCIATION_LIMIT:
        message = (
            f"kind tells level with Cramér's V {found:.2f}; spread kinds over levels "
            f"until it is at most {targets.ASSOCIATION_LIMIT:.2f}"
        )
        yield _of_bank("L17", "", message)


def check_checklist(questions: Sequence[QuestionFile], milestone: str) -> Iterator[Finding]:
    """L18: what the milestone wants of the checklist is claimed by a question."""
    for item in balance.uncovered(questions, (*checklist.IDEAS, *checklist.ROLE_ITEMS)):
        yield _of_bank("L18", item, "no question covers it; write one that does")
    wanted = checklist.CELLS_WANTED[milestone]
    covered = len(checklist.CELLS) - len(balance.uncovered(questions, checklist.CELLS))
    if covered < wanted:
        message = f"{covered} S1 cells are covered and {milestone} wants {wanted}; cover others"
        yield _of_bank("L18", "", message)


RULES: tuple[Callable[[Sequence[QuestionFile], str], Iterator[Finding]], ...] = (
    check_counts,
    check_levels,
    check_association,
    check_checklist,
)


def _check_levels(questions: Sequence[QuestionFile], track: str) -> Iterator[Finding]:
    for gap in balance.level_gaps(questions, track):
        message = (
            f"{gap.share:.1%} of {len(questions)} questions are {gap.level} and {gap.wanted:.1%} are wanted; "
            f"come within {gap.tolerance} points"
        )
        yield _of_bank("L17", track, message)


def _of_bank(check: str, field: str, message: str) -> Finding:
    return Finding("", 0, check, FAIL, field, message)

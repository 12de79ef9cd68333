"""All rules that need one question and nothing else, and rule L1 about its ids and place.

Not here: running code (`code_rules`), comparing questions (`bank_rules`), reading files.
"""

from collections.abc import Callable, Iterator
from datetime import date

from prepapp.bank.lint import markup_rules, rubric_rules, source_rules, text_rules
from prepapp.bank.lint.finding import Finding, fail
from prepapp.bank.lint.parts import points
from prepapp.bank.taxonomy import KINDS, LEVELS, TOPICS
from prepapp.bank.transfer.question_file import QuestionFile

_TOPIC_CODES = frozenset(topic.code for topic in TOPICS)


def lint_question(question: QuestionFile, today: date) -> list[Finding]:
    """Every finding that one question allows without running code, in file order."""
    findings = [finding for rule in RULES for finding in rule(question)]
    return sorted([*findings, *source_rules.check_dates(question, today)])


def check_ids(question: QuestionFile) -> Iterator[Finding]:
    """L1: lists the schema cannot know, and ids used twice inside the file."""
    if question.topic not in _TOPIC_CODES:
        yield fail(
            question, "L1", "id", f"the topic {question.topic!r} is not in the taxonomy; use one that is"
        )
    if question.level not in LEVELS:
        yield fail(
            question, "L1", "level", f"{question.level!r} is not a level; use one of {', '.join(LEVELS)}"
        )
    if question.kind not in KINDS:
        yield fail(question, "L1", "kind", f"{question.kind!r} is not a kind; use one of {', '.join(KINDS)}")
    seen: set[str] = set()
    for field, part_id in _part_ids(question):
        if part_id in seen:
            yield fail(
                question, "L1", field, f"the id {part_id!r} is used twice in this file; number it anew"
            )
        seen.add(part_id)


def check_place(question: QuestionFile, location: str) -> Iterator[Finding]:
    """L1: `location`, a path with slashes, ends in <track>/<topic>/<slug>.yaml."""
    parts = location.split("/")
    name = question.topic.partition(".")[2]
    wanted = [question.track, name, f"{question.slug}.yaml"]
    if parts[-3:-1] != wanted[:2]:
        yield fail(
            question,
            "L1",
            "id",
            f"{question.id} belongs in the folder {question.track}/{name}; move the file",
        )
    if parts[-1] != wanted[2]:
        yield fail(
            question, "L1", "slug", f"the file name must be {wanted[2]}; rename the file or change the slug"
        )


def _part_ids(question: QuestionFile) -> Iterator[tuple[str, str]]:
    for path, point in points(question):
        yield f"{path}.id", point.id
    for index, follow_up in enumerate(question.followups):
        yield f"followups[{index}].id", follow_up.id


RULES: tuple[Callable[[QuestionFile], Iterator[Finding]], ...] = (
    check_ids,
    rubric_rules.check_rubric,
    rubric_rules.check_criteria,
    rubric_rules.check_evidence,
    rubric_rules.check_giveaway,
    text_rules.check_lengths,
    text_rules.check_clock,
    text_rules.check_readability,
    markup_rules.check_markup,
    source_rules.check_figures,
    source_rules.check_references,
    source_rules.check_covers,
)

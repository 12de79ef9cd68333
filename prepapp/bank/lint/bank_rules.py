"""Rules that compare questions with each other: the unique part of L1, L8, L9, L10.

Here: limits and findings for several questions. Not here: how likeness is measured
(`similarity`), rules for one question, reading files.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prepapp.bank.lint import words
from prepapp.bank.lint.finding import Finding, fail, warn
from prepapp.bank.lint.parts import texts
from prepapp.bank.lint.similarity import Likeness, alike
from prepapp.bank.taxonomy import TOPICS
from prepapp.bank.transfer.question_file import QuestionFile

SENTENCE_WORDS = 8
OPENING_WORDS = 4
OPENING_SHARE = 0.04

_TOPICS = {topic.code: topic for topic in TOPICS}


@dataclass(frozen=True)
class Limits:
    """From where on a pair of texts is a failure or a warning, by cosine and by shared shingles."""

    fail_cosine: float
    fail_jaccard: float
    warn_cosine: float
    warn_jaccard: float


WHOLE = Limits(fail_cosine=0.50, fail_jaccard=0.20, warn_cosine=0.30, warn_jaccard=0.08)
PROMPT = Limits(fail_cosine=0.80, fail_jaccard=0.50, warn_cosine=0.60, warn_jaccard=0.25)


def lint_bank(questions: Sequence[QuestionFile]) -> list[Finding]:
    """Every finding that needs several questions. A finding about a pair stands at its later file."""
    return sorted(finding for rule in RULES for finding in rule(questions))


def check_unique(questions: Sequence[QuestionFile]) -> Iterator[Finding]:
    """L1: ids and slugs are never shared."""
    yield from _check_repeats(questions, "id", lambda question: question.id)
    yield from _check_repeats(questions, "slug", lambda question: question.slug)


def check_duplicates(questions: Sequence[QuestionFile]) -> Iterator[Finding]:
    """L8: no two questions, and no two prompts, are nearly the same."""
    whole = [(question, "prompt", f"{question.prompt} {question.model_answer}") for question in questions]
    yield from _check_likeness(whole, WHOLE, "the prompt with its answer is")
    prompts = [(question, "prompt", question.prompt) for question in questions]
    for question in questions:
        for index, follow_up in enumerate(question.followups):
            prompts.append((question, f"followups[{index}].prompt", follow_up.prompt))
    yield from _check_likeness(prompts, PROMPT, "is")


def check_templates(questions: Sequence[QuestionFile]) -> Iterator[Finding]:
    """L9: prompts are not one frame with another topic put in, and do not open alike."""
    first: dict[tuple[str, ...], QuestionFile] = {}
    openings: dict[tuple[str, ...], list[QuestionFile]] = defaultdict(list)
    tracks: dict[str, int] = defaultdict(int)
    for question in questions:
        other = first.setdefault(_masked(question), question)
        if other is not question:
            message = f"equals the prompt of {other.id} but for topic words; write it anew"
            yield fail(question, "L9", "prompt", message)
        tracks[question.track] += 1
        opening = tuple(words.terms(question.prompt)[:OPENING_WORDS])
        openings[question.track, *opening].append(question)
    for (track, *first_words), sharing in openings.items():
        if len(sharing) > 1 and len(sharing) > OPENING_SHARE * tracks[track]:
            message = (
                f"{len(sharing)} of {tracks[track]} prompts in {track} open with {' '.join(first_words)!r}; "
                "open differently"
            )
            for question in sharing[1:]:
                yield fail(question, "L9", "prompt", message)


def check_boilerplate(questions: Sequence[QuestionFile]) -> Iterator[Finding]:
    """L10: no sentence of eight words or more stands in two files."""
    first: dict[tuple[str, ...], QuestionFile] = {}
    for question in questions:
        for field, text in texts(question):
            for sentence in words.sentences(text):
                key = tuple(words.terms(sentence))
                other = first.setdefault(key, question) if len(key) >= SENTENCE_WORDS else question
                if other is not question:
                    message = f"shares the sentence {sentence[:60]!r} with {other.id}; write it anew"
                    yield fail(question, "L10", field, message)


RULES: tuple[Callable[[Sequence[QuestionFile]], Iterator[Finding]], ...] = (
    check_unique,
    check_duplicates,
    check_templates,
    check_boilerplate,
)


def _check_repeats(
    questions: Sequence[QuestionFile], field: str, value: Callable[[QuestionFile], str]
) -> Iterator[Finding]:
    first: dict[str, QuestionFile] = {}
    for question in questions:
        other = first.setdefault(value(question), question)
        if other is not question:
            message = f"{value(question)!r} is already used by {other.file}; choose another"
            yield fail(question, "L1", field, message)


def _check_likeness(
    entries: Sequence[tuple[QuestionFile, str, str]], limits: Limits, subject: str
) -> Iterator[Finding]:
    pairs = alike([text for _, _, text in entries], cosine=limits.warn_cosine, jaccard=limits.warn_jaccard)
    for pair in pairs:
        (other, other_field, _), (question, field, _) = entries[pair.left], entries[pair.right]
        message = f"{subject} like {other_field} of {other.id} ({_measures(pair)}); tell them further apart"
        fails = pair.cosine >= limits.fail_cosine or pair.jaccard >= limits.fail_jaccard
        yield (fail if fails else warn)(question, "L8", field, message)


def _measures(pair: Likeness) -> str:
    return f"cosine {pair.cosine:.2f}, shared word triples {pair.jaccard:.2f}"


def _masked(question: QuestionFile) -> tuple[str, ...]:
    topic = _TOPICS.get(question.topic)
    named = " ".join([*question.tags, *question.packs, question.topic, topic.title if topic else ""])
    hidden = set(words.terms(named)) - words.STOP_WORDS
    masked: list[str] = []
    for term in words.terms(question.prompt):
        shown = "_" if term in hidden or term.isdigit() else term
        if shown != "_" or masked[-1:] != ["_"]:
            masked.append(shown)
    return tuple(masked)

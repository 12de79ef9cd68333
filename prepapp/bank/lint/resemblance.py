"""The pairs of questions that are most alike, for a person to look at. Not here: limits, findings."""

from collections.abc import Sequence
from dataclasses import dataclass

from prepapp.bank.lint.similarity import alike
from prepapp.bank.transfer.question_file import QuestionFile


@dataclass(frozen=True)
class Pair:
    """Two texts by the names of their questions (of their follow-ups with a colon) and how alike they are."""

    left: str
    right: str
    cosine: float
    jaccard: float


def whole_pairs(questions: Sequence[QuestionFile]) -> list[Pair]:
    """Every pair of prompts with their answers that shares something, most alike first."""
    return _ranked([(item.id, f"{item.prompt} {item.model_answer}") for item in questions])


def prompt_pairs(questions: Sequence[QuestionFile]) -> list[Pair]:
    """The same for prompts alone, those of follow-ups among them."""
    prompts = [(item.id, item.prompt) for item in questions]
    prompts += [(f"{item.id}:{part.id}", part.prompt) for item in questions for part in item.followups]
    return _ranked(prompts)


def _ranked(named: Sequence[tuple[str, str]]) -> list[Pair]:
    pairs = [
        Pair(named[found.left][0], named[found.right][0], found.cosine, found.jaccard)
        for found in alike([text for _, text in named], cosine=0.0, jaccard=0.0)
    ]
    return sorted(pairs, key=lambda pair: (-pair.cosine, -pair.jaccard, pair.left, pair.right))

"""A bank as large as one likes, from a seed: questions that are complete, of the shipped size and shape, and
say nothing. Words are those of the shipped bank in random order, so that they compress as real ones do."""

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.words import answer, vocabulary
from prepapp.bank.transfer.document import Document, document_of_file
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.question_file import QuestionFile, read_bank

SHIPPED = Path(__file__).resolve().parent.parent / "fixtures" / "bank"


def invented_entries(count: int, seed: int, status: str = "draft") -> list[Entry]:
    """So many questions; the same seed gives the same ones."""
    files, problems = read_bank(SHIPPED)
    if problems:
        raise ValueError(f"the shipped bank cannot be read: {problems[0]}")
    chance = random.Random(seed)
    words = vocabulary([text for file in files for text in (file.prompt, file.model_answer)])
    return [
        Entry("", status, _invented(files[number % len(files)], number, words, chance))
        for number in range(count)
    ]


def _invented(file: QuestionFile, number: int, words: list[str], chance: random.Random) -> Document:
    """One with the skeleton of a shipped question: its kind, level, minutes, weights and lengths."""
    document = document_of_file(file)
    document["slug"] = f"invented-{number:05}"
    document["title"] = f"Invented {number:05}"
    for name in _texts(document):
        document[name] = answer(words, chance, max(len(document[name]), 20))
    for point in _points(document):
        for name in ("criterion", "met", "partial"):
            point[name] = answer(words, chance, max(len(point[name]), 20))
    return document


def _texts(document: Document) -> Iterator[str]:
    return (name for name in ("prompt", "context", "model_answer", "deeper") if document.get(name))


def _points(document: Document) -> Iterator[Document]:
    yield from document["rubric"]
    for follow_up in document["followups"]:
        yield from follow_up["rubric"]

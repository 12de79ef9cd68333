"""A bank of invented questions that is just enough for the first milestone, to be spoilt one way at a time."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prepapp.bank import targets
from prepapp.bank.checklist import CELLS, IDEAS, ROLE_ITEMS
from prepapp.bank.taxonomy import LEVELS, TOPICS, TRACKS
from prepapp.bank.transfer.question_file import QuestionFile, read_bank

GOOD = Path(__file__).parents[1] / "data" / "bank" / "good"
KINDS = ("debugging", "estimation", "design", "concept", "coding")


def full_bank() -> list[QuestionFile]:
    """200 questions in the order of the taxonomy; the first 132 claim one item of the checklist each."""
    samples = {question.kind: question for question in read_bank(GOOD)[0]}
    items = iter([*IDEAS, *ROLE_ITEMS, *CELLS[:60]])
    bank: list[QuestionFile] = []
    for track in TRACKS:
        topics = [
            topic.code
            for topic in TOPICS
            if topic.home == track.code
            for _ in range(targets.TOPIC_TARGETS[topic.code].m1)
        ]
        numbers: Counter[str] = Counter()
        for topic, level in zip(topics, levels(track.code, len(topics)), strict=True):
            numbers[topic] += 1
            kind = kind_of(topic, len(bank))
            item = next(items, None)
            made = replace(
                samples["coding" if kind in targets.CODE_KINDS else "concept"],
                id=f"{topic}-{numbers[topic]:03}",
                slug=f"{topic.replace('.', '-')}-{numbers[topic]}",
                kind=kind,
                level=level,
                covers=(item,) if item else (),
                prompt=f"prompt{len(bank)} asks word{len(bank)}",
                model_answer=f"answer{len(bank)} says word{len(bank)}",
                followups=(),
            )
            bank.append(made)
    return bank


def levels(track: str, number: int) -> Iterator[str]:
    """Levels for that many questions in the proportions of the track, by the largest remainder."""
    exact = {level: share * number for level, share in targets.level_targets(track).items()}
    counts = {level: int(share) for level, share in exact.items()}
    for level in sorted(LEVELS, key=lambda level: counts[level] - exact[level])[
        : number - sum(counts.values())
    ]:
        counts[level] += 1
    for level in LEVELS:
        yield from [level] * counts[level]


def kind_of(topic: str, index: int) -> str:
    if topic.startswith("beh."):
        return "behavioural"
    if topic in targets.CODE_TOPICS:
        return "sql" if topic == "dbe.sql" else "coding"
    return KINDS[index % len(KINDS)]

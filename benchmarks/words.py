"""Texts as a candidate types them: words of the question bank in random order.

Not one repeated character, which a database would compress to nothing, and not one fixed text, which
would compress across answers.
"""

import random
import re
from collections.abc import Sequence

SAVES_PER_ANSWER = 6
ANSWER_LENGTH = 600


def vocabulary(texts: Sequence[str]) -> list[str]:
    """Every word of the texts as often as it occurs there, so that common words stay common."""
    words = [word for text in texts for word in re.findall(r"[A-Za-z0-9%'-]+[.,:;]?", text)]
    if len(set(words)) < 500:
        raise ValueError("too few different words for realistic answers")
    return words


def answer(words: Sequence[str], chance: random.Random, length: int = ANSWER_LENGTH) -> str:
    """A text of exactly `length` characters."""
    parts: list[str] = []
    size = 0
    while size <= length:
        part = chance.choice(words)
        parts.append(part)
        size += len(part) + 1
    return " ".join(parts)[: length - 1] + "."


def growing(text: str, steps: int = SAVES_PER_ANSWER) -> list[str]:
    """The text as `steps` saves send it, each longer than the one before."""
    return [text[: len(text) * step // steps] for step in range(1, steps + 1)]

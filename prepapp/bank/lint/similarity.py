"""How alike texts are: TF-IDF cosine and shingle overlap. Not here: limits, questions, findings."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prepapp.bank.lint import words

SHINGLE = 3
ROUNDING = 1e-9

Shingle = tuple[str, ...]


@dataclass(frozen=True)
class Likeness:
    """Two texts by position (`left` < `right`) and how alike they are, each measure from 0 to 1."""

    left: int
    right: int
    cosine: float
    jaccard: float


def alike(texts: Sequence[str], *, cosine: float, jaccard: float) -> Iterator[Likeness]:
    """Every pair that shares something and reaches one of the two limits. Exact: none is skipped."""
    vectors = _vectors(texts)
    shingles = [_shingles(text) for text in texts]
    pairs = set(_near_vectors(vectors, cosine)) | set(_near_sets(shingles, jaccard))
    for left, right in sorted(pairs):
        yield Likeness(
            left, right, _dot(vectors[left], vectors[right]), _overlap(shingles[left], shingles[right])
        )


def _near_vectors(vectors: Sequence[dict[str, float]], limit: float) -> Iterator[tuple[int, int]]:
    """Pairs of unit vectors whose product reaches the limit.

    A pair that shares none of the heaviest parts of a vector has at most the length of the rest as
    its product (Cauchy-Schwarz), so once that length is below the limit no other pair matters.
    """
    holders: dict[str, list[int]] = defaultdict(list)
    for right, vector in enumerate(vectors):
        candidates: set[int] = set()
        rest = 1.0
        for gram, weight in sorted(vector.items(), key=lambda item: -item[1]):
            if rest < limit * limit - ROUNDING:
                break
            candidates.update(holders[gram])
            rest -= weight * weight
        for gram in vector:
            holders[gram].append(right)
        for left in candidates:
            if _dot(vectors[left], vector) >= limit:
                yield left, right


def _near_sets(sets: Sequence[set[Shingle]], limit: float) -> Iterator[tuple[int, int]]:
    holders: dict[Shingle, list[int]] = defaultdict(list)
    for right, own in enumerate(sets):
        for left in {left for shingle in own for left in holders[shingle]}:
            if _overlap(sets[left], own) >= limit:
                yield left, right
        for shingle in own:
            holders[shingle].append(right)


def _dot(left: dict[str, float], right: dict[str, float]) -> float:
    if len(left) > len(right):
        left, right = right, left
    return sum(weight * right[gram] for gram, weight in left.items() if gram in right)


def _overlap(left: set[Shingle], right: set[Shingle]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0


def _vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    counts = [_grams(text) for text in texts]
    frequency = Counter(gram for count in counts for gram in count)
    return [_weights(count, frequency, len(texts)) for count in counts]


def _grams(text: str) -> Counter[str]:
    kept = [term for term in words.terms(words.prose(text)) if term not in words.STOP_WORDS]
    return Counter(kept) + Counter(" ".join(pair) for pair in pairwise(kept))


def _weights(count: Counter[str], frequency: Counter[str], texts: int) -> dict[str, float]:
    """Sublinear term weights times smoothed inverse document frequency, scaled to length 1."""
    raw = {
        gram: (1 + math.log(number)) * (1 + math.log((1 + texts) / (1 + frequency[gram])))
        for gram, number in count.items()
    }
    length = math.sqrt(sum(weight * weight for weight in raw.values())) or 1.0
    return {gram: weight / length for gram, weight in raw.items()}


def _shingles(text: str) -> set[Shingle]:
    terms = words.terms(words.prose(text))
    return set(zip(*(terms[start:] for start in range(SHINGLE)), strict=False))

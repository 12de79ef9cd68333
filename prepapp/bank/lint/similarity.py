"""How alike texts are: TF-IDF cosine and shingle overlap. Not here: limits, questions, findings."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prepapp.bank.lint import words

SHINGLE = 3


@dataclass(frozen=True)
class Likeness:
    """Two texts by position (`left` < `right`) and how alike they are, each measure from 0 to 1."""

    left: int
    right: int
    cosine: float
    jaccard: float


def alike(texts: Sequence[str], *, cosine: float, jaccard: float) -> Iterator[Likeness]:
    """Every pair that reaches one of the two limits. Exact: no pair is skipped."""
    cosines = _cosines(texts)
    jaccards = _jaccards(texts)
    for pair in sorted(cosines.keys() | jaccards.keys()):
        found = Likeness(*pair, cosines.get(pair, 0.0), jaccards.get(pair, 0.0))
        if found.cosine >= cosine or found.jaccard >= jaccard:
            yield found


def _cosines(texts: Sequence[str]) -> dict[tuple[int, int], float]:
    counts = [_grams(text) for text in texts]
    frequency = Counter(gram for count in counts for gram in count)
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    scores: dict[tuple[int, int], float] = defaultdict(float)
    for right, count in enumerate(counts):
        for gram, weight in _weights(count, frequency, len(texts)).items():
            for left, other in postings[gram]:
                scores[left, right] += weight * other
            postings[gram].append((right, weight))
    return scores


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


def _jaccards(texts: Sequence[str]) -> dict[tuple[int, int], float]:
    shingles = [_shingles(text) for text in texts]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    shared: Counter[tuple[int, int]] = Counter()
    for right, own in enumerate(shingles):
        for shingle in own:
            shared.update((left, right) for left in holders[shingle])
            holders[shingle].append(right)
    return {
        (left, right): number / (len(shingles[left]) + len(shingles[right]) - number)
        for (left, right), number in shared.items()
    }


def _shingles(text: str) -> set[tuple[str, ...]]:
    terms = words.terms(words.prose(text))
    return set(zip(*(terms[start:] for start in range(SHINGLE)), strict=False))

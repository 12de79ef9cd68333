"""One text against many: the measures of `similarity`, for texts that were counted once.

How rare a word is follows from the many, not from the one. Not here: limits of the lint, questions, rows.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from prepapp.bank.lint import words

Hashes = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CountedText:
    """A text as it is compared: hashes of its grams with their weights in it, and of its word triples."""

    grams: Hashes
    weights: Numbers
    shingles: Hashes


@dataclass(frozen=True)
class Corpus:
    """Texts laid out in rows, so that one of them can be held against all at once."""

    texts: Sequence[CountedText]
    owners: Sequence[int]

    @cached_property
    def _rows(self) -> Hashes:
        return np.repeat(np.arange(len(self.texts)), [len(text.grams) for text in self.texts])

    @cached_property
    def _vocabulary(self) -> tuple[Hashes, Hashes, Numbers]:
        """(every gram, the place of each gram of each text among them, inverse document frequency)."""
        flat = _joined([text.grams for text in self.texts], np.int64)
        known, places, holders = np.unique(flat, return_inverse=True, return_counts=True)
        return known, places, 1 + np.log((1 + len(self.texts)) / (1 + holders))

    @cached_property
    def _weighted(self) -> tuple[Numbers, Numbers]:
        """(weight of each gram of each text, length of each text)."""
        _, places, rarity = self._vocabulary
        weights = _joined([text.weights for text in self.texts], np.float64) * rarity[places]
        squares = np.bincount(self._rows, weights * weights, len(self.texts))
        return weights, np.maximum(np.sqrt(squares), 1e-12)

    @cached_property
    def _triples(self) -> tuple[Hashes, Hashes, Hashes]:
        """(triples of all texts, the row of each, how many each text has)."""
        counts = np.array([len(text.shingles) for text in self.texts], dtype=np.int64)
        flat = _joined([text.shingles for text in self.texts], np.int64)
        return flat, np.repeat(np.arange(len(self.texts)), counts), counts

    def near(self, text: CountedText, *, cosine: float, jaccard: float) -> Iterator[tuple[int, float, float]]:
        """(owner, cosine, shared triples) of each text that reaches one of the two limits."""
        if not self.texts:
            return
        cosines, shares = self._cosines(text), self._shares(text)
        for row in np.flatnonzero((cosines >= cosine) | (shares >= jaccard)):
            yield self.owners[int(row)], float(cosines[row]), float(shares[row])

    def _cosines(self, text: CountedText) -> Numbers:
        known, places, rarity = self._vocabulary
        weights, lengths = self._weighted
        found = np.searchsorted(known, text.grams)
        found[found == len(known)] = 0
        is_known = known[found] == text.grams if len(known) else np.zeros(len(text.grams), dtype=bool)
        own = text.weights * np.where(is_known, rarity[found], 1 + np.log(1 + len(self.texts)))
        dense = np.zeros(len(known))
        dense[found[is_known]] = own[is_known]
        length = max(float(np.sqrt((own * own).sum())), 1e-12)
        return np.bincount(self._rows, weights * dense[places], len(self.texts)) / lengths / length

    def _shares(self, text: CountedText) -> Numbers:
        flat, rows, counts = self._triples
        if not len(text.shingles):
            return np.zeros(len(self.texts))
        found = np.minimum(np.searchsorted(text.shingles, flat), len(text.shingles) - 1)
        shared = np.bincount(rows, text.shingles[found] == flat, len(self.texts))
        return shared / (counts + len(text.shingles) - shared)


def counted(text: str) -> CountedText:
    """The text, counted. Only texts counted in the same process can be compared."""
    terms = words.terms(words.prose(text))
    kept = [term for term in terms if term not in words.STOP_WORDS]
    counts: Counter[Any] = Counter(kept)
    counts.update(pairwise(kept))
    triples = set(zip(terms, terms[1:], terms[2:], strict=False))
    # Within one process equal words have equal hashes, which is all that is asked of them.
    grams = np.fromiter(map(hash, counts), dtype=np.int64, count=len(counts))
    weights = 1 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))
    shingles = np.fromiter(map(hash, triples), dtype=np.int64, count=len(triples))
    return CountedText(grams, weights, np.sort(shingles))


def _joined(parts: Sequence[Any], kind: Any) -> Any:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)

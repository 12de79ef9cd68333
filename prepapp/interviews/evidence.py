"""Which words of an answer may be evidence for a rubric point: a hint to the reader, never a mark.

How it works. The words of a point (its criterion and an example of it met) lose their filler words and
their endings; numbers lose thousands separators and trailing zeros, and written numbers become digits.
The answer is cut into sentences and treated the same. A sentence is a hint for a point if it holds two
different words of it, or one that stands for it alone: a telling number, or a long word that no other
point of the answer uses. Within such a sentence the matching words are marked, joined where at most two
other words lie between. Only the strongest sentences of each point are kept, so that a long answer is
not underlined throughout.

Values only; one pass over the text, with work per word bounded by the number of points.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int]

MAX_SENTENCES = 5
_GAP = 2
# Text without full stops, such as code or notes, is cut here.
_LONGEST_SENTENCE = 60
_TELLING_LETTERS = 7

# Each alternative is a run of one class after a first character, so that matching is linear.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
# Between two words; a dot without a space after it belongs to a name or to code.
_SENTENCE_END = re.compile(r"[.!?;:][\"'”’)\]]*\s|\n")

_FILLER = frozenset(
    """
    a about above after again all also always an and another any are as at be because been before being
    below between both but by can cannot could did do does doing done down each either else even ever
    every few first for from further get gets give given gives go goes had has have having he her here his
    how however i if in into is it its itself just keep keeps least less let like made make makes many may
    me might mine more most much must my need needs neither never no none nor not now of off on once one
    only or other our out over own part per put puts quite rather really same second see set shall she
    should show shows since so some still such take takes than that the their them then there these they
    thing things this those though through thus to too under until up upon us use used uses using very via
    was way we well were what when where whether which while who whole whose why will with within without
    would yes yet you your answer answers candidate chooses chose computes compares concludes define
    defines derive derives describe describes distinguish distinguishes estimates explain explains
    identifies identify instead justifies justify mention mentions name names plan plans point points
    propose proposes question reason reasons recognise recognises say says sees separate separates state
    stated states suggest suggests tell tells understands want wants
    """.split()
)
_WRITTEN_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split(),
        start=2,
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "thousand": "1000"}


@dataclass(frozen=True)
class Piece:
    """A stretch of the answer; `points` are the indexes of the points it may be evidence for."""

    text: str
    points: tuple[int, ...] = ()


@dataclass
class _Sentence:
    """What one sentence holds for one point."""

    terms: set[str] = field(default_factory=set)
    is_telling: bool = False
    hits: list[tuple[int, int, int]] = field(default_factory=list)  # token number, start, end


def find_evidence(text: str, points: Sequence[str]) -> list[list[Span]]:
    """For each point the character spans of `text` that may be evidence, sorted, not overlapping.

    `points` are the words of each point: criterion and met example in one string.
    """
    owners = _owners(points)
    found: list[list[_Sentence]] = [[] for _ in points]
    for sentence in _sentences(text, owners):
        for point, part in sentence.items():
            if len(part.terms) > 1 or part.is_telling:
                found[point].append(part)
    return [_spans(sentences) for sentences in found]


def cut(text: str, spans: Sequence[Sequence[Span]]) -> list[Piece]:
    """The text in pieces, each with the points whose spans cover it. Joined they are the text."""
    changes: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for point, own in enumerate(spans):
        for start, end in own:
            changes[start].append((point, True))
            changes[end].append((point, False))
    pieces = []
    covering: set[int] = set()
    last = 0
    for offset in sorted(changes):
        if offset > last:
            pieces.append(Piece(text[last:offset], tuple(sorted(covering))))
            last = offset
        # Ends first: a span may start where another of the same point ends.
        for point, starts in sorted(changes[offset], key=lambda change: change[1]):
            if starts:
                covering.add(point)
            else:
                covering.discard(point)
    if last < len(text):
        pieces.append(Piece(text[last:]))
    return pieces


def _owners(points: Sequence[str]) -> Mapping[str, list[int]]:
    """The points that use each term. A term most points use tells nothing and is dropped."""
    owners: dict[str, list[int]] = defaultdict(list)
    for number, words in enumerate(points):
        for term in sorted({_term(token) for token in _TOKEN.findall(words)} - {""}):
            owners[term].append(number)
    limit = max(2, len(points) // 2)
    return {term: users for term, users in owners.items() if len(users) <= limit}


def _sentences(text: str, owners: Mapping[str, list[int]]) -> Iterator[dict[int, _Sentence]]:
    """What each sentence holds, by point; sentences that hold nothing are left out."""
    current: dict[int, _Sentence] = {}
    last_end = begun = 0
    for number, match in enumerate(_TOKEN.finditer(text)):
        start, end = match.span()
        if number - begun >= _LONGEST_SENTENCE or _SENTENCE_END.search(text, last_end, start):
            if current:
                yield current
            current = {}
            begun = number
        last_end = end
        users = owners.get(_term(match.group()), ())
        for point in users:
            part = current.setdefault(point, _Sentence())
            part.terms.add(_term(match.group()))
            part.is_telling |= len(users) == 1 and _is_telling(match.group())
            part.hits.append((number, start, end))
    if current:
        yield current


def _spans(sentences: list[_Sentence]) -> list[Span]:
    strongest = sorted(sentences, key=lambda sentence: len(sentence.terms), reverse=True)[:MAX_SENTENCES]
    spans: list[Span] = []
    for sentence in strongest:
        open_span: list[int] = []  # last token number, start, end
        for number, start, end in sentence.hits:
            if open_span and number - open_span[0] <= _GAP + 1:
                open_span[0], open_span[2] = number, end
                continue
            if open_span:
                spans.append((open_span[1], open_span[2]))
            open_span = [number, start, end]
        spans.append((open_span[1], open_span[2]))
    return sorted(spans)


def _is_telling(token: str) -> bool:
    """Whether one occurrence is enough, if one point alone uses it. Small whole numbers and short words
    are not."""
    return len(token) > 1 if token[0].isdigit() else len(token) >= _TELLING_LETTERS


def _term(token: str) -> str:
    """The token as it is compared, '' for filler."""
    if token[0].isdigit():
        return _number(token)
    word = token.lower().replace("’", "'")
    if word in _WRITTEN_NUMBERS:
        return _WRITTEN_NUMBERS[word]
    word = word.partition("'")[0]
    return "" if word in _FILLER or len(word) < 2 else _stem(word)


def _number(token: str) -> str:
    """`1,024` is 1024 and `12.50` is 12.5; what has several points is a version or a date and stays."""
    plain = token.replace(",", "")
    if plain.count(".") != 1:
        return plain
    return plain.rstrip("0").rstrip(".")


def _stem(word: str) -> str:
    """Enough that the forms of a regular English word meet; not a dictionary. Plural first, so that
    `strings` and `string` lose the same."""
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ing", 6), ("ed", 5), ("ly", 7)):
        if len(word) >= least and word.endswith(ending) and not word.endswith("eed"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word

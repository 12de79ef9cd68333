"""Counting and comparing words of English prose. Not here: limits, questions, findings."""

import re
from collections.abc import Callable

_FENCED = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_WORD = re.compile(r"[a-z0-9]+(?:['\u2019][a-z]+)?")
_SPOKEN = re.compile(r"[A-Za-z0-9]+(?:['\u2019.,/*_][A-Za-z0-9]+)*")
_VOWELS = re.compile(r"[aeiouy]+")
_SENTENCE_END = re.compile(
    r"""(?:(?<=[.!?])|(?<=[.!?]["')\]])|(?<=[.!?]["')\]]{2}))\s+(?=["'(\[`]?[A-Z0-9])|\n\s*\n"""
)
MIN_GRADED_WORDS = 40

STOP_WORDS = frozenset(
    """
    a about above after again all also an and any are as at be because been before being below
    between both but by can cannot could did do does doing down during each either few for from
    further had has have having he her here hers him his how i if in into is it its itself just may
    me might more most must my no nor not now of off on once only or other our out over own per same
    she should so some such than that the their them then there these they this those through to too
    under until up upon us very was we were what when where whether which while who whom why will
    with within without would you your
    """.split()
)


def prose(text: str) -> str:
    """The text without fenced code blocks."""
    return _FENCED.sub("", text)


def in_code_blocks(text: str, change: Callable[[str], str]) -> str:
    """The text with each fenced code block replaced by what `change` makes of it."""
    return _FENCED.sub(lambda block: change(block[0]), text)


def without_code(text: str) -> str:
    """The text without fenced code blocks and code spans."""
    return _CODE_SPAN.sub("", prose(text))


def count(text: str) -> int:
    """Number of words, where a word is whatever stands between white space outside code blocks."""
    return len(prose(text).split())


def terms(text: str) -> list[str]:
    """Lower-case words and numbers in order, without punctuation."""
    return _WORD.findall(text.lower())


def content_words(text: str) -> set[str]:
    """The words that carry meaning, with plural and verb endings cut so that forms match."""
    return {_stem(term) for term in terms(text) if term not in STOP_WORDS and len(term) > 1}


def sentences(text: str) -> list[str]:
    """The text cut at full stops, question and exclamation marks, and blank lines."""
    return [part.strip() for part in _SENTENCE_END.split(prose(text)) if part.strip()]


def reading_grade(text: str, terms: frozenset[str] = frozenset()) -> float:
    """Flesch-Kincaid grade level; 0.0 for fewer than MIN_GRADED_WORDS words.

    Code, figures, names with inner capitals and `terms` (technical words every reader of the question
    must know) count as one easy word each. Formula: 0.39 words/sentence + 11.8 syllables/word - 15.59
    (Kincaid et al. 1975).
    """
    parts = sentences(_CODE_SPAN.sub("it", prose(text)))
    spoken = [word for part in parts for word in _SPOKEN.findall(part)]
    if len(spoken) < MIN_GRADED_WORDS:
        return 0.0
    known = {piece for term in terms for piece in term.split("-")}
    syllables = sum(1 if _is_name(word, known) else _syllables(word.lower()) for word in spoken)
    return 0.39 * len(spoken) / len(parts) + 11.8 * syllables / len(spoken) - 15.59


def _is_name(word: str, known: set[str]) -> bool:
    return word[1:] != word[1:].lower() or any(char.isdigit() for char in word) or word.lower() in known


def _syllables(word: str) -> int:
    groups = len(_VOWELS.findall(word))
    silent_e = word.endswith("e") and not word.endswith(("le", "ee", "ye"))
    silent_ed = word.endswith("ed") and not word.endswith(("ted", "ded"))
    if silent_e or silent_ed:
        groups -= 1
    return max(groups, 1)


def _stem(term: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if term.endswith(ending) and len(term) - len(ending) >= 4:
            return term[: -len(ending)]
    return term

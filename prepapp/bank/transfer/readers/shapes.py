"""Checks values from a file against the kind a field wants, and says of each that does not fit what to do.

Here: text, numbers, yes or no, lists, blocks. A value that does not fit is a fault and is left out; nothing
is made up for it. Not here: which fields a question has (`fields`), what a word of a file means (`words`).
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from prepapp.bank.transfer.item import Notice
from prepapp.bank.transfer.readers.limits import MAX_KEYS, MAX_LIST, MAX_SAID, MAX_TEXT

# A database refuses NUL, half a surrogate pair cannot be written as UTF-8, and the rest shows as nothing.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"[-+]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})")
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

MISSING: Any = object()


class Pairs(dict[str, Any]):
    """A block of a file that remembers the keys it gives twice."""

    repeated: tuple[str, ...] = ()


@dataclass
class Sink:
    """What is to be said about one item; where there is very much, the beginning of it."""

    notices: list[Notice] = field(default_factory=list)
    faults: list[Notice] = field(default_factory=list)

    def note(self, path: str, message: str) -> None:
        """Something a curator should know; the item is taken."""
        if len(self.notices) < MAX_SAID:
            self.notices.append(Notice(path, message))

    def fault(self, path: str, message: str) -> None:
        """Something that keeps the item out."""
        if len(self.faults) < MAX_SAID:
            self.faults.append(Notice(path, message))


@dataclass(frozen=True)
class Text:
    """Text of at most so many characters, kept as it is."""

    limit: int = MAX_TEXT

    def take(self, value: Any, path: str, sink: Sink) -> Any:
        """The text, or MISSING and a fault."""
        if not isinstance(value, str):
            sink.fault(path, f"is {shown(value)} where text is expected; put this value in quotes")
            return MISSING
        if found := CONTROL.search(value):
            sink.fault(path, f"holds the control character {name_of(found.group())}; delete it")
            return MISSING
        if len(value) > self.limit:
            sink.fault(path, f"is {len(value):,} characters long; keep it to {self.limit:,}")
            return MISSING
        return value


@dataclass(frozen=True)
class Number:
    """A number above 0, of the kind `what` names. Text that shows a number counts as that number."""

    what: str
    high: int
    whole: bool = True

    def take(self, value: Any, path: str, sink: Sink) -> Any:
        """The number, whole if it has no fraction, or MISSING and a fault."""
        number = value
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            number = float(value)
        # Compared before anything makes a float of it, which a number of many digits has no room in.
        if type(number) in {int, float} and 0 < number <= self.high:
            if number == int(number):
                return int(number)
            if not self.whole:
                return number
        kind = "a whole number" if self.whole else "a number"
        sink.fault(path, f"{shown(value)} is no {self.what}; write {kind} above 0 and at most {self.high}")
        return MISSING


@dataclass(frozen=True)
class YesNo:
    """True or false, also in words."""

    def take(self, value: Any, path: str, sink: Sink) -> Any:
        """The bool, or MISSING and a fault."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and (word := value.strip().casefold()) in _YES_NO:
            return _YES_NO[word]
        sink.fault(path, f"{shown(value)} is neither true nor false; write one of them")
        return MISSING


@dataclass(frozen=True)
class ListOf:
    """A list whose entries have one shape. `example` shows how to write it."""

    entry: "Shape"
    example: str = '["one", "two"]'

    def take(self, value: Any, path: str, sink: Sink) -> Any:
        """The list without entries that do not fit, or MISSING and a fault."""
        if not isinstance(value, (list, tuple)):
            sink.fault(path, f"is {shown(value)} where a list is expected; write {self.example}")
            return MISSING
        if len(value) > MAX_LIST:
            sink.fault(path, f"has {len(value):,} entries; keep it to {MAX_LIST}")
            return MISSING
        taken = (self.entry.take(entry, f"{path}[{index}]", sink) for index, entry in enumerate(value))
        return [entry for entry in taken if entry is not MISSING]


@dataclass(frozen=True)
class Block:
    """Keys with a shape each; `other_names` maps what a key may be called instead. All may be absent."""

    keys: Mapping[str, "Shape"]
    other_names: Mapping[str, str] = field(default_factory=dict)

    def take(self, value: Any, path: str, sink: Sink) -> Any:
        """The block with its keys in the order of the shape, or MISSING and a fault."""
        if not isinstance(value, Mapping):
            example = ", ".join(self.keys)
            sink.fault(path, f"is {shown(value)} where a block with the keys {example} is expected")
            return MISSING
        if too_many_keys(value, path, sink):
            return MISSING
        say_repeated(value, path, sink)
        found: dict[str, Any] = {}
        for key, part in value.items():
            child = below(path, key)
            name = self.other_names.get(key, key)
            if name not in self.keys:
                say_unknown(key, child, (*self.keys, *self.other_names), sink)
            elif name in found:
                sink.fault(child, f"says the same as another key ({name}); keep one of them")
            else:
                found[name] = self.keys[name].take(part, child, sink)
        return {name: found[name] for name in self.keys if found.get(name, MISSING) is not MISSING}


Shape = Text | Number | YesNo | ListOf | Block


def pairs(given: list[tuple[str, Any]]) -> Pairs:
    """The block of these keys and values in their order; of a key given twice the last value."""
    block = Pairs(given)
    if len(block) < len(given):
        times = Counter(key for key, _ in given)
        block.repeated = tuple(key for key in block if times[key] > 1)
    return block


def say_repeated(value: Mapping[str, Any], path: str, sink: Sink) -> None:
    """A fault for each key that stands twice, since one of its two values would be lost."""
    for key in getattr(value, "repeated", ())[:MAX_KEYS]:
        sink.fault(below(path, key), f"the key {shown(key)} is given twice; keep one of them")


def too_many_keys(value: Mapping[str, Any], path: str, sink: Sink) -> bool:
    """Whether a block has more keys than any question; then it is a fault."""
    if len(value) > MAX_KEYS:
        sink.fault(path, f"has {len(value):,} keys; keep it to {MAX_KEYS}")
    return len(value) > MAX_KEYS


def say_unknown(key: str, path: str, known: Iterable[str], sink: Sink) -> None:
    """A notice that this key is not taken, with the one that may be meant."""
    near = _nearest(key.casefold(), tuple(known)) if len(key) <= 40 else ""
    hint = f"; perhaps {near!r} is meant" if near else ""
    sink.note(path, f"{shown(key)} is no field of a question and is left out{hint}")


@lru_cache(maxsize=1000)
def _nearest(key: str, known: tuple[str, ...]) -> str:
    """The known key most like this one, or ''. Remembered, as a column is unknown in every row."""
    return next(iter(difflib.get_close_matches(key, known, n=1)), "")


def below(path: str, key: str) -> str:
    """The path of a key inside another path; a key that cannot be shown is spelt out, a long one cut."""
    name = repr(key)[1:-1] if CONTROL.search(key) else key
    name = name if len(name) <= 80 else f"{name[:77]}..."
    return f"{path}.{name}" if path else name


def shown(value: Any) -> str:
    """A value as a message names it: short, and no text that is taken for a number or the other way round."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "the yes/no value " + ("true" if value else "false")
    if isinstance(value, (int, float)):
        return f"the number {value if isinstance(value, float) or abs(value) < 10**40 else 'of many digits'}"
    if isinstance(value, Mapping):
        return "a block of keys"
    if isinstance(value, (list, tuple)):
        return "a list"
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def name_of(character: str) -> str:
    """What a character that cannot be shown is called."""
    return "NUL" if character == "\0" else f"U+{ord(character):04X}"

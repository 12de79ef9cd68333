"""A question as YAML text, in the style of the bank's own files.

Here: prose folded at a fixed width, code and tables as blocks, short texts in double quotes, short lists on
one line. What a block cannot carry unchanged is quoted, so that every text comes back character for
character. Not here: which keys a file has (`yaml_bank`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 100
_STEP = "  "
# Written folded when they are prose of more than a line.
_PROSE = frozenset({"prompt", "context", "model_answer", "deeper", "answer", "weights_note", "source"})
# Never in quotes: they are words by their form.
_WORDS = frozenset({"id", "slug", "level", "kind", "language", "topic", "status", "reviewed"})
_PLAIN = re.compile(r"[a-z][a-z0-9._-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_ITEM = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
# Line breaks and signs that YAML takes for something else unless they are spelt out.
_ODD = "\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff"
_SPELT_OUT = re.compile(f"[{_ODD}]")
_UNFIT_IN_BLOCK = re.compile(f"[\r\x00-\x08\x0b\x0c\x0e-\x1f{_ODD}]")


def yaml_document(block: Mapping[str, Any]) -> str:
    """The text of one document, from the first key to the last line break."""
    return "".join(f"{line}\n" for line in _block(block, ""))


def _block(block: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in block.items():
        yield from _entry(f"{indent}{_key(key)}:", key, value, indent)


def _entry(head: str, key: str, value: Any, indent: str) -> Iterator[str]:
    """The lines of a value behind `head`."""
    if isinstance(value, Mapping) and value:
        yield head
        yield from _block(value, indent + _STEP)
    elif isinstance(value, (list, tuple)) and value and not _fits_line(head, value):
        yield head
        yield from _list(key, value, indent + _STEP)
    elif isinstance(value, str):
        yield from _text(head, key, value, indent + _STEP)
    else:
        yield f"{head} {_inline(value)}"


def _list(key: str, values: Any, indent: str) -> Iterator[str]:
    for value in values:
        if isinstance(value, Mapping) and value:
            first, *others = _block(value, indent + _STEP)
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from others
        else:
            yield from _entry(f"{indent}-", key, value, indent)


def _text(head: str, key: str, text: str, indent: str) -> Iterator[str]:
    if key in _WORDS and _PLAIN.fullmatch(text) and text not in _NO_TEXT:
        yield f"{head} {text}"
    elif "\n" in text and _is_block(text):
        yield f"{head} {'|' if text.endswith(chr(10)) else '|-'}"
        for line in text.removesuffix("\n").split("\n"):
            yield f"{indent}{line}" if line else ""
    elif key in _PROSE and _is_prose(text) and len(head) + len(text) + 3 > WIDTH:
        yield f"{head} >-"
        yield from _folded(text, indent)
    else:
        yield f"{head} {_quoted(text)}"


def _is_block(text: str) -> bool:
    """Whether a literal block gives the text back: it begins and ends with a line that shows, and has no
    more than one line break behind it."""
    lines = text.removesuffix("\n").split("\n")
    opens = lines[0][:1] not in {"", " ", "\t"}
    return opens and bool(lines[-1].strip(" \t")) and not _UNFIT_IN_BLOCK.search(text)


def _is_prose(text: str) -> bool:
    """Whether folding can only break the text where one blank stands."""
    words = text.split(" ")
    return all(words) and not re.search(r"[\t\n]", text) and not _UNFIT_IN_BLOCK.search(text)


def _folded(text: str, indent: str) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and len(indent) + len(line) + 1 + len(word) > WIDTH:
            yield indent + line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield indent + line


def _quoted(text: str) -> str:
    return _SPELT_OUT.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) or key.isidentifier() else _quoted(key)


def _fits_line(head: str, values: Any) -> bool:
    """Whether a list is of short words only, so that it reads well on one line."""
    short = all(isinstance(value, str) and _ITEM.fullmatch(value) for value in values)
    return short and len(head) + len(_inline(values)) < WIDTH


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {_inline(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_inline(part) for part in value) + "]"
    if isinstance(value, str):
        return value if _ITEM.fullmatch(value) and value.lower() not in _NO_TEXT else _quoted(value)
    return json.dumps(value)

"""The text of a file and the name of its encoding.

Here: byte order marks, UTF-8, UTF-16 without a mark, and a guess for old tables that is named as one. Not
here: what the text means.
"""

import codecs
from typing import NamedTuple

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
# What spreadsheets outside of Unicode write, by code page. The first wins a tie, since it is the commonest.
_OLD = {
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "mac_roman": "Mac Roman",
    "cp932": "Windows-932",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp949": "Windows-949",
}
# A guess looks at the beginning only: it is as good, and takes a bounded time.
_LOOKED_AT = 200_000


class Decoded(NamedTuple):
    """`text` without a byte order mark; `encoding` as a person names it; `guessed` if nothing proves it."""

    text: str
    encoding: str
    guessed: bool = False


def decode(data: bytes, *, guess: bool = False) -> Decoded | None:
    """The text of these bytes; None if they are not Unicode. With `guess` old code pages are tried too."""
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            text = _try(data, codec)
            return None if text is None else Decoded(text, name)
    if wide := _wide(data):
        text = _try(data, wide)
        if text is not None:
            return Decoded(text, "UTF-16 without a mark")
    text = _try(data, "utf-8")
    if text is not None:
        return Decoded(text, "UTF-8")
    return _guess(data) if guess else None


def _wide(data: bytes) -> str:
    """The UTF-16 a file without a mark is in, by where its NULs stand; '' if it has few."""
    sample = data[:4000]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    enough = len(sample) // 8
    if enough and odd > enough and even < odd // 4:
        return "utf-16-le"
    return "utf-16-be" if enough and even > enough and odd < even // 4 else ""


def _guess(data: bytes) -> Decoded | None:
    matches = list(from_bytes(data[:_LOOKED_AT], cp_isolation=list(_OLD)))
    best = min((match.chaos for match in matches), default=1.0)
    likely = {match.encoding for match in matches if match.chaos == best}
    for codec, name in _OLD.items():
        if codec in likely:
            text = _try(data, codec)
            if text is not None:
                return Decoded(text, name, guessed=True)
    text = _try(data, "cp1252")
    return None if text is None else Decoded(text, _OLD["cp1252"], guessed=True)


def _try(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None

"""Public identifiers: unguessable, and in order of creation so that indexes stay dense."""

import secrets
import time
from uuid import UUID

_RANDOM_BITS = 74


def uuid7() -> UUID:
    """A version 7 UUID: 48 bits of Unix milliseconds, then 74 random bits (RFC 9562, section 5.7)."""
    milliseconds = time.time_ns() // 1_000_000
    random = secrets.randbits(_RANDOM_BITS)
    value = milliseconds << 80 | 0x7 << 76 | (random >> 62) << 64 | 0b10 << 62 | (random & ((1 << 62) - 1))
    return UUID(int=value)

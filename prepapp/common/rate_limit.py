"""How often somebody may do one thing: a token bucket per key, in the memory of this process.

Not here: the limits of sign-in, sign-up and starts, which count by network and over hours and which
allauth keeps in the database. ADR 12 has the reasons for both.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

MOST_KEYS = 10_000
SECOND = 10**9
MINUTE = 60 * SECOND


class Buckets:
    """One bucket per key, full when first asked. In any stretch of time no more pass than `burst` and what
    `per_minute` adds in it.

    Of a bucket only the moment is kept at which it will be full again. A key that is not known is full, so
    the oldest ones can be dropped: nearly always they have filled up long before.
    """

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        self._most_keys = most_keys
        self._full_at: OrderedDict[Hashable, int] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, key: Hashable, *, burst: int, per_minute: int, now: int) -> int:
        """0 if this one passes; else the whole seconds, at least 1, after which the next one does. A refusal
        takes nothing. `now` is in nanoseconds, of a clock that is never set."""
        refill = -(-MINUTE // per_minute)
        with self._lock:
            before = max(self._full_at.pop(key, now), now)
            # What is missing from the bucket with this one taken, beyond what it holds, as time.
            short = before + refill - now - burst * refill
            self._full_at[key] = before if short > 0 else before + refill
            while len(self._full_at) > self._most_keys:
                self._full_at.popitem(last=False)
        return max(0, -(-short // SECOND))

"""What the kernel says about the cost of processes and about the machine. Reads /proc, changes nothing.

Nanoseconds come from `schedstat`, summed over the threads of a process; where the kernel keeps none, the
coarser ticks of `stat` are used. Both count user and system time together.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
HAS_NANOSECONDS = (PROC / "self/schedstat").exists()

Reading = dict[int, int]


def cpu_of(pid: int) -> int | None:
    """CPU nanoseconds a process has used so far; None if it is gone or not visible."""
    try:
        if HAS_NANOSECONDS:
            return sum(
                int((task / "schedstat").read_text().split()[0])
                for task in (PROC / str(pid) / "task").iterdir()
            )
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * _TICK
    except (OSError, ValueError, IndexError):
        return None


def tree_of(root: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        children[parent].append(int(entry.name))
    found = [root]
    for pid in found:
        found.extend(children[pid])
    return found


def read_cpu(pids: Iterable[int]) -> Reading:
    return {pid: used for pid in pids if (used := cpu_of(pid)) is not None}


def used_between(before: Reading, after: Reading) -> int:
    """Nanoseconds used between two readings. A process that is new counts from its start; what one that
    has ended used since the first reading is lost."""
    return sum(max(0, used - before.get(pid, 0)) for pid, used in after.items())


@dataclass(frozen=True)
class Moment:
    """The machine at one instant: busy CPU nanoseconds of all processors since boot, and the load."""

    at: float
    busy: int
    load: float

    @classmethod
    def now(cls) -> "Moment":
        fields = [int(field) for field in (PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]]
        idle = fields[3] + fields[4]
        return cls(time.monotonic(), (sum(fields) - idle) * _TICK, os.getloadavg()[0])


def foreign_share(before: Moment, after: Moment, own: int) -> float:
    """The part of all processors that others used between two moments, 0 to 1. `own`: our nanoseconds."""
    capacity = (after.at - before.at) * 1e9 * (os.cpu_count() or 1)
    return max(0.0, min(1.0, (after.busy - before.busy - own) / capacity)) if capacity else 0.0


def sample_foreign(own: Iterable[int], seconds: float = 1.0) -> tuple[float, float]:
    """Foreign CPU share over a short wait, and the load average. `own`: processes that are not foreign."""
    pids = list(own)
    before, used = Moment.now(), read_cpu(pids)
    time.sleep(seconds)
    after = Moment.now()
    return foreign_share(before, after, used_between(used, read_cpu(pids))), after.load

"""Runs inside the child process that `check_runner` starts: sets its limits, then runs check.py.

Here: only what must happen in the child. Not here: choosing limits, judging the result. It is
started by path with no package around it, so it imports the standard library alone. It stops
accidents (endless loops, memory floods, network calls); it is no wall against an attacker.
"""

import os
import resource
import runpy
import sys
from pathlib import Path

FILE_BYTES = 8 * 1024 * 1024
OPEN_FILES = 64
FORBIDDEN = (
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostby",
    "socket.sendto",
    "subprocess.Popen",
    "os.exec",
    "os.fork",
    "os.kill",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(cpu_seconds: int, memory_bytes: int) -> None:
    """Limit this process, close network and processes to it, and run check.py of the working folder."""
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, FILE_BYTES)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    # The soft limit ends the process with a signal that tells why; the hard one would just kill it.
    _limit(resource.RLIMIT_CPU, cpu_seconds, spare=1)
    folder = str(Path.cwd().resolve())
    sys.path.insert(0, folder)
    sys.argv = ["check.py"]

    def guard(event: str, args: tuple[object, ...]) -> None:
        if event.startswith(FORBIDDEN):
            raise PermissionError(f"{event} is not available to a check")
        if event == "open" and _writes(args) and not _inside(folder, args[0]):
            raise PermissionError("a check may write only inside its own folder")

    sys.addaudithook(guard)
    runpy.run_path("check.py", run_name="__main__")


def _limit(kind: int, wanted: int, spare: int = 0) -> None:
    _, ceiling = resource.getrlimit(kind)
    unlimited = ceiling == resource.RLIM_INFINITY
    hard = wanted + spare if unlimited else min(wanted + spare, ceiling)
    resource.setrlimit(kind, (min(wanted, hard), hard))


def _writes(args: tuple[object, ...]) -> bool:
    return isinstance(args[2], int) and bool(args[2] & WRITING)


def _inside(folder: str, path: object) -> bool:
    """True for paths below `folder`, and for open file numbers, which were judged when opened."""
    if not isinstance(path, (str, bytes)):
        return True
    return os.path.commonpath([folder, os.path.realpath(os.fsdecode(path))]) == folder


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

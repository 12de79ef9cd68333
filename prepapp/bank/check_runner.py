"""Runs the code check of a question against one answer, in a fresh folder and a child process.

Here: starting, limiting, stopping, and what came of it. Not here: which answers must pass (the
lint) and what happens inside the child (`check_harness`).
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO

MEMORY_BYTES = 1024 * 1024 * 1024
# Time to start and to be kept waiting on a busy machine: computing is what `timeout_s` measures.
WAITING_S = 2
OUTPUT_CHARACTERS = 2000
ANSWER_FILES = {"python": "solution.py", "sql": "solution.sql"}
HARNESS = Path(__file__).with_name("check_harness.py")


class Outcome(Enum):
    """How one run of a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed out"


@dataclass(frozen=True)
class CheckRun:
    """One run: its outcome and the end of what it printed."""

    outcome: Outcome
    output: str

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED

    @property
    def last_line(self) -> str:
        """The last line printed that is not blank, for a Python error its type and message; or ''."""
        lines = [line for line in self.output.splitlines() if line.strip()]
        return lines[-1].strip() if lines else ""


def run_check(answer: str, check: str, *, language: str, timeout_s: int) -> CheckRun:
    """Run `check` (Python; exit 0 means pass) beside `answer`, saved as solution.py or solution.sql.

    The child sees the standard library and its own empty folder, and inherits no environment. It is
    stopped after `timeout_s` seconds of computing, and killed with everything it started when it has
    not ended WAITING_S seconds later. Raises KeyError for an
    unknown language and OSError when no process can be started.
    """
    answer_file = ANSWER_FILES[language]
    with tempfile.TemporaryDirectory(prefix="check-") as name, tempfile.TemporaryFile() as output:
        folder = Path(name)
        (folder / answer_file).write_text(answer, encoding="utf-8")
        (folder / "check.py").write_text(check, encoding="utf-8")
        process = subprocess.Popen(
            # -P, -s, -S: no folder of this project and no installed package can be imported.
            [
                sys.executable,
                "-P",
                "-s",
                "-S",
                "-B",
                "-X",
                "utf8",
                str(HARNESS),
                str(timeout_s),
                str(MEMORY_BYTES),
            ],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        outcome = _wait(process, timeout_s)
        # The folder's name differs in every run; a message must not.
        return CheckRun(outcome, _tail(output).replace(f"{folder.resolve()}/", ""))


def _environment(folder: Path) -> dict[str, str]:
    return {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # The same set order in every run, so that a check never passes by luck.
        "PYTHONHASHSEED": "0",
        # Every arena reserves address space, which the memory limit counts.
        "MALLOC_ARENA_MAX": "2",
    }


def _wait(process: subprocess.Popen[bytes], timeout_s: int) -> Outcome:
    try:
        code = process.wait(timeout=timeout_s + WAITING_S)
    except subprocess.TimeoutExpired:
        return Outcome.TIMED_OUT
    finally:
        _kill_group(process)
    if code == 0:
        return Outcome.PASSED
    return Outcome.TIMED_OUT if code == -signal.SIGXCPU else Outcome.FAILED


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode("utf-8", "replace")[-OUTPUT_CHARACTERS:]

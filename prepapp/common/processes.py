"""Several programs run as one: started together, their output prefixed, stopped together.

Only the handling of processes belongs here; which programs run is the `up` command's business. The
output and the waiting are honcho's; added is what keeps a stop from losing work or leaving a process.
"""

import ctypes
import fcntl
import http.client
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from honcho import manager
from honcho.printer import Message, Printer
from honcho.process import Popen, Process

# A worker finishes its task and hands back what it had taken; honcho's own five seconds cut that off.
manager.KILL_WAIT = 20

STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_PR_SET_PDEATHSIG = 1


class AlreadyRunning(Exception):
    """Processes of an earlier run still hold the lock file; its text says which."""


class PortTaken(Exception):
    """Another program listens on the address."""


def check_port_is_free(host: str, port: int) -> None:
    """Raises PortTaken when the address cannot be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the server binds: an address left waiting by a run that has ended is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(f"{host} port {port}: {error.strerror}") from error


def hold_lock(path: Path, wait_seconds: float) -> int:
    """Takes the lock file for this process and every program it will start; returns its descriptor.

    The programs inherit the descriptor, so the lock is free only when the last of them is gone, even
    after a kill -9 of their runner. Waits for an earlier run that is still ending, then raises
    AlreadyRunning.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                owner = os.pread(descriptor, 32, 0).decode().strip() or "unknown"
                os.close(descriptor)
                raise AlreadyRunning(f"started by process {owner}") from error
            time.sleep(0.1)
        else:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            return descriptor


def _die_with_parent(parent: int) -> None:
    """Asks the kernel to kill this process when its parent ends, however that ends (Linux only).

    Killed, not asked to stop: nobody reads its output any more, and whatever it was doing is due again
    by its row in the database.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        # It ended before the request was made.
        os._exit(1)


def _before_program(parent: int) -> None:
    _die_with_parent(parent)
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


class _Program(Process):
    """One program and the process that passes on its output."""

    def __init__(self, cmd: Sequence[str], lock: int, runner: int, **kwargs: Any) -> None:
        super().__init__(cmd, **kwargs)
        self._lock = lock
        self._runner = runner

    def run(self, events: Any = None, ignore_signals: bool = False) -> None:
        _die_with_parent(self._runner)
        # Ctrl-C reaches the whole terminal; only the runner answers it, by stopping the programs.
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        self._child_ctor = partial(
            Popen,
            shell=False,  # a shell in between would receive the signals meant for the program
            pass_fds=(self._lock,),
            preexec_fn=partial(_before_program, os.getpid()),
        )
        super().run(events, ignore_signals)


class _Runner(manager.Manager):
    def __init__(self, output: TextIO, lock: int, ready: threading.Thread | None) -> None:
        super().__init__(Printer(output, time_format=""))
        self._process_ctor = partial(_Program, lock=lock, runner=os.getpid())
        self._ready = ready

    def _start(self) -> None:
        # honcho stops a program by the pid it reported; a signal before that report would miss it.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        super()._start()
        early = []
        while not self._all_started():
            message = self.events.get()
            if message.type == "start":
                self._processes[message.name]["pid"] = message.data["pid"]
            early.append(message)
        for message in early:
            self.events.put(message)
        # Threads start only after the forks.
        if self._ready:
            self._ready.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    @property
    def exit_code(self) -> int:
        """0 after a stop that was asked for and went well, else what the first program to end says."""
        codes = [program.get("returncode") for program in self._processes.values()]
        if self.returncode in {130, 143}:
            return 1 if -signal.SIGKILL in codes else 0
        code = self.returncode or 1  # none of them may end unasked, not even with 0
        return code if code > 0 else 128 - code


def _announce(runner: _Runner, host: str, port: int, path: str, text: str) -> None:
    while not runner._terminating:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(host, port, timeout=2)
            try:
                connection.request("GET", path)
                answered = connection.getresponse().status == 200
            finally:
                connection.close()
            if answered:
                now = runner._clock.now()
                runner.events.put(
                    Message(type="line", data=text, time=now, name=manager.SYSTEM_PRINTER_NAME, colour=None)
                )
                return
        time.sleep(0.1)


def run_together(
    programs: Mapping[str, Sequence[str]],
    *,
    output: TextIO,
    lock: int,
    cwd: Path,
    ready: tuple[str, int, str, str] | None = None,
) -> int:
    """Runs the programs until one ends or a stop signal comes, stops all, returns the exit code.

    `ready`: host, port and path to ask until it answers 200, and the line to print then.
    """
    # The programs inherit the lock and the children their queue: both need a fork.
    multiprocessing.set_start_method("fork", force=True)
    runner = _Runner(output, lock, None)
    if ready:
        runner._ready = threading.Thread(target=_announce, args=(runner, *ready), daemon=True)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    for name, command in programs.items():
        runner.add_process(name, list(command), env=environment, cwd=str(cwd))
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    runner.loop()
    return runner.exit_code

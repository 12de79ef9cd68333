"""`manage.py up` as a person runs it: real processes in a data folder of their own.

The tests share the folder, one run after the other, so that only the first waits for the migrations.
"""

import fcntl
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.embedded

# Far above what is needed; a test that waits this long has failed.
LIMIT = 180.0


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, f"waited {LIMIT} s for: {what}"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def descendants(pid: int) -> set[int]:
    """The process and all below it, by the kernel's own lists."""
    found = {pid}
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text().split():
            found |= descendants(int(child))
    return found


def alive(pids: set[int]) -> set[int]:
    """Those that still run; a zombie has ended and only waits for its parent to take note."""
    running = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            running.add(pid)
    return running


class Site:
    """One run of `up`, with its output in a file."""

    def __init__(self, data: Path, log: Path, port: int) -> None:
        self.port = port
        self.log = log
        self.pids: set[int] = set()
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PREPAPP_MODE"}
        }
        environment |= {"PREPAPP_DATA_DIR": str(data), "PORT": str(port), "PYTHONUNBUFFERED": "1"}
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up"],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    def ended(self) -> bool:
        return self.process.poll() is not None

    def wait_ready(self) -> set[int]:
        """Waits for the ready line and a worker that takes tasks; returns the pids of the whole tree."""
        wait_until(
            lambda: self.ended() or ("prepapp is ready: " in self.output and " ready." in self.output),
            "ready",
        )
        assert not self.ended(), self.output
        self.pids = descendants(self.process.pid)
        return self.pids

    def wait_end(self) -> int:
        wait_until(self.ended, "the end of the run")
        return int(self.process.returncode)

    def pid_of(self, name: str) -> int:
        match = re.search(rf"{name} started \(pid=(\d+)\)", self.output)
        assert match
        return int(match[1])

    def clean_up(self) -> None:
        """Ends what a failed test left, the runner's orphans included."""
        if not self.ended():
            self.pids |= descendants(self.process.pid)
        for pid in alive(self.pids):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def start(data: Path, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    sites: list[Site] = []

    def start_site(port: int | None = None) -> Site:
        site = Site(data, tmp_path / f"output-{len(sites)}.txt", port or free_port())
        sites.append(site)
        return site

    yield start_site
    for site in sites:
        site.clean_up()


def status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_ctrl_c_ends_every_process_with_success(start: Callable[..., Site], data: Path) -> None:
    site = start()
    pids = site.wait_ready()
    # The runner; three programs, each with the process that passes on its output; gunicorn's worker.
    assert len(pids) == 8
    assert f"http://127.0.0.1:{site.port}/" in site.output
    assert status(site.port, "/healthz/ready") == 200

    os.kill(site.process.pid, signal.SIGINT)

    assert site.wait_end() == 0
    assert alive(pids) == set()
    assert "SIGKILL" not in site.output
    assert "Traceback" not in site.output
    # What people wrote is for the user alone who runs the site.
    assert (data / "prepapp.sqlite3").stat().st_mode & 0o077 == 0


def test_kill_9_of_the_runner_leaves_nothing_and_the_next_start_works(start: Callable[..., Site]) -> None:
    site = start()
    pids = site.wait_ready()
    os.kill(site.process.pid, signal.SIGKILL)
    site.wait_end()
    wait_until(lambda: alive(pids) == set(), "the processes to end with their runner")

    again = start(site.port)
    pids = again.wait_ready()
    os.kill(again.process.pid, signal.SIGTERM)
    assert again.wait_end() == 0
    assert alive(pids) == set()


def test_a_program_that_dies_ends_the_run_with_a_failure(start: Callable[..., Site]) -> None:
    site = start()
    pids = site.wait_ready()
    os.kill(site.pid_of("worker"), signal.SIGKILL)
    assert site.wait_end() == 128 + signal.SIGKILL
    wait_until(lambda: alive(pids) == set(), "the other programs to end")


def test_an_occupied_port_is_named(start: Callable[..., Site]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        site = start(port)
        assert site.wait_end() == 1
    assert f"Cannot listen on 127.0.0.1 port {port}" in site.output
    assert "Traceback" not in site.output


def test_a_data_folder_in_use_is_named(start: Callable[..., Site], data: Path) -> None:
    with (data / "up.pid").open("w") as file:
        file.write("4711\n")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        site = start()
        assert site.wait_end() == 1
    assert f"{data} is in use: started by process 4711" in site.output
    assert "Traceback" not in site.output

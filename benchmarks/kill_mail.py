"""Kills the worker again and again in the middle of a weekly run, and counts what came of it (F13, P14).

    python -m benchmarks.kill_mail --people 2000 --kills 50

People who practised are written into a database of its own, a mail server listens that writes down what it
takes, and real worker processes (the whole tree of them, found by their ids) are killed and started anew while
two schedulers tick. Then the run is let to its end. Printed: mails twice, people without a mail that is not
listed as unknown, mails listed as unknown, reports twice and missing. All but the unknown must be 0, and no more
are unknown than a worker had in its hands when it was killed.
"""

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import django
import redis
from django.core.management import call_command

from benchmarks.machine import tree_of
from benchmarks.stage import ROOT, end_cleanly, own_site
from prepapp.common.management.commands.up import programs

REDIS_URL = os.environ.get("BENCH_REDIS_URL", "redis://127.0.0.1:6379/13")
CONCURRENCY = 2
# Redis hands a killed worker's tasks to another one after this; ten minutes in the product.
_VISIBLE = 10
# When nothing moves for so long, what was in the killed worker's hands is gone; files are gone at once.
_QUIET, _QUIET_FILES = 20.0, 3.0
# How long the mail server takes to say that it has a mail, in seconds: many a kill falls into it.
_PAUSE = 0.05


@dataclass(frozen=True)
class Outcome:
    """What is in the mail server's book and in the rows."""

    people: int
    kills: int
    mailed: int
    mailed_twice: int
    reports_twice: int
    without_report: int
    states: dict[str, int]
    lost: int
    in_hand: int
    seconds: float

    @property
    def is_right(self) -> bool:
        wrong = self.mailed_twice + self.reports_twice + self.without_report + self.lost
        stuck = self.states.get("planned", 0) + self.states.get("sending", 0)
        return not wrong and not stuck and self.states.get("unknown", 0) <= self.in_hand

    def lines(self) -> Iterator[str]:
        yield f"people {self.people:,}, kills {self.kills}, {self.seconds:.0f} s"
        yield f"reports: twice {self.reports_twice}, missing {self.without_report}"
        yield f"mails taken by the server: {self.mailed:,}, twice {self.mailed_twice}"
        yield f"mails in the hands of a worker that was killed: {self.in_hand}"
        yield f"states: {', '.join(f'{state} {count:,}' for state, count in sorted(self.states.items()))}"
        yield f"missing: neither taken nor listed as unknown {self.lost}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], prog="python -m benchmarks.kill_mail"
    )
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--embedded", action="store_true", help="SQLite and the broker of files, as `make run`"
    )
    choice = parser.parse_args()
    end_cleanly(3600)
    with embedded_site() if choice.embedded else redis_site() as site:
        outcome = run(choice.people, choice.kills, choice.seed, site)
    print("\n".join(outcome.lines()))
    print("right" if outcome.is_right else "WRONG")
    return 0 if outcome.is_right else 1


def run(people: int, kills: int, seed: int, site: Mapping[str, str]) -> Outcome:
    """The whole story, on a site that is ready and empty."""
    from benchmarks import kill_rows as rows  # noqa: PLC0415

    chance = random.Random(seed)
    begun = time.monotonic()
    rows.write_people(people)
    folder = Path(site["PREPAPP_DATA_DIR"])
    with mail_server(folder, _PAUSE) as (port, book):
        site = {**site, "EMAIL_URL": f"smtp://127.0.0.1:{port}", "LOG_LEVEL": "INFO"}
        workers = Workers(site, folder)
        done = 0
        try:
            ask(site, "plan", "plan")
            while done < kills and rows.waiting():
                workers.wait_ready()
                # Somewhere in the run: some die while they reckon, most while they mail.
                time.sleep(chance.uniform(0.2, 1.5))
                workers.kill()
                done += 1
                if done % 5 == 0:
                    # The hourly tick, twice at once, and the sweep.
                    ask(site, "plan", "plan", "sweep")
                workers.start()
            in_hand = rows.in_hand()
            settle(site, workers, rows)
        finally:
            workers.stop()
        mails = [json.loads(line)["to"] for line in book.read_text().splitlines()]
        return Outcome(kills=done, in_hand=in_hand, seconds=time.monotonic() - begun, **rows.reckon(mails))


@contextmanager
def redis_site() -> Iterator[dict[str, str]]:
    """PostgreSQL and Redis, where queues of our own begin with a name that nobody else uses."""
    with own_site(static=False) as variables:
        site = {
            **variables,
            "REDIS_URL": REDIS_URL,
            "DJANGO_SETTINGS_MODULE": "benchmarks.kill_settings",
            "KILL_PREFIX": f"kill-{secrets.token_hex(4)}",
            "KILL_VISIBLE": str(_VISIBLE),
        }
        try:
            yield site
        finally:
            client = redis.Redis.from_url(REDIS_URL)
            for key in client.scan_iter(match=f"{site['KILL_PREFIX']}*"):
                client.delete(key)


@contextmanager
def embedded_site() -> Iterator[dict[str, str]]:
    """What `make run` has, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="prepapp-kill-") as folder:
        for name in ("DATABASE_URL", "REDIS_URL", "EMAIL_URL"):
            os.environ.pop(name, None)
        site = {
            "PREPAPP_MODE": "embedded",
            "PREPAPP_DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "prepapp.settings",
        }
        os.environ.update(site)
        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
        yield site


# --- processes ------------------------------------------------------------------------------------


@contextmanager
def mail_server(folder: Path, pause: float) -> Iterator[tuple[int, Path]]:
    """A mail server in a process of its own, so that nothing here delays it; its port and its book."""
    port_file, book = folder / "smtp-port", folder / "mails.jsonl"
    with subprocess.Popen(
        [*child(), sys.executable, "-m", "tests.smtp_sink", str(port_file), str(book), str(pause)], cwd=ROOT
    ) as server:
        try:
            while not port_file.exists() or not port_file.read_text():
                if server.poll() is not None:
                    raise SystemExit("The mail server ended at its start.")
                time.sleep(0.05)
            yield int(port_file.read_text()), book
        finally:
            server.terminate()


class Workers:
    """The worker of the queues `reports` and `mail` as production runs it."""

    def __init__(self, site: Mapping[str, str], folder: Path) -> None:
        self._site, self._folder = site, folder
        self._number = 0
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        self._number += 1
        self._log = self._folder / f"worker-{self._number}.log"
        if self._site["PREPAPP_MODE"] == "embedded":
            command = [*child(), *programs("127.0.0.1", 0)["worker"]]
        else:
            command = [
                *(*child(), sys.executable, "-m", "celery", "--app", "prepapp", "--quiet", "worker"),
                *("--queues", "reports,mail", "--pool", "prefork", "--concurrency", str(CONCURRENCY)),
                *("--without-gossip", "--without-mingle", "--hostname", f"w{self._number}@kill"),
            ]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **self._site}, stdout=log, stderr=subprocess.STDOUT
            )

    def wait_ready(self) -> None:
        """Waits until it takes tasks."""
        deadline = time.monotonic() + 120
        while b" ready." not in self._log.read_bytes():
            if time.monotonic() > deadline or self._process is None or self._process.poll() is not None:
                raise SystemExit(
                    f"The worker did not start.\n{self._log.read_text(errors='replace')[-3000:]}"
                )
            time.sleep(0.05)

    def kill(self) -> None:
        """The whole tree at once, as a machine that dies."""
        if self._process is None:
            return
        for pid in tree_of(self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()


def child() -> list[str]:
    return [sys.executable, "-m", "benchmarks.child", str(os.getpid())]


def ask(site: Mapping[str, str], *ticks: str, quietly: bool = False) -> None:
    """What beat does, from another process: sends the tick. CalledProcessError when the broker does not take
    it, `quietly` without the words of that process."""
    names = {"plan": "plan_weekly_reports", "sweep": "sweep_report_mails"}
    code = "import sys; from prepapp.celery import app; [app.send_task(name) for name in sys.argv[1:]]"
    words = [f"prepapp.reports.tasks.{names[tick]}" for tick in ticks]
    subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, **site},
        check=True,
        stderr=subprocess.DEVNULL if quietly else None,
    )


def settle(site: Mapping[str, str], workers: "Workers", rows: ModuleType) -> None:
    """Lets the run come to its end: what an hour and a quarter would bring, at once."""
    workers.wait_ready()
    is_redis = site["PREPAPP_MODE"] != "embedded"
    patience = _QUIET if is_redis else _QUIET_FILES
    ask(site, "plan", "plan")
    before, since = rows.waiting(), time.monotonic()
    while left := rows.waiting():
        if left != before:
            before, since = left, time.monotonic()
        elif time.monotonic() - since > patience:
            # Tasks died with their worker. An hour later the sweep would find them.
            rows.let_an_hour_pass()
            ask(site, "plan", "sweep")
            since = time.monotonic()
        time.sleep(0.2)
    # Whatever Redis still hands out once more comes to nothing, and so does another tick.
    ask(site, "plan", "sweep")
    time.sleep(_VISIBLE + 3 if is_redis else 3)


if __name__ == "__main__":
    sys.exit(main())

"""Stops the broker, then hangs it, while interviews are sat; then counts the weekly reports (F15, P16).

    python -m benchmarks.broker_down --minutes 5 --people 500 --learners 4

A Redis of its own, the product with worker and beat as in production, learners who sit whole sessions without
a break. Redis runs, is stopped, runs again, is hung (SIGSTOP), runs again; each trouble lasts so many
minutes and includes the tick of the weekly run. Printed for each phase: requests, those that failed, and the median and
95 % of the autosave; at the end reports and mails made, missing and double. A request that fails, a report that is missing
or double, ends it with 1.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import redis

from benchmarks.client import HOST, Browser, Unexpected
from benchmarks.kill_mail import ask, child, mail_server
from benchmarks.session import Learner, Run, sit
from benchmarks.stage import ROOT, Server, end_cleanly, free_port, own_site, running

TRACK, LEVEL = "mle", "intermediate"
_CALM = 20.0
_PATIENCE = 300.0


@dataclass(frozen=True)
class Phase:
    """What was asked while the broker was in one condition; seconds of each autosave."""

    name: str
    seconds: float
    requests: int
    failed: int
    saves: list[float]
    tick: str

    def line(self) -> str:
        ordered = sorted(self.saves)
        middle = statistics.median(ordered) * 1000 if ordered else 0
        late = ordered[int(0.95 * (len(ordered) - 1))] * 1000 if ordered else 0
        return (
            f"{self.name:<16}{self.seconds:6.0f} s {self.requests:7,} requests, failed {self.failed}; "
            f"{len(ordered):6,} saves, p50 {middle:4.0f} ms, p95 {late:4.0f} ms; {self.tick}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], prog="python -m benchmarks.broker_down"
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="of each trouble (default 5)")
    parser.add_argument("--people", type=int, default=500, help="who are owed a report (default 500)")
    parser.add_argument("--learners", type=int, default=4, help="who sit interviews (default 4)")
    choice = parser.parse_args()
    if shutil.which("redis-server") is None:
        raise SystemExit("redis-server is needed, to be stopped and hung; it is not on this machine.")
    end_cleanly(3600)
    with own_site(static=True) as variables:
        return run(choice, variables)


def run(choice: argparse.Namespace, variables: Mapping[str, str]) -> int:
    from benchmarks import kill_rows as rows  # noqa: PLC0415
    from prepapp.accounts.models import User  # noqa: PLC0415

    folder = Path(variables["PREPAPP_DATA_DIR"])
    learners, words = _learners(choice.learners)
    rows.write_people(choice.people)
    with ExitStack() as stack:
        port, book = stack.enter_context(mail_server(folder, 0.0))
        broker = stack.enter_context(Broker.running(folder))
        site = {**variables, "REDIS_URL": broker.url, "EMAIL_URL": f"smtp://{HOST}:{port}"}
        server = stack.enter_context(running("product", "prepapp.wsgi", site, "/healthz/ready"))
        for words_of in (
            ("worker", "--queues=interviews,reports,mail", "--pool=prefork", "--concurrency=2"),
            ("beat", "--pidfile="),
        ):
            stack.enter_context(_celery(site, folder, *words_of))
        for one in learners:
            one.browser.port = server.port
        trouble = 60 * choice.minutes
        phases = [_sit(server, learners, words, "runs", _CALM, {})]
        broker.stop()
        phases.append(_sit(server, learners, words, "stopped", trouble, site))
        broker.start()
        phases.append(_sit(server, learners, words, "runs again", _CALM, {}))
        broker.hang()
        phases.append(_sit(server, learners, words, "hung", trouble, site))
        broker.go_on()
        phases.append(_sit(server, learners, words, "runs again", _CALM, {}))
        ask(site, "plan", "plan", "sweep")
        # They began today, so nothing is owed to them: what is left are those who are owed a report.
        User.objects.filter(email__endswith="@bench.test").delete()
        end = time.monotonic() + _PATIENCE
        while rows.waiting() and time.monotonic() < end:
            time.sleep(1)
        print("\n".join(phase.line() for phase in phases))
        found = rows.reckon([json.loads(line)["to"] for line in book.read_text().splitlines()])
        print(json.dumps(found, default=str))
    wrong = found["mailed_twice"] + found["reports_twice"] + found["without_report"] + found["lost"]
    failed = sum(phase.failed for phase in phases)
    print("right" if not wrong + failed else "WRONG")
    return 1 if wrong + failed else 0


class Broker:
    """A Redis in a process of its own, on a free port."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self.url = f"redis://{HOST}:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    @contextmanager
    def running(cls, folder: Path) -> Iterator["Broker"]:
        broker = cls(folder)
        broker.start()
        try:
            yield broker
        finally:
            broker.go_on()
            broker.stop()

    def start(self) -> None:
        command = [*child(), shutil.which("redis-server") or "", "--bind", HOST, "--port", str(self._port)]
        command += ["--save", "", "--appendonly", "no", "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        client = redis.Redis.from_url(self.url)
        for _ in range(200):
            with suppress(redis.RedisError):
                client.ping()
                return
            time.sleep(0.05)
        raise SystemExit("Redis did not start.")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)

    def hang(self) -> None:
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, number)


def _learners(count: int) -> tuple[list[Learner], list[str]]:
    from django.conf import settings  # noqa: PLC0415

    from benchmarks.seed import bank_words, create_people, session_cookies  # noqa: PLC0415

    people = create_people([f"learner{number}" for number in range(count)], track=TRACK, level=LEVEL)
    return [
        Learner(
            Browser(0, session_cookies(person), csrf_cookie=settings.CSRF_COOKIE_NAME),
            TRACK,
            LEVEL,
            random.Random(number),
        )
        for number, person in enumerate(people)
    ], bank_words()


def _sit(
    server: Server,
    learners: list[Learner],
    words: list[str],
    name: str,
    seconds: float,
    site: Mapping[str, str],
) -> Phase:
    """Whole sessions until the time is over; with `site`, the weekly tick is sent at the beginning."""
    begun, failed = time.monotonic(), 0
    tick = _try_tick(site) if site else "no tick"
    requests, saves = 0, []
    while time.monotonic() - begun < seconds:
        with Run(server, len(learners)) as session:
            try:
                sit(session, learners, words)
            except (Unexpected, OSError) as error:
                failed += 1
                print(f"{name}: {error}", file=sys.stderr)
            requests += sum(step.count for step in session.steps.values())
            saves += session.steps["autosave"].seconds if "autosave" in session.steps else []
    return Phase(name, time.monotonic() - begun, requests, failed, saves, tick)


def _try_tick(site: Mapping[str, str]) -> str:
    """What somebody learns who sends the tick now: it may fail, and must not hang."""
    begun = time.monotonic()
    with suppress(subprocess.CalledProcessError):
        ask(site, "plan", quietly=True)
        return f"tick taken in {time.monotonic() - begun:.1f} s"
    return f"tick refused in {time.monotonic() - begun:.1f} s"


@contextmanager
def _celery(site: Mapping[str, str], folder: Path, name: str, *words: str) -> Iterator[None]:
    command = [*child(), sys.executable, "-m", "celery", "--app=prepapp", "--quiet", name, *words]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **site}, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())

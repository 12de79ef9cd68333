"""Runs the suite as `make test` does: on SQLite, on PostgreSQL with Redis, and in the browser.

Each part is a pytest process of its own; what else is on the command line goes to each of them. What
a machine lacks is said in the closing lines, and is an error when CI is set.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import psycopg
import redis

from tests.chromium import find_chromium

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("sqlite", "postgresql", "browser")
DATABASE_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/prepapp")
# A number of its own, so that a site that uses the same server keeps its queues.
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
NOTHING_COLLECTED = 5

# Two processes, a file at a time to each: the suite takes minutes, and a file may share what it set up.
SPREAD = ["-n", "2", "--dist", "loadfile"]


@dataclass
class Part:
    """One pytest process: what it ran on, how it ended."""

    name: str
    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    missing: str = ""
    code: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, extra: list[str]) -> None:
        print(f"\n######## {self.name} ########", flush=True)
        environment = {**os.environ, **self.environment}
        for name in ("DATABASE_URL", "REDIS_URL"):
            if name not in self.environment:
                environment.pop(name, None)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            command = [sys.executable, "-m", "pytest", *self.arguments, f"--junitxml={report}", *extra]
            self.code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
            if report.exists():
                self.read(report)
        if self.code == NOTHING_COLLECTED and extra:
            # A selection on the command line need not match in every part.
            self.code = 0

    def read(self, report: Path) -> None:
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            total, failed, errors, skipped = (
                int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")
            )
            self.counts["failed"] += failed
            self.counts["passed"] += total - failed - errors - skipped
            self.counts["skipped"] += skipped
            self.counts["errors"] += errors

    def closing(self) -> str:
        if self.missing:
            return f"{self.name}: NOT RUN, {self.missing}"
        return f"{self.name}: {worded(self.counts)}"


def worded(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[word]} {word}" for word in counts if counts[word]) or "no tests"


def why_services_are_missing() -> str:
    missing = []
    try:
        psycopg.connect(DATABASE_URL.rpartition("/")[0] + "/postgres", connect_timeout=3).close()
    except psycopg.Error:
        missing.append("PostgreSQL (TEST_DATABASE_URL)")
    try:
        redis.Redis.from_url(REDIS_URL, socket_connect_timeout=3, socket_timeout=3).ping()
    except redis.RedisError:
        missing.append("Redis (TEST_REDIS_URL)")
    return f"cannot reach {' and '.join(missing)}" if missing else ""


def install_chromium() -> None:
    """Where it is allowed and known how, fetches what the browser suite needs."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    print("Installing Chromium for the browser suite ...", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", "-qq", *words], env=environment, stdout=subprocess.DEVNULL, check=False)


def make_part(name: str) -> Part:
    if name == "sqlite":
        return Part(name, SPREAD)
    if name == "postgresql":
        services = {"DATABASE_URL": DATABASE_URL, "REDIS_URL": REDIS_URL}
        return Part(name, [*SPREAD, "-m", "not embedded"], services, missing=why_services_are_missing())
    if not find_chromium():
        install_chromium()
    missing = "" if find_chromium() else "Chromium is not installed"
    return Part(name, ["tests/browser"], missing=missing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="run this part; may be repeated")
    chosen, extra = parser.parse_known_args()
    started = time.monotonic()
    parts = [make_part(name) for name in chosen.only or PARTS]
    for part in parts:
        if not part.missing:
            part.run(extra)
    seconds = time.monotonic() - started

    total: Counter[str] = Counter()
    for part in parts:
        total += part.counts
    wrong = [part.name for part in parts if part.code or (part.missing and CI)]
    incomplete = [part.name for part in parts if part.missing]
    print("\n" + "   ".join(part.closing() for part in parts))
    if incomplete:
        print(f"INCOMPLETE: {', '.join(incomplete)} did not run" + (" and CI demands it" if CI else ""))
    if wrong:
        print(f"FAILED: {', '.join(wrong)}")
    print(f"===== {worded(total)} in {seconds:.2f}s =====", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted")

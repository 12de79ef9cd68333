"""What the weekly reports of a whole site cost (B7): the run, without mail, against one bare statement.

    python -m benchmarks.weekly --learners 200000 --marks 10000000

Writes people and their past into a database of its own, then makes every report that is due, chunk by chunk, as
the workers do, in one process. *Bare* is one SQL statement that adds up this week's marks by person and topic and
inserts the sums; it runs just before and just after, without parallel workers. Nothing is asserted on time.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import django
import psycopg

from benchmarks.machine import Moment, cpu_of, foreign_share
from benchmarks.stage import DATABASE, ROOT, database_url, end_cleanly, own_site

# By then the Monday of the whole world has come to 07:00.
NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
MONDAY = datetime(2026, 11, 30, tzinfo=UTC)
GOAL, STRETCH = 3.0, 2.0
FLAT = 1.10
SAMPLE = 200
_WORKER = "--worker"
_MEGABYTE = 1024

_BARE_TABLE = "CREATE TABLE IF NOT EXISTS bare_week (user_id uuid, topic_id text, answers int, points int, earned int, weight int)"
_BARE = """
INSERT INTO bare_week
SELECT mark.user_id, question.topic_id, count(DISTINCT grade.response_id), count(*),
       sum(point.weight * mark.value), sum(point.weight)
  FROM interviews_mark mark
  JOIN interviews_responsegrade grade ON grade.id = mark.response_grade_id
  JOIN interviews_grading grading ON grading.id = grade.grading_id
  JOIN bank_rubricpoint point ON point.id = mark.point_id
  JOIN bank_questionversion version ON version.id = point.version_id
  JOIN bank_question question ON question.id = version.question_id
 WHERE grading.closed_at >= %s AND grading.closed_at < %s
 GROUP BY mark.user_id, question.topic_id
"""


@dataclass(frozen=True)
class Cost:
    rows: int
    seconds: float
    cpu: float

    def line(self, name: str) -> str:
        return f"{name:<34}{self.rows:>12,}{self.seconds:>10.2f}{self.cpu:>10.2f}"


@dataclass(frozen=True)
class Worked:
    """The run as the worker process saw it. `resident` in kB after each chunk, `peak` in kB."""

    people: int
    seconds: list[float]
    resident: list[int]
    begun: int
    peak: int
    planning: float
    worker_cpu: float
    database_cpu: float
    again: int


def main() -> int:
    if sys.argv[1:2] == [_WORKER]:
        return work()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weekly", description=__doc__)
    parser.add_argument("--learners", type=int, default=2_000, help="people with an account (default 2,000)")
    parser.add_argument(
        "--marks", type=int, default=100_000, help="about so many marks in all (default 100,000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything that is by chance (default 1)")
    options = parser.parse_args()
    if not (100 <= options.learners <= 1_000_000 and 1_000 <= options.marks <= 50_000_000):
        parser.error("learners are from 100 to 1,000,000 and marks from 1,000 to 50,000,000")
    end_cleanly(900 + options.marks // 4_000)
    started = time.monotonic()
    with own_site(static=False):
        measure(options)
    print(f"{time.monotonic() - started:.0f} s in all")
    return 0


def measure(options: argparse.Namespace) -> None:
    # Models can be imported only once the settings stand.
    from benchmarks.population import populate  # noqa: PLC0415
    from benchmarks.seed import bank_words  # noqa: PLC0415
    from prepapp.reports.actions.rates import reckon_track_rates  # noqa: PLC0415

    size = populate(connect, options.learners, options.marks, options.seed, MONDAY, bank_words())
    reckon_track_rates(now=NOW - timedelta(hours=1))
    with connect() as watcher:
        watcher.autocommit = True
        (space,) = watcher.execute(
            "SELECT pg_size_pretty(pg_database_size(current_database()))"
        ).fetchone() or ("?",)
        print(
            f"{size.people:,} people, {size.attempts:,} attempts, {size.answers:,} answers, {size.marks:,} marks over "
            f"{size.weeks} weeks; the database has {space}.\n"
            f"Evidence of {check_evidence()} people as kept is what it is when reckoned from the marks."
        )
        machine = Moment.now()
        before = run_bare(watcher)
        worked = run_worker()
        after = run_bare(watcher)
        copied = run_copy(watcher)
        foreign = foreign_share(
            machine,
            Moment.now(),
            round(1e9 * (before.cpu + after.cpu + worked.worker_cpu + worked.database_cpu)),
        )
        reports = watcher.execute(
            "SELECT count(*), count(*) FILTER (WHERE figures IS NULL), "
            "count(*) FILTER (WHERE (figures->'practice'->>'mocks')::int > 0), "
            "pg_size_pretty(pg_total_relation_size('reports_weeklyreport')) FROM reports_weeklyreport"
        ).fetchone()
    assert reports
    print_costs(before, after, copied, worked, foreign, reports)


def connect() -> psycopg.Connection:
    return psycopg.connect(database_url(DATABASE))


def check_evidence() -> int:
    """Compares the evidence of some people with what the product reckons from their marks. SystemExit if one
    row differs."""
    from prepapp.accounts.models import User  # noqa: PLC0415
    from prepapp.reports.mastery import Tally  # noqa: PLC0415
    from prepapp.reports.models import TopicWeek  # noqa: PLC0415
    from prepapp.reports.queries.evidence import evidence, tallies  # noqa: PLC0415

    # Keys are by chance, so any are a sample.
    people = list(User.objects.order_by("pk").values_list("pk", flat=True)[:SAMPLE])
    kept = {
        (user, topic, week): Tally(*numbers)
        for user, topic, week, *numbers in TopicWeek.objects.filter(user__in=people).values_list(
            "user", "topic", "week_start", "trials", "successes", "answers"
        )
    }
    right = tallies(evidence(people))
    wrong = [key for key in kept.keys() | right.keys() if not _alike(kept.get(key), right.get(key))]
    if wrong or not kept:
        raise SystemExit(
            f"The evidence of {len(wrong)} of {len(right)} topics and weeks is not what it should be."
        )
    return len(people)


def _alike(one: object, other: object) -> bool:
    """Sums of doubles in another order differ in their last digits."""
    from prepapp.reports.mastery import Tally  # noqa: PLC0415

    if not (isinstance(one, Tally) and isinstance(other, Tally)) or one.answers != other.answers:
        return False
    pairs = ((one.trials, other.trials), (one.successes, other.successes))
    return all(abs(a - b) <= 1e-9 * max(a, b, 1.0) for a, b in pairs)


# --- bare -----------------------------------------------------------------------------------------


def run_bare(watcher: psycopg.Connection) -> Cost:
    watcher.execute(_BARE_TABLE)
    watcher.execute("TRUNCATE bare_week")
    watcher.execute("SET max_parallel_workers_per_gather = 0")
    with _timed(watcher.info.backend_pid) as spent:
        rows = watcher.execute(_BARE, [MONDAY - timedelta(days=7), MONDAY]).rowcount
    return Cost(rows, *spent)


def run_copy(watcher: psycopg.Connection) -> Cost:
    """The rows of the reports once more, by one statement: what storing them costs whoever makes them."""
    watcher.execute("CREATE TABLE bare_report (LIKE reports_weeklyreport INCLUDING ALL)")
    with _timed(watcher.info.backend_pid) as spent:
        rows = watcher.execute("INSERT INTO bare_report SELECT * FROM reports_weeklyreport").rowcount
    return Cost(rows, *spent)


@contextmanager
def _timed(*pids: int) -> Iterator[list[float]]:
    """Wall seconds, then CPU seconds of the processes."""
    spent: list[float] = []
    cpu, begun = sum(cpu_of(pid) or 0 for pid in pids), time.monotonic()
    yield spent
    spent += [time.monotonic() - begun, (sum(cpu_of(pid) or 0 for pid in pids) - cpu) / 1e9]


# --- the run --------------------------------------------------------------------------------------


def run_worker() -> Worked:
    """In a process of its own, so that its memory is that of a worker and not of who wrote the rows."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.child",
            str(os.getpid()),
            sys.executable,
            "-m",
            "benchmarks.weekly",
            _WORKER,
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    return Worked(**json.loads(done.stdout))


def work() -> int:
    """Makes what is due, as the tasks do: ranges of people, then each range by one call."""
    django.setup()
    from django.db import connection  # noqa: PLC0415

    from prepapp.reports.actions.weekly import make_due_reports  # noqa: PLC0415
    from prepapp.reports.queries.due import chunks, due_people, due_weeks  # noqa: PLC0415

    connection.ensure_connection()
    backend = connection.connection.info.backend_pid
    begun = _resident()
    database, own = cpu_of(backend) or 0, time.process_time()
    started = time.monotonic()
    ranges = [(week, *ends) for week in due_weeks(NOW) for ends in chunks(due_people(week, NOW))]
    planning = time.monotonic() - started
    seconds, resident = [], []
    for week, first, last in ranges:
        started = time.monotonic()
        make_due_reports(week=week, first_id=first, last_id=last, now=NOW)
        seconds.append(time.monotonic() - started)
        resident.append(_resident())
    own, database = time.process_time() - own, (cpu_of(backend) or 0) - database
    again = sum(1 for week in due_weeks(NOW) for _ in due_people(week, NOW).values_list("pk")[:10])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = Worked(_reports(), seconds, resident, begun, peak, planning, own, database / 1e9, again)
    print(json.dumps(figures.__dict__))
    return 0


def _reports() -> int:
    from prepapp.reports.models import WeeklyReport  # noqa: PLC0415

    return WeeklyReport.objects.count()


def _resident() -> int:
    """Resident memory in kB."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


# --- showing --------------------------------------------------------------------------------------


def print_costs(
    before: Cost, after: Cost, copied: Cost, worked: Worked, foreign: float, reports: Sequence[object]
) -> None:
    made, unmade, practised, space = reports
    seconds = worked.planning + sum(worked.seconds)
    run = Cost(worked.people, seconds, worked.worker_cpu + worked.database_cpu)
    print(f"\n{'':<34}{'rows':>12}{'seconds':>10}{'CPU s':>10}")
    print(before.line("bare, before"))
    print(run.line("weekly reports"))
    print(after.line("bare, after"))
    print(copied.line("rows of the reports, copied"))
    bare = Cost(0, (before.seconds + after.seconds) / 2, (before.cpu + after.cpu) / 2)
    drift = max(before.cpu, after.cpu) / min(before.cpu, after.cpu) - 1
    if drift > 0.15:
        print(f"Bare moved by {drift:.0%} during the run: read the ratios with care.")
    print(
        f"CPU of the run: worker {worked.worker_cpu:.1f} s, its database connection {worked.database_cpu:.1f} s; "
        f"of the time {worked.planning:.1f} s went into finding who is due.\n"
        f"Of {made:,} reports {practised:,} have a mock of the week, {unmade:,} could not be made; they take {space}. "
        f"Asked again, {worked.again} people are due."
    )
    ordered = sorted(worked.seconds)
    print(
        f"{len(ordered)} chunks, {run.rows / len(ordered):,.0f} people on average: p50 {statistics.median(ordered):.2f} s, "
        f"p95 {ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]:.2f} s, longest {ordered[-1]:.2f} s; "
        f"{1000 * run.cpu / run.rows:.2f} ms CPU a report, bare {1000 * bare.cpu / before.rows:.3f} ms a row"
    )
    print_memory(worked)
    for what, value in (("CPU", run.cpu / bare.cpu), ("time", seconds / bare.seconds)):
        verdict = "met" if value <= GOAL else "MISSED"
        print(
            f"B7  weekly reports to bare, {what}: at most {GOAL:g}x (stretch {STRETCH:g}x)   {value:.1f}x   {verdict}"
        )
    print(f"Others used {foreign:.0%} of the machine meanwhile.")


def print_memory(worked: Worked) -> None:
    count = len(worked.resident)
    places = sorted({0, count // 10, count // 4, count // 2, 3 * count // 4, count - 1})
    at = ", ".join(f"chunk {place + 1}: {worked.resident[place] / _MEGABYTE:.0f}" for place in places)
    # Caches of a process fill with the first chunks.
    growth = worked.resident[-1] / worked.resident[count // 10]
    verdict = "flat" if growth <= FLAT else "NOT FLAT"
    print(
        f"worker memory in MB: {worked.begun / _MEGABYTE:.0f} at its start, {at}, peak {worked.peak / _MEGABYTE:.0f}; "
        f"from the first tenth to the end x {growth:.2f}: {verdict}"
    )


if __name__ == "__main__":
    sys.exit(main())

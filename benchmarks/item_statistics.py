"""What a night of item statistics costs: counting who was graded that day against counting everybody anew.

    python -m benchmarks.item_statistics --answers 100000

Writes people and their past into a database of its own, counts all of it, then lets the people of one day be
graded again and counts those. What is kept is compared with the marks at the end; a difference ends the run with
an error. Nothing is asserted on time.
"""

import argparse
import random
import resource
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg

from benchmarks.machine import Moment, cpu_of, foreign_share
from benchmarks.stage import DATABASE, database_url, end_cleanly, own_site

NOW = datetime(2026, 11, 30, 3, 20, tzinfo=UTC)
MONDAY = datetime(2026, 11, 30, tzinfo=UTC)
_POINTS, _ANSWERS_EACH = 5, 25


@dataclass(frozen=True)
class Cost:
    """Of one run: learners counted, wall and CPU seconds of this process and its database connection."""

    name: str
    learners: int
    seconds: float
    cpu: float

    def line(self) -> str:
        return f"{self.name:<34}{self.learners:>12,}{self.seconds:>10.2f}{self.cpu:>10.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.item_statistics", description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000, help="about so many graded (default 100,000)")
    parser.add_argument("--share", type=float, default=0.04, help="of the people in a night (default 0.04)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is by chance (default 1)")
    options = parser.parse_args()
    if not (1_000 <= options.answers <= 5_000_000 and 0 < options.share <= 1):
        parser.error("answers are from 1,000 to 5,000,000 and the share from 0 to 1")
    end_cleanly(600 + options.answers // 100)
    with own_site(static=False):
        measure(options)
    return 0


def measure(options: argparse.Namespace) -> None:
    # Models can be imported only once the settings stand.
    from django.db import connection  # noqa: PLC0415

    from benchmarks.population import populate  # noqa: PLC0415
    from benchmarks.seed import bank_words  # noqa: PLC0415
    from prepapp.reports.models import CountedAnswers, ItemStatistic, PointStatistic  # noqa: PLC0415
    from prepapp.reports.queries.item_check import find_differences  # noqa: PLC0415

    people = max(100, options.answers // _ANSWERS_EACH)
    size = populate(connect, people, options.answers * _POINTS, options.seed, MONDAY, bank_words())
    print(
        f"{size.people:,} people, {size.attempts:,} attempts, {size.answers:,} answers, {size.marks:,} marks."
    )
    connection.ensure_connection()
    machine = Moment.now()
    first = run("everybody, the first time", anew=False)
    rebuilt = run("everybody anew", anew=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    regrade(options.share, options.seed)
    night = run("a night", anew=False)
    quiet = run("a night without work", anew=False)
    foreign = foreign_share(
        machine, Moment.now(), round(1e9 * sum(cost.cpu for cost in (first, rebuilt, night, quiet)))
    )
    wrong = list(find_differences())
    print(f"\n{'':<34}{'learners':>12}{'seconds':>10}{'CPU s':>10}")
    for cost in (first, rebuilt, night, quiet):
        print(cost.line())
    print(
        f"Kept: {ItemStatistic.objects.count():,} items, {PointStatistic.objects.count():,} points, the answers of "
        f"{CountedAnswers.objects.count():,} learners; peak memory {peak / 1024:.0f} MB.\n"
        f"A night of {night.learners:,} learners to counting anew: CPU {night.cpu / rebuilt.cpu:.3f}x, time "
        f"{night.seconds / rebuilt.seconds:.3f}x; by their share of the learners {night.learners / rebuilt.learners:.3f}x.\n"
        f"Compared with all marks: {len(wrong)} differences. Others used {foreign:.0%} of the machine meanwhile."
    )
    if wrong:
        raise SystemExit("What is kept is not what the marks say.")


def connect() -> psycopg.Connection:
    return psycopg.connect(database_url(DATABASE))


def run(name: str, *, anew: bool) -> Cost:
    """One run in this process, to its end."""
    from django.db import connection  # noqa: PLC0415

    from prepapp.reports.actions.item_statistics import count_changed  # noqa: PLC0415

    def spent() -> float:
        backend = cpu_of(connection.connection.info.backend_pid) or 0
        return time.process_time() + backend / 1e9

    begun, cpu = time.monotonic(), spent()
    progress = count_changed(now=NOW, anew=anew)
    return Cost(name, progress.learners, time.monotonic() - begun, spent() - cpu)


def regrade(share: float, seed: int) -> None:
    """One mark of so many people becomes another, and each is marked to be counted."""
    from prepapp.interviews.models import Mark  # noqa: PLC0415
    from prepapp.reports.actions.item_statistics import note_changed_work  # noqa: PLC0415
    from prepapp.reports.models import CountedAnswers  # noqa: PLC0415

    chance = random.Random(seed)
    people = list(CountedAnswers.objects.order_by("pk").values_list("user_id", flat=True))
    for user in chance.sample(people, max(1, round(share * len(people)))):
        mark = Mark.objects.filter(user=user).order_by("-pk")[0]
        Mark.objects.filter(pk=mark.pk).update(value=(mark.value + 1) % 3)
        note_changed_work(user_id=user)


if __name__ == "__main__":
    sys.exit(main())

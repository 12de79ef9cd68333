"""Whole sessions of 1, 10 and 50 learners against the production server: latency, CPU of every process,
statements, bytes, each beside the anchor measured just before and just after.

    python -m benchmarks.load --learners 1,10,50 --rounds 3

Prints tables and the goals beside them. Nothing is asserted on time: the exit code says only whether the
sessions could be sat.
"""

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from benchmarks.client import Browser, Unexpected
from benchmarks.firstview import fetch_all
from benchmarks.goals import GOAL_LEARNERS, Anchor, Once, goals, less_than_peers
from benchmarks.machine import HAS_NANOSECONDS, Moment, foreign_share, read_cpu, sample_foreign, used_between
from benchmarks.session import (
    OVERVIEWS,
    PAGE,
    SAVE,
    Learner,
    Run,
    Step,
    path_of,
    sit,
    start_ten_questions,
    visit_room,
)
from benchmarks.stage import THREADS, WORKERS, Server, end_cleanly, own_site, running
from benchmarks.words import ANSWER_LENGTH, answer

TRACK, LEVEL = "gpu", "intermediate"
ANCHOR_REQUESTS = 120
OVERVIEW_REQUESTS = 20
WARM_UP_LEARNERS = 8
TIME_LIMIT = 900


@dataclass(frozen=True)
class Table:
    """The figures of one number of learners, and those of the anchor around them."""

    learners: int
    rounds: int
    run: Run
    before: Mapping[str, Step]
    after: Mapping[str, Step]

    @property
    def anchor(self) -> Anchor:
        return Anchor.of(self.before, self.after)


@dataclass(frozen=True)
class People:
    """Learners with 20 past attempts each, one with 2,000, and the words they write."""

    learners: list[Learner]
    veteran: Learner
    words: list[str]

    def move_to(self, server: Server) -> None:
        for one in [*self.learners, self.veteran]:
            one.browser.close()
            one.browser.port = server.port


def main() -> int:
    options = _options()
    end_cleanly(TIME_LIMIT)
    started = time.monotonic()
    try:
        with own_site(static=True) as variables:
            measure(options, variables, started)
    except Unexpected as error:
        print(f"\nThe session could not be sat: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(f"{time.monotonic() - started:.0f} s in all")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument(
        "--learners", default="1,10,50", help="how many at once, one table for each number (default 1,10,50)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="sessions of each learner at most (default 3)")
    parser.add_argument(
        "--seconds",
        type=int,
        default=150,
        help="from the start until no further round begins; each table has at least one (default 150)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the texts and choices (default 1)")
    options = parser.parse_args()
    options.learners = [int(number) for number in options.learners.split(",")]
    if not all(0 < number <= 100 for number in options.learners) or not 0 < options.rounds <= 100:
        parser.error("learners and rounds are from 1 to 100")
    return options


def measure(options: argparse.Namespace, variables: Mapping[str, str], started: float) -> None:
    people = create_people(max(*options.learners, WARM_UP_LEARNERS), options.seed)
    anchor_variables = {**variables, "DJANGO_SETTINGS_MODULE": "benchmarks.bare_settings"}
    anchor_application = "django.core.wsgi:get_wsgi_application()"
    with (
        running("product", "prepapp.wsgi", variables, "/healthz/ready") as server,
        running("bare", anchor_application, anchor_variables, "/page/1") as anchor,
    ):
        people.move_to(server)
        _print_head(server, _own(server, anchor), time.monotonic() - started)
        begin, used = Moment.now(), read_cpu(_own(server, anchor))
        warm_up(server, anchor, people)
        tables = []
        deadline = started + options.seconds
        for place, number in enumerate(options.learners):
            # More learners need more time, but one alone enough to be told from noise.
            share = number**0.5 / sum(other**0.5 for other in options.learners[place:])
            end = time.monotonic() + share * max(0.0, deadline - time.monotonic())
            tables.append(measure_sessions(server, anchor, people, number, options.rounds, end))
        once = measure_once(server, people)
        own = used_between(used, read_cpu(_own(server, anchor)))
        foreign = foreign_share(begin, Moment.now(), own)
        last, load = sample_foreign(_own(server, anchor))
    counting = {**variables, "DJANGO_SETTINGS_MODULE": "benchmarks.counting"}
    with running("counting", "prepapp.wsgi", counting, "/healthz/ready") as server:
        people.move_to(server)
        counted = count_statements(server, people)
    for table in tables:
        _print_table(table, counted)
        _print_goals(table, counted, once)
    _print_first_view(once)
    print(
        f"\nOthers used {foreign:.0%} of the machine during the measurement and {last:.0%} just after it; "
        f"load then {load:.2f}."
    )


def create_people(count: int, seed: int) -> People:
    # Models can be imported only once the settings stand.
    from benchmarks.bare import create_notes  # noqa: PLC0415
    from benchmarks.seed import create_everybody  # noqa: PLC0415

    create_notes()
    (*learners, veteran), words = create_everybody(count, seed, track=TRACK, level=LEVEL)
    return People(learners, veteran, words)


def warm_up(server: Server, anchor: Server, people: People) -> None:
    """Both workers of both servers compile their templates and fill their pools; unmeasured. A connection
    stays with one worker, so none is kept here."""
    learners = people.learners[:WARM_UP_LEARNERS]
    for one in learners:
        one.browser.keeps_connection = False
    with Run(server, len(learners)) as run:
        sit(run, learners, people.words)
    for one in learners:
        one.browser.keeps_connection = True
    measure_anchor(anchor, people, len(learners))


def measure_sessions(
    server: Server, anchor: Server, people: People, number: int, rounds: int, end: float
) -> Table:
    """At least one round, further ones until `end`."""
    before = measure_anchor(anchor, people, number)
    done = 0
    with Run(server, number) as run:
        while done < rounds and (done == 0 or time.monotonic() < end):
            sit(run, people.learners[:number], people.words)
            done += 1
    return Table(number, done, run, before, measure_anchor(anchor, people, number))


def measure_anchor(anchor: Server, people: People, number: int) -> Mapping[str, Step]:
    chance = random.Random(number)
    readers = [Learner(Browser(anchor.port), "", "", chance, save_url=str(row + 1)) for row in range(number)]
    text = {"text": answer(people.words, chance, ANSWER_LENGTH)}
    with Run(anchor, number) as run:
        for _ in range(max(4, ANCHOR_REQUESTS // number)):
            run.step(PAGE, PAGE, lambda one: one.browser.get(f"/page/{one.save_url}"), readers)
            run.step(SAVE, SAVE, lambda one: one.browser.post(f"/save/{one.save_url}", text), readers)
    for one in readers:
        one.browser.close()
    return run.steps


def measure_once(server: Server, people: People) -> Once:
    """The first view of the room with all its files; history and dashboard of 2,000 attempts beside those of
    20, in turn."""
    visitor = people.learners[0]
    with Run(server, 1) as run:
        first, later = visit_room(run, visitor, people.words)
        files = fetch_all(visitor.browser, first)
        known = {reply.path for reply in files}
        more = [reply for reply in fetch_all(visitor.browser, later) if reply.path not in known]
        for name, view in OVERVIEWS.items():
            path = path_of(view)
            for _ in range(OVERVIEW_REQUESTS if path else 0):
                for count, one in (("many", people.veteran), ("few", visitor)):
                    run.step(f"{name}, {count}", PAGE, lambda one, path=path: one.browser.get(path), [one])
    grown = {name: (run.steps.get(f"{name}, few"), run.steps.get(f"{name}, many")) for name in OVERVIEWS}
    return Once(files, [later, *more[1:]], grown)


def count_statements(server: Server, people: People) -> Mapping[str, Step]:
    """One untimed session on a server that counts, and the requests whose growth is of interest."""
    one = people.learners[0]
    with Run(server, 1) as run:
        sit(run, [one], people.words)
        run.step("start, ten questions", SAVE, start_ten_questions, [one], 302)
        for name, view in OVERVIEWS.items():
            if path := path_of(view):
                step = f"{name}, 2,000 attempts"
                run.step(step, PAGE, lambda one, path=path: one.browser.get(path), [people.veteran])
    return run.steps


def _own(*servers: Server) -> list[int]:
    return [os.getpid(), *(pid for server in servers for pid in server.processes)]


def _print_head(server: Server, own: Sequence[int], prepared: float) -> None:
    foreign, load = sample_foreign(own)
    clock = "nanoseconds" if HAS_NANOSECONDS else "ticks"
    database = "counted" if server.sees_database() else "NOT COUNTED: it is on another machine"
    print(
        f"{os.cpu_count()} processors, Python {platform.python_version()}, Django {version('django')}, gunicorn "
        f"{version('gunicorn')} gthread {WORKERS} x {THREADS}, PostgreSQL {server.database_version}\n"
        f"CPU in {clock}; the database's connections are {database}.\n"
        f"Prepared in {prepared:.0f} s. Before the run others used {foreign:.0%} of the machine; load {load:.2f}.",
        flush=True,
    )


def _print_table(table: Table, counted: Mapping[str, Step]) -> None:
    anchor = table.anchor
    people = "1 learner" if table.learners == 1 else f"{table.learners} learners at once"
    print(f"\n===== {people}, {table.rounds} session{'s' if table.rounds > 1 else ''} each =====")
    for when, steps in (("before", table.before), ("after", table.after)):
        page, save = steps[PAGE], steps[SAVE]
        print(
            f"bare {when:<6} page {page.cpu_ms:.2f} ms CPU, save {save.cpu_ms:.2f} ms CPU (N = {page.count} each; "
            f"p50 {_p(page, 50):.1f} and {_p(save, 50):.1f} ms, p95 {_p(page, 95):.1f} and {_p(save, 95):.1f} ms)"
        )
    if anchor.drift > 0.15:
        print(f"The anchor moved by {anchor.drift:.0%} during this table: read its ratios with care.")
    print(
        f"{'step':<31}{'as':<5}{'N':>6}{'p50 ms':>9}{'p95 ms':>9}{'CPU ms':>8}{'+-':>6}{'x bare':>8}"
        f"{'stmts':>8}{'body B':>9}{'wire B':>9}"
    )
    for step in table.run.steps.values():
        error = step.cpu_error_ms
        print(
            f"{step.name:<31}{step.kind:<5}{step.count:>6}{_p(step, 50):>9.1f}{_p(step, 95):>9.1f}"
            f"{step.cpu_ms:>8.2f}{'' if error is None else f'{error:.2f}':>6}{anchor.ratio(step):>8.2f}"
            f"{_range(counted.get(step.name)):>8}{_median(step.body_bytes):>9,}{_median(step.wire_bytes):>9,}"
        )
    whole = sum(step.cpu_ns for step in table.run.steps.values()) / 1e6 / table.learners / table.rounds
    requests = sum(step.count for step in table.run.steps.values()) / table.learners / table.rounds
    print(f"A whole session: {requests:.0f} requests, {whole:.0f} ms CPU.")
    for name in table.run.missing:
        print(f"{name}: the product has no such view yet")


def _print_goals(table: Table, counted: Mapping[str, Step], once: Once) -> None:
    aside = "" if table.learners == GOAL_LEARNERS else f"; they are meant for {GOAL_LEARNERS} learners"
    print(f"Goals with {table.learners} at once{aside}:")
    for goal in goals(table.run.steps, table.anchor, counted, once):
        print(goal.line())
    less = less_than_peers(table.run.steps, table.anchor)
    words = ", ".join(f"{peer} {times:.1f}x" for peer, times in less.items()) if less else "not measured"
    print(f"  B6  less CPU a session than peers (goal 7x): {words}")


def _print_first_view(once: Once) -> None:
    print("\nThe first view of the room, bytes as sent:")
    for reply in sorted(once.first_view, key=lambda reply: -reply.wire_bytes):
        body, old = reply.body_bytes, reply.gzip_bytes or reply.body_bytes
        print(f"{reply.wire_bytes:>9,}  of which body {body:>7,}, with gzip alone {old:>7,}  {reply.path}")


def _p(step: Step, percent: int) -> float:
    """A percentile of the latency in milliseconds."""
    ordered = sorted(step.seconds)
    if percent == 50:
        return statistics.median(ordered) * 1000
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000


def _median(values: Sequence[int]) -> int:
    return round(statistics.median(values))


def _range(step: Step | None) -> str:
    if step is None or not step.queries:
        return "-"
    low, high = min(step.queries), max(step.queries)
    return str(low) if low == high else f"{low}-{high}"


if __name__ == "__main__":
    sys.exit(main())

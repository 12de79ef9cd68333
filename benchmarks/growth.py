"""How much the database grows by an attempt with ten answers of 600 characters, each saved in six steps.

    python -m benchmarks.growth --attempts 500

Attempts are started, typed and submitted by the product's own actions, fifty side by side as in a class
room; then graded. Sizes are those of every table of interviews with its indexes and what is stored out of
line. A plain VACUUM is what the server does by itself in time. Commits do not wait for the disk here,
which changes how long this takes and not what is stored.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from benchmarks.stage import DATABASE, database_url, end_cleanly, own_site
from benchmarks.words import ANSWER_LENGTH, SAVES_PER_ANSWER, answer

TRACK, LEVEL = "gpu", "intermediate"
QUESTIONS = 10
ROOM = 50
GOAL = 2.0
TIME_LIMIT = 900
REALISTIC, REPEATED = "words of the question bank", "one character repeated"

# Bytes by table: the rows, what is stored out of line, the indexes.
Sizes = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Growth:
    """What attempts with `text_bytes` of text in all added, at each point of their life."""

    texts: str
    attempts: int
    text_bytes: int
    stages: list[tuple[str, Sizes]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--attempts", type=int, default=500, help="of each kind of text (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="of the texts (default 1)")
    options = parser.parse_args()
    if not ROOM <= options.attempts <= 10_000:
        parser.error(f"attempts are from {ROOM} to 10,000")
    end_cleanly(TIME_LIMIT + 2 * options.attempts)
    started = time.monotonic()
    # Repeated characters compress like nothing that is typed: beside real words they show whether
    # compression flatters the figure. As many attempts, since part of the growth is a fixed cost.
    for texts in (REALISTIC, REPEATED):
        with own_site(static=False):
            print_growth(measure(texts, options.attempts, options.seed))
    print(f"\n{time.monotonic() - started:.0f} s in all")
    return 0


def measure(texts: str, attempts: int, seed: int) -> Growth:
    # Models can be imported only once the settings stand.
    from benchmarks import classroom  # noqa: PLC0415
    from benchmarks.seed import bank_words  # noqa: PLC0415

    words = bank_words()
    chance = random.Random(seed)
    write: Callable[[], str] = {
        REALISTIC: lambda: answer(words, chance),
        REPEATED: lambda: "a" * ANSWER_LENGTH,
    }[texts]
    tables = classroom.interview_tables()
    stages: list[tuple[str, Sizes]] = []
    with psycopg.connect(database_url(DATABASE), autocommit=True) as watcher:
        before = _sizes(watcher, tables)

        def note(stage: str) -> None:
            stages.append((stage, _difference(before, _sizes(watcher, tables))))
            for table in tables:
                watcher.execute(sql.SQL("VACUUM {}").format(sql.Identifier(table)))
            stages.append((f"{stage}, after VACUUM", _difference(before, _sizes(watcher, tables))))

        text_bytes = classroom.type_attempts(
            attempts, room=ROOM, questions=QUESTIONS, text=write, track=TRACK, level=LEVEL, seed=seed
        )
        note("typed and submitted")
        classroom.grade_attempts(seed)
        note("graded as well")
    return Growth(texts, attempts, text_bytes, stages)


def print_growth(growth: Growth) -> None:
    print(
        f"\n===== {growth.attempts} attempts of {QUESTIONS} answers, {ANSWER_LENGTH} characters in "
        f"{SAVES_PER_ANSWER} saves each: {growth.texts} =====\n"
        f"text: {growth.text_bytes / growth.attempts:,.0f} bytes an attempt\n"
        f"{'bytes an attempt':<36}{'rows':>9}{'maps':>9}{'indexes':>9}{'all':>9}{'x text':>9}"
    )
    for stage, sizes in growth.stages:
        columns = [sum(parts) / growth.attempts for parts in zip(*sizes.values(), strict=True)]
        total = sum(columns)
        cells = "".join(f"{column:>9,.0f}" for column in [*columns, total])
        print(f"{stage:<36}{cells}{total * growth.attempts / growth.text_bytes:>9.2f}")
    print("of these, at the end, by table:")
    stage, sizes = growth.stages[-1]
    for table, parts in sorted(sizes.items(), key=lambda item: -sum(item[1])):
        if sum(parts):
            cells = "".join(f"{part / growth.attempts:>9,.0f}" for part in [*parts, sum(parts)])
            print(f"  {table:<34}{cells}{sum(parts) / growth.text_bytes:>9.2f}")
    typed = _total(growth.stages[0][1]) / growth.text_bytes
    if growth.texts != REALISTIC:
        return
    verdict = "met" if typed <= GOAL else "MISSED"
    print(f"B9  typed and submitted: at most {GOAL:.0f}x the text   {typed:.2f}x   {verdict}", flush=True)


def _sizes(watcher: psycopg.Connection, tables: Sequence[str]) -> Sizes:
    found = {}
    for table in tables:
        row = watcher.execute(
            "SELECT pg_relation_size(oid), pg_table_size(oid) - pg_relation_size(oid), pg_indexes_size(oid) "
            "FROM pg_class WHERE oid = %s::regclass",
            [table],
        ).fetchone()
        assert row
        found[table] = (row[0], row[1], row[2])
    return found


def _difference(before: Sizes, after: Sizes) -> Sizes:
    return {
        table: (rows - before[table][0], aside - before[table][1], indexes - before[table][2])
        for table, (rows, aside, indexes) in after.items()
    }


def _total(sizes: Sizes) -> int:
    return sum(sum(parts) for parts in sizes.values())


if __name__ == "__main__":
    sys.exit(main())

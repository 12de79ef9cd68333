"""Runs the same moment many times: what two requests do at once, in threads with connections of their own.

PREPAPP_RACE_ROUNDS says how often; the usual run is short, figures are taken with 300 and shown by
`-o log_cli=true --log-cli-level=INFO`.
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier, Event, Thread
from typing import Any

from django.db import connection

ROUNDS = int(os.environ.get("PREPAPP_RACE_ROUNDS", "30"))
HELD_BACK = 1.0  # seconds the first thread of two waits for one that may be waiting for its lock
PATIENCE = 60  # seconds until a round that hangs is an error, not a wait for ever

logger = logging.getLogger(__name__)

Act = Callable[[int], Any]


def race(*acts: Act, rounds: int = ROUNDS) -> list[Sequence[Any]]:
    """The outcomes of each round, in the order of `acts`: what each returned, or the exception it ended
    in. All acts of a round, called with its number, start together; the next round waits for them."""
    barrier = Barrier(len(acts), timeout=PATIENCE)
    outcomes: list[list[Any]] = [[None] * len(acts) for _ in range(rounds)]

    def run(place: int, act: Act) -> None:
        try:
            for number in range(rounds):
                barrier.wait()
                try:
                    outcomes[number][place] = act(number)
                except Exception as error:
                    outcomes[number][place] = error
        finally:
            connection.close()

    threads = [Thread(target=run, args=(place, act)) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def tell(**figures: int) -> None:
    """Says what a race came to, with its number of rounds."""
    words = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in figures.items())
    logger.info("of %d rounds: %s", ROUNDS, words)


@contextmanager
def stopping_before(statement: str, reached: Event, other_done: Event) -> Iterator[None]:
    """Stops this thread's connection once, before the first statement that begins so."""

    def stop(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(statement) and not reached.is_set():
            reached.set()
            other_done.wait(HELD_BACK)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(stop):
        yield


def interleave(statement: str, first: Callable[[], Any], second: Callable[[], Any]) -> list[Any]:
    """What `first` and `second` return or raise, when `second` runs right before a statement of `first`."""
    outcomes: list[Any] = [None, None]
    reached, other_done = Event(), Event()

    def run(number: int, act: Callable[[], Any]) -> None:
        try:
            outcomes[number] = act()
        except Exception as error:
            outcomes[number] = error
        finally:
            connection.close()

    def run_first() -> None:
        with stopping_before(statement, reached, other_done):
            run(0, first)

    def run_second() -> None:
        assert reached.wait(10)
        run(1, second)
        other_done.set()

    threads = [Thread(target=run_first), Thread(target=run_second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    return outcomes

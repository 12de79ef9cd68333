"""Runs the same moment many times: what two requests do at once, in threads with connections of their own.

PREPAPP_RACE_ROUNDS says how often; the usual run is short, figures are taken with 300 and shown by
`-o log_cli=true --log-cli-level=INFO`.
"""

import logging
import os
from collections.abc import Callable, Sequence
from threading import Barrier, Thread
from typing import Any

from django.db import connection

ROUNDS = int(os.environ.get("PREPAPP_RACE_ROUNDS", "30"))
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

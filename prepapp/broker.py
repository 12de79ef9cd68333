"""The broker of the embedded mode: kombu's filesystem transport, made safe for several processes.

Only the handling of the files belongs here; queues, routes and intervals are settings. The stock
transport shows a message under its final name before it is written, so that a reader may take half
of it, and an undecodable file ends the worker. Here a file appears whole or not at all, and a file
that cannot be decoded is set aside.
"""

import fcntl
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)

Table = list[filesystem.exchange_queue_t]


def write_whole(path: Path, text: str) -> None:
    """Writes the file so that a reader sees all of it or none.

    The hidden name lies in the same folder because a rename is atomic only within one file system.
    No fsync: the database holds what is due, and a message lost to a power cut is found by the sweep.
    """
    hidden = path.with_name(f".{uuid.uuid4().hex}")
    try:
        hidden.write_text(text, encoding="utf-8")
        hidden.rename(path)
    except OSError as error:
        hidden.unlink(missing_ok=True)
        raise ChannelError(f"Cannot write {path}") from error


class Channel(filesystem.Channel):
    """Messages are files named `<wall clock, ns>_<uuid>.<queue>.msg`; their names sort by age."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (self._inbox, self._outbox, self._claimed, self._broken, self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def _inbox(self) -> Path:
        return Path(self.data_folder_in)

    @property
    def _outbox(self) -> Path:
        return Path(self.data_folder_out)

    @property
    def _claimed(self) -> Path:
        return Path(self.processed_folder)

    @property
    def _broken(self) -> Path:
        return self._claimed.with_name("broken")

    # The two classes above name the argument differently; the transport calls it by position.
    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        # 20 digits: the names keep sorting as text. Uptime, as kombu uses it, restarts at every boot.
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        write_whole(self._outbox / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for name in sorted(os.listdir(self._inbox)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            claimed = self._claimed / name
            try:
                (self._inbox / name).rename(claimed)
            except FileNotFoundError:
                # Another reader was faster; the rename decides who has it.
                continue
            try:
                payload = loads(claimed.read_bytes())
                payload["properties"]["delivery_tag"]
            except Exception as error:  # whatever a file holds, it must not end the worker
                claimed.rename(self._broken / name)
                logger.error("message %s set aside in %s: %r", name, self._broken, error)
                continue
            if not self.store_processed:
                claimed.unlink()
            return payload
        raise Empty

    # Exchange tables: beat, web and worker declare the same queues in the same second of a first start.

    @contextmanager
    def _tables_locked(self) -> Iterator[None]:
        with (self.control_folder / ".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _change_table(self, exchange: str, change: Callable[[Table], Table]) -> None:
        with self._tables_locked():
            before = self.get_table(exchange)
            after = change(before)
            if after != before:
                write_whole(self._exchange_file(exchange), dumps(after))  # type: ignore[attr-defined]

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        entry = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda table: table if entry in table else [entry, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any
    ) -> None:
        self._purge(queue)
        entry = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda table: [other for other in table if other != entry])


class Transport(filesystem.Transport):
    """The filesystem transport on the safe channel."""

    Channel = Channel
    # Not the stock transport's: bindings known to it are not in our control folder.
    global_state = virtual.BrokerState()

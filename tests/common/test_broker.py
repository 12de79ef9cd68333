"""The file broker: nothing lost, nothing doubled, in order, and one bad file stops nobody.

The stock transport of kombu goes through the same steps as the control.
"""

import logging
import multiprocessing
import uuid
from multiprocessing.queues import Queue as ProcessQueue
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection, Exchange, Producer, Queue

pytestmark = pytest.mark.embedded

OURS = "prepapp.broker:Transport"
STOCK = "kombu.transport.filesystem:Transport"
DONE = "done"
# Far above what is needed, in seconds; whoever waits this long has failed.
LIMIT = 180


def connect(folder: Path, transport: str = OURS) -> Connection:
    return Connection(
        transport=transport,
        transport_options={
            "data_folder_in": str(folder / "messages"),
            "data_folder_out": str(folder / "messages"),
            "processed_folder": str(folder / "processed"),
            "control_folder": str(folder / "control"),
            "store_processed": transport == STOCK,
            "polling_interval": 0.01,
        },
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # The stock transport makes none of them.
    for name in ("messages", "processed", "control"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def name() -> str:
    """A queue of this test alone: kombu remembers bindings per process, not per folder."""
    return f"queue-{uuid.uuid4().hex}"


def send(folder: Path, name: str, sender: int, count: int) -> None:
    with connect(folder) as connection:
        queue = connection.SimpleQueue(name)
        for number in range(count):
            queue.put({"sender": sender, "number": number, "filler": "x" * 3000})


def receive(folder: Path, name: str, seen: "ProcessQueue[Any]") -> None:
    """Takes messages until a final one tells it to stop."""
    with connect(folder) as connection:
        queue = connection.SimpleQueue(name)
        while True:
            message = queue.get(timeout=LIMIT)
            message.ack()
            if message.payload == DONE:
                break
            seen.put((message.payload["sender"], message.payload["number"], len(message.payload["filler"])))
    seen.put(DONE)


def test_several_senders_and_readers_lose_and_double_nothing(folder: Path, name: str) -> None:
    senders, readers, count = 4, 3, 400
    context = multiprocessing.get_context("spawn")
    seen: ProcessQueue[Any] = context.Queue()
    reading = [context.Process(target=receive, args=(folder, name, seen)) for _ in range(readers)]
    sending = [context.Process(target=send, args=(folder, name, n, count)) for n in range(senders)]
    for process in (*reading, *sending):
        process.start()
    for process in sending:
        process.join(LIMIT)
    with connect(folder) as connection:
        queue = connection.SimpleQueue(name)
        for _ in range(readers):
            queue.put(DONE)

    received = []
    running = readers
    while running:
        item = seen.get(timeout=LIMIT)
        if item == DONE:
            running -= 1
        else:
            received.append(item)
    for process in reading:
        process.join(LIMIT)

    assert [process.exitcode for process in (*reading, *sending)] == [0] * (readers + senders)
    assert sorted(received) == [(n, number, 3000) for n in range(senders) for number in range(count)]
    assert list((folder / "messages").iterdir()) == []


def drain(connection: Connection, name: str) -> list[Any]:
    queue = connection.SimpleQueue(name)
    payloads = []
    while True:
        try:
            message = queue.get(block=False)
        except Empty:
            return payloads
        message.ack()
        payloads.append(message.payload)


@pytest.mark.parametrize(("transport", "in_order"), [(OURS, True), (STOCK, False)])
def test_messages_of_one_sender_come_in_the_order_sent(
    folder: Path, name: str, transport: str, in_order: bool
) -> None:
    # Several messages share one of the control's milliseconds; a random id then decides their order.
    with connect(folder, transport) as connection:
        queue = connection.SimpleQueue(name)
        for number in range(300):
            queue.put(number)
        received = drain(connection, name)
    assert sorted(received) == list(range(300))
    assert (received == list(range(300))) is in_order


class Peek:
    """Reads the queue while the message that carries it is being written."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.name = name
        self.seen: list[Any] = []

    def __json__(self) -> str:
        try:
            self.seen.extend(drain(self.connection, self.name))
        except ValueError as error:
            self.seen.append(type(error).__name__)
        return "peeked"


@pytest.mark.parametrize(
    ("transport", "seen_meanwhile", "received"),
    # The control takes the empty file away from under the writer: the message is lost.
    [(OURS, [], ["whole"]), (STOCK, ["JSONDecodeError"], [])],
)
def test_a_message_being_written_is_invisible(
    folder: Path, name: str, transport: str, seen_meanwhile: list[str], received: list[str]
) -> None:
    with connect(folder, transport) as writer, connect(folder, transport) as reader:
        reader.SimpleQueue(name)
        peek = Peek(reader, name)
        queue = Queue(name, Exchange(name, type="direct"), routing_key=name)
        producer = Producer(writer.channel())
        producer.publish(
            "whole", exchange=queue.exchange, routing_key=name, declare=[queue], headers={"peek": peek}
        )
        assert peek.seen == seen_meanwhile
        assert drain(reader, name) == received


@pytest.mark.parametrize(
    "content",
    [b"", b'{"body": "half', b"\xff\xfe", b"[]", b"{}", b'{"properties": {}}', b"null", b"[" * 100_000],
    ids=["empty", "half", "not-text", "a-list", "no-properties", "no-tag", "null", "too-deep"],
)
def test_a_broken_file_is_set_aside_and_the_next_message_comes(
    folder: Path, name: str, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    broken = f"{0:020d}_broken.{name}.msg"
    (folder / "messages" / broken).write_bytes(content)
    with connect(folder) as connection, caplog.at_level(logging.ERROR, "prepapp.broker"):
        connection.SimpleQueue(name).put("next")
        assert drain(connection, name) == ["next"]
    assert (folder / "broken" / broken).read_bytes() == content
    assert [record.name for record in caplog.records] == ["prepapp.broker"]
    assert broken in caplog.text


def test_a_broken_file_ends_the_reader_of_the_stock_transport(folder: Path, name: str) -> None:
    (folder / "messages" / f"0_broken.{name}.msg").write_bytes(b"")
    with connect(folder, STOCK) as connection, pytest.raises(ValueError, match="Expecting value"):
        drain(connection, name)


def test_the_folders_are_made(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "new" / "place"
    with connect(folder) as connection:
        connection.SimpleQueue(name).put("first")
        assert drain(connection, name) == ["first"]
    assert sorted(path.name for path in folder.iterdir()) == ["broken", "control", "messages", "processed"]


def bind(folder: Path, exchange: str, numbers: range) -> None:
    with connect(folder) as connection:
        for number in numbers:
            name = f"{exchange}.{number}"
            Queue(name, Exchange(exchange, type="direct"), routing_key=name, channel=connection).declare()


def test_processes_that_bind_at_once_keep_all_bindings(folder: Path, name: str) -> None:
    context = multiprocessing.get_context("spawn")
    ranges = [range(40), range(40, 80), range(80, 120)]
    binding = [context.Process(target=bind, args=(folder, name, numbers)) for numbers in ranges]
    for process in binding:
        process.start()
    for process in binding:
        process.join(LIMIT)
    assert [process.exitcode for process in binding] == [0, 0, 0]
    with connect(folder) as connection:
        table = connection.channel().get_table(name)
    assert sorted(entry.queue for entry in table) == sorted(f"{name}.{number}" for number in range(120))

"""A mail server for tests: it takes mail into a list, or answers, hangs and breaks off as it is told to.

As a program (`python -m tests.smtp_sink PORT_FILE MAIL_FILE PAUSE`) it serves worker processes: it writes its
port to the one file and a line of JSON for every mail it took to the other, and lets PAUSE seconds go by between
taking a mail and saying so, in which its sender may die.
"""

import json
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from pathlib import Path

# What a server can do instead of taking a mail, by the step at which it does so.
HANG, CLOSE = "hang", "close"


@dataclass
class Mail:
    recipient: str
    raw: bytes

    @property
    def message(self) -> Message:
        return message_from_bytes(self.raw)


@dataclass
class Sink:
    """`replies` holds for (step, recipient) what is answered instead of yes, one after the other: a reply
    such as '451 later', HANG or CLOSE; steps are 'connect' (recipient ''), 'mail', 'rcpt', 'data' and 'end',
    the answer to the text. A mail counts as taken only when its 250 could be sent, or was withheld after the
    text by HANG or CLOSE with `takes_it`."""

    port: int = 0
    mails: list[Mail] = field(default_factory=list)
    replies: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    takes_it: bool = False
    released: threading.Event = field(default_factory=threading.Event)
    sessions: int = 0

    def answer(self, step: str, recipient: str = "") -> str | None:
        planned = self.replies.get((step, recipient)) or self.replies.get((step, "*"))
        return planned.pop(0) if planned else None

    def to(self, recipient: str) -> list[Mail]:
        return [mail for mail in self.mails if mail.recipient == recipient]

    @property
    def recipients(self) -> list[str]:
        return sorted(mail.recipient for mail in self.mails)


class _Gone(Exception):
    pass


class _Handler(socketserver.StreamRequestHandler):
    sink: Sink

    def say(self, step: str, usual: str, recipient: str = "") -> bool:
        """Answers; True if it was with yes."""
        planned = self.sink.answer(step, recipient)
        if planned == CLOSE:
            raise _Gone
        if planned == HANG:
            self.sink.released.wait(60)
            raise _Gone
        self.wfile.write(f"{planned or usual}\r\n".encode())
        return planned is None

    def handle(self) -> None:
        self.sink.sessions += 1
        recipient = ""
        try:
            self.say("connect", "220 sink")
            while line := self.rfile.readline():
                verb, _, rest = line.decode().strip().partition(" ")
                match verb.upper():
                    case "RCPT":
                        recipient = rest.partition("<")[2].partition(">")[0]
                        self.say("rcpt", "250 ok", recipient)
                    case "DATA":
                        self.take(recipient)
                    case "MAIL":
                        self.say("mail", "250 ok")
                    case "QUIT":
                        self.say("quit", "221 bye")
                        return
                    case _:
                        self.wfile.write(b"250 ok\r\n")
        except (_Gone, OSError):
            return

    def take(self, recipient: str) -> None:
        if not self.say("data", "354 go on", recipient):
            return
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                raise _Gone
            lines.append(line.removeprefix(b"."))
        mail = Mail(recipient, b"".join(lines))
        # As a real server does: stored before it is said.
        if self.sink.takes_it or not (
            self.sink.replies.get(("end", recipient)) or self.sink.replies.get(("end", "*"))
        ):
            self.sink.mails.append(mail)
            self.taken(mail)
        self.say("end", "250 taken", recipient)

    def taken(self, mail: Mail) -> None:
        pass


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 100


@contextmanager
def smtp_sink(handler: type[_Handler] = _Handler, port: int = 0) -> Iterator[Sink]:
    sink = Sink()
    server = _Server(("127.0.0.1", port), type("Handler", (handler,), {"sink": sink}))
    sink.port = int(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield sink
    finally:
        sink.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def main(port_file: str, mail_file: str, pause: str) -> None:
    with Path(mail_file).open("a", buffering=1) as out:
        lock = threading.Lock()

        class Writing(_Handler):
            def taken(self, mail: Mail) -> None:
                line = json.dumps({"to": mail.recipient, "id": mail.message["Message-ID"]})
                with lock:
                    out.write(line + "\n")
                self.sink.released.wait(float(pause))

        with smtp_sink(Writing) as sink:
            Path(port_file).write_text(str(sink.port))
            threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])

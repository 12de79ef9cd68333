"""What a measurement stands on: a database of its own, static files, servers. All of it is gone afterwards.

Servers are ended by the ids under which they were started, and end by themselves should this process be
killed. The database is always the one named here; a second run at the same time is refused.
"""

import io
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import django
import psycopg
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from benchmarks.client import HOST, Browser, Unexpected
from benchmarks.machine import Reading, read_cpu, tree_of

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "prepapp_bench"
SERVER_URL = os.environ.get(
    "BENCH_DATABASE_URL", os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/prepapp")
)
WORKERS, THREADS = 2, 4
_LOCK_KEY = 0x70726570_62656E63
_NOBODY = f"{HOST}:1"


def database_url(name: str) -> str:
    return urlsplit(SERVER_URL)._replace(path=f"/{name}").geturl()


def environment(data: Path) -> dict[str, str]:
    """Production settings, since those are what is served. No proxy stands in front: the driver sends the
    header of one. Nothing listens where Redis and the mail server should be: no request may need them,
    and one that does shows as slow or failed."""
    return {
        "PREPAPP_MODE": "production",
        "PREPAPP_DATA_DIR": str(data),
        "STATIC_ROOT": str(data / "static"),
        "SECRET_KEY": secrets.token_urlsafe(64),
        "ALLOWED_HOSTS": HOST,
        "DATABASE_URL": database_url(DATABASE),
        "REDIS_URL": f"redis://{_NOBODY}/0",
        "EMAIL_URL": f"smtp://{_NOBODY}",
        "SITE_URL": f"https://{HOST}",
        "STARTS_PER_HOUR": "1000000",
        # The driver sits a session in seconds. The limit is counted all the same, as it costs.
        "RATE_LIMIT_BURST": "1000000",
        "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "prepapp.settings",
    }


@contextmanager
def own_database() -> Iterator[None]:
    """The empty database, dropped at the end. SystemExit when no server answers or another run holds it."""
    try:
        keeper = psycopg.connect(database_url("postgres"), autocommit=True, connect_timeout=3)
    except psycopg.Error as error:
        raise SystemExit(f"No PostgreSQL where BENCH_DATABASE_URL says: {error}") from error
    with keeper:
        row = keeper.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK_KEY]).fetchone()
        if not row or not row[0]:
            raise SystemExit(f"Another benchmark uses the database {DATABASE}. Wait until it has ended.")
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(DATABASE))
        keeper.execute(drop)
        keeper.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        try:
            yield
        finally:
            keeper.execute(drop)


@contextmanager
def own_site(*, static: bool) -> Iterator[dict[str, str]]:
    """Sets this process up as a production process of the product, with tables, bank, formats and, if
    wanted, static files. Yields the environment for its servers."""
    with tempfile.TemporaryDirectory(prefix="prepapp-bench-") as folder, own_database():
        variables = environment(Path(folder))
        os.environ.update(variables)
        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("load_bank", stdout=io.StringIO())
        call_command("load_blueprints", stdout=io.StringIO())
        if static:
            call_command(
                "collectstatic", interactive=False, verbosity=0, ignore_patterns=["django_htmx/ext/*"]
            )
        try:
            yield variables
        finally:
            for connection in connections.all(initialized_only=True):
                connection.close()
                if hasattr(connection, "close_pool"):
                    connection.close_pool()


def end_cleanly(limit: int) -> None:
    """Lets a stop signal run the clean-up, and sends one after `limit` seconds, whatever holds the run up."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, stop)
    signal.alarm(limit)


class Server:
    """A gunicorn as production runs it, and the cost of it and of its database connections."""

    def __init__(self, name: str, application: str, variables: Mapping[str, str], ready_path: str) -> None:
        self.name = name
        self.port = free_port()
        self._label = f"prepapp-bench-{name}"
        self._log = Path(variables["PREPAPP_DATA_DIR"]) / f"{name}.log"
        command = [
            *(sys.executable, "-m", "benchmarks.child", str(os.getpid())),
            *(sys.executable, "-m", "gunicorn", application),
            *("--worker-class", "gthread", "--workers", str(WORKERS), "--threads", str(THREADS)),
            *("--bind", f"{HOST}:{self.port}", "--graceful-timeout", "10", "--worker-tmp-dir", "/dev/shm"),
            *("--log-level", "warning", "--no-control-socket"),
        ]
        # The name under which the database knows the connections of this server.
        labelled = {**os.environ, **variables, "PGAPPNAME": self._label}
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=labelled, stdout=log, stderr=subprocess.STDOUT
            )
        self._monitor = psycopg.connect(database_url("postgres"), autocommit=True)
        try:
            self._wait(ready_path)
        except BaseException:
            self.stop()
            raise

    @property
    def backends(self) -> list[int]:
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = %s"
        return [pid for (pid,) in self._monitor.execute(query, [self._label]).fetchall()]

    @property
    def processes(self) -> list[int]:
        return [*tree_of(self._process.pid), *self.backends]

    @property
    def database_version(self) -> str:
        return self._monitor.info.parameter_status("server_version") or "?"

    def read_cpu(self) -> Reading:
        return read_cpu(self.processes)

    def sees_database(self) -> bool:
        """Whether the cost of the database can be counted, which needs it on the same machine."""
        backends = self.backends
        return bool(backends) and len(read_cpu(backends)) == len(backends)

    def last_words(self) -> str:
        """The end of what the server wrote, for whoever must find out why it failed."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])

    def stop(self) -> None:
        self._monitor.close()
        if self._process.poll() is not None:
            return
        family = tree_of(self._process.pid)
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            for pid in reversed(family):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()

    def _wait(self, path: str) -> None:
        deadline = time.monotonic() + 60
        browser = Browser(self.port)
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise SystemExit(
                    f"The {self.name} server ended with {self._process.returncode} at its start."
                )
            with suppress(OSError):
                if browser.get(path).status == 200:
                    browser.close()
                    return
            time.sleep(0.1)
        raise SystemExit(f"The {self.name} server did not answer within a minute.\n{self.last_words()}")


@contextmanager
def running(name: str, application: str, variables: Mapping[str, str], ready_path: str) -> Iterator[Server]:
    server = Server(name, application, variables, ready_path)
    try:
        yield server
    except Unexpected:
        print(server.last_words(), file=sys.stderr)
        raise
    finally:
        server.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])

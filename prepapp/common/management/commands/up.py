"""`manage.py up`: everything the site needs on one machine, started by one command."""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from prepapp.common.processes import (
    AlreadyRunning,
    PortTaken,
    check_port_is_free,
    hold_lock,
    run_together,
)


def static_fingerprint() -> str:
    """Changes with the name, size or time of any static source file, or the way they are stored."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list(None):
            stat = Path(storage.path(name)).stat()
            digest.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_static_if_changed() -> None:
    # Beside the collected files, so that whoever removes them removes it too.
    stamp = Path(settings.STATIC_ROOT) / ".sources"
    fingerprint = static_fingerprint()
    if stamp.exists() and stamp.read_text() == fingerprint:
        return
    # The extensions of htmx are not used, and one names a module in a way that cannot be resolved.
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["django_htmx/ext/*"])
    stamp.write_text(fingerprint)


def programs(host: str, port: int) -> dict[str, list[str]]:
    """The command lines by name, as the compose file has them, in sizes for one machine."""
    # Root is usual in a container, and the worker takes JSON only, which cannot carry code.
    quiet = "ignore:You're running the worker with superuser"
    celery = [sys.executable, "-W", quiet, "-m", "celery", "--app", "prepapp", "--quiet"]
    return {
        "web": [
            *(sys.executable, "-m", "gunicorn", "prepapp.wsgi"),
            *("--worker-class", "gthread", "--workers", "1", "--threads", "8"),
            *("--bind", f"[{host}]:{port}" if ":" in host else f"{host}:{port}"),
            *("--graceful-timeout", "10", "--log-level", "warning", "--no-control-socket"),
        ],
        "worker": [
            *(*celery, "worker", "--queues", "interviews,reports,mail"),
            *("--pool", "threads", "--concurrency", "2"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ],
        "beat": [
            *(*celery, "beat", "--pidfile=", f"--schedule={settings.CELERY_BEAT_SCHEDULE_FILENAME}"),
        ],
    }


class Command(BaseCommand):
    help = "Prepares the database and the static files, then runs web, worker and beat until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            code = self.run_all()
        except KeyboardInterrupt:
            # Before the programs were started; afterwards the runner answers the signal.
            code = 0
        if code:
            sys.exit(code)

    def run_all(self) -> int:
        host, port = settings.HOST, settings.PORT
        # Answers, mails and tasks land in files: for this user's eyes only.
        os.umask(0o077)
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        try:
            lock = hold_lock(settings.DATA_DIR / "up.pid", wait_seconds=5)
        except AlreadyRunning as error:
            raise CommandError(
                f"The data folder {settings.DATA_DIR} is in use: {error}. Stop that run first, "
                "or set PREPAPP_DATA_DIR."
            ) from error
        try:
            check_port_is_free(host, port)
        except PortTaken as error:
            raise CommandError(
                f"Cannot listen on {error}. Stop the other program, or set PORT to a free port."
            ) from error
        self.prepare()
        # What is forked from here must not share this process's connections.
        for connection in connections.all(initialized_only=True):
            connection.close()
            if hasattr(connection, "close_pool"):
                connection.close_pool()
        reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
        shown = f"[{reachable}]" if ":" in reachable else reachable
        return run_together(
            programs(host, port),
            output=sys.stdout,
            lock=lock,
            cwd=settings.BASE_DIR,
            ready=(
                reachable,
                port,
                "/healthz/ready",
                f"prepapp is ready: http://{shown}:{port}/   (Ctrl-C stops it)",
            ),
        )

    def prepare(self) -> None:
        self.stdout.write("Preparing the database and the question bank ...")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("load_bank")
        call_command("load_packs")
        call_command("load_blueprints")
        collect_static_if_changed()

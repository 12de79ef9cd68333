"""Real processes, killed in the middle of a mail and of a whole run (F13)."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

from prepapp.common.clock import read_clock
from prepapp.reports.actions.mailing import LOST_AFTER, give_up_lost, send_report
from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport
from tests.reports.working import MONDAY, person
from tests.smtp_sink import HANG, Sink

ROOT = Path(__file__).resolve().parents[2]
# Far above what is needed; a test that waits this long has failed.
LIMIT = 120.0


def database_url() -> str:
    """The database of the test, for another process."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(values['NAME']))}"
    who = f"{quote(values['USER'])}:{quote(values['PASSWORD'])}@" if values["USER"] else ""
    return f"postgres://{who}{values['HOST']}:{values['PORT']}/{values['NAME']}"


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        # Another process writes it: there is nothing here to be woken by. LIMIT bounds the asking.
        time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("step", "taken"), [("rcpt", 0), ("end", 1)])
def test_a_worker_killed_within_the_window_leaves_one_unknown_mail(sink: Sink, step: str, taken: int) -> None:
    """Before the text went out, and after the server had taken it: from here they look the same."""
    report = WeeklyReport.objects.create(
        user=person(), year=2026, week=48, made_at=MONDAY, mail_state=MailState.PLANNED,
        mail_state_at=MONDAY, mail_due_at=MONDAY,
        figures={"week": "2026-W48", "practice": {}, "topics": [], "weak": [], "unmeasured": [], "plan": []},
    )  # fmt: skip
    sink.replies[step, report.user.email] = [HANG]
    sink.takes_it = True
    worker = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import django, sys; django.setup(); from prepapp.reports.tasks import send_report_mail; "
            "send_report_mail(sys.argv[1])",
            str(report.pk),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "prepapp.settings",
            "DATABASE_URL": database_url(),
            "EMAIL_URL": f"smtp://127.0.0.1:{sink.port}",
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: sink.replies[step, report.user.email] == [], worker)
        # Committed before the server was spoken to.
        assert WeeklyReport.objects.get().mail_state == MailState.SENDING
    finally:
        worker.kill()
        worker.communicate()
    now = read_clock()
    # The task is handed out again, as Redis does.
    assert [send_report(report_id=report.pk, now=now) for _ in range(3)] == [None] * 3
    assert give_up_lost(now=now + LOST_AFTER + timedelta(minutes=1)) == 1
    assert send_report(report_id=report.pk, now=now + timedelta(hours=1)) is None
    assert (WeeklyReport.objects.get().mail_state, len(sink.mails)) == (MailState.UNKNOWN, taken)


@pytest.mark.embedded
def test_a_run_whose_worker_is_killed_again_and_again_ends_right() -> None:
    """On SQLite and the broker of files, where a killed worker takes its tasks with it."""
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.kill_mail", "--embedded", "--people", "60", "--kills", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=4 * LIMIT,
    )
    assert run.returncode == 0, run.stdout + run.stderr[-3000:]
    lines = [re.sub(r", \d+ s$", "", line) for line in run.stdout.splitlines()]
    assert lines[:2] == ["people 60, kills 2", "reports: twice 0, missing 0"]
    assert lines[2].endswith(", twice 0")
    assert lines[-2:] == ["missing: neither taken nor listed as unknown 0", "right"]

"""Running a check beside an answer: what passes, what is stopped, what the child can reach."""

import os
import socket
import threading
from pathlib import Path
from textwrap import dedent

import pytest

from prepapp.bank.check_runner import OUTPUT_CHARACTERS, CheckRun, Outcome, run_check

CHECK = "from solution import double\nassert double(2) == 4, double(2)\n"


def run(check: str, answer: str = "", language: str = "python", timeout_s: int = 10) -> CheckRun:
    return run_check(dedent(answer), dedent(check), language=language, timeout_s=timeout_s)


def test_a_right_answer_passes_without_output() -> None:
    assert run(CHECK, "double = lambda x: x + x") == CheckRun(Outcome.PASSED, "")


def test_a_wrong_answer_fails_with_the_reason_last() -> None:
    result = run(CHECK, "double = lambda x: x * x * x")

    assert (result.outcome, result.passed, result.last_line) == (Outcome.FAILED, False, "AssertionError: 8")


@pytest.mark.parametrize(
    ("check", "outcome", "timeout_s"),
    [
        ("raise SystemExit(0)", Outcome.PASSED, 10),
        ("raise SystemExit(3)", Outcome.FAILED, 10),
        ("import os; os._exit(1)", Outcome.FAILED, 10),
        ("import os; os.abort()", Outcome.FAILED, 10),
        ("import time; time.sleep(30)", Outcome.TIMED_OUT, 1),
        ("while True: pass", Outcome.TIMED_OUT, 1),
    ],
)
def test_how_a_run_ends(check: str, outcome: Outcome, timeout_s: int) -> None:
    assert run(check, timeout_s=timeout_s).outcome is outcome


def test_a_check_that_stopped_leaves_no_process() -> None:
    number = run("import os, sys, time; print(os.getpid()); sys.stdout.flush(); time.sleep(30)", timeout_s=1)

    with pytest.raises(ProcessLookupError):
        os.kill(int(number.output), 0)


def test_the_folder_holds_the_answer_and_the_check_alone() -> None:
    result = run("import os; print(sorted(os.listdir()))", "x = 1")

    assert result == CheckRun(Outcome.PASSED, "['check.py', 'solution.py']\n")


def test_an_sql_answer_is_saved_as_sql() -> None:
    check = """
        import sqlite3
        from pathlib import Path
        assert sqlite3.connect(":memory:").execute(Path("solution.sql").read_text()).fetchall() == [(7,)]
    """

    assert run(check, "SELECT 3 + 4", language="sql").outcome is Outcome.PASSED
    assert run(check, "SELECT 3", language="sql").outcome is Outcome.FAILED


def test_an_unknown_language_is_a_fault_of_the_caller() -> None:
    with pytest.raises(KeyError):
        run("", language="cobol")


def test_no_environment_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREPAPP_TOKEN", "x")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))

    result = run("import os; print(sorted(os.environ))")

    assert result.output == "['HOME', 'LC_ALL', 'MALLOC_ARENA_MAX', 'PYTHONHASHSEED', 'TMPDIR', 'TZ']\n"


@pytest.mark.parametrize("module", ["prepapp", "jsonschema", "django", "tests"])
def test_only_the_standard_library_can_be_imported(module: str) -> None:
    assert run(f"import {module}").last_line == f"ModuleNotFoundError: No module named '{module}'"


def test_the_network_is_out_of_reach() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    try:
        port = server.getsockname()[1]
        result = run(f"import socket; socket.socket().connect(('127.0.0.1', {port}))")
    finally:
        server.close()

    assert result.last_line == "PermissionError: socket.connect is not available to a check"


@pytest.mark.parametrize(
    ("call", "event"),
    [
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import os; os.fork()", "os.fork"),
        ("import os; os.system('true')", "os.system"),
        ("import os; os.kill(os.getppid(), 9)", "os.kill"),
        ("import os; os.execv('/bin/true', ['true'])", "os.exec"),
    ],
)
def test_other_processes_are_out_of_reach(call: str, event: str) -> None:
    assert run(call).last_line == f"PermissionError: {event} is not available to a check"


def test_files_can_be_written_in_the_folder_only(tmp_path: Path) -> None:
    outside = tmp_path / "note"

    refused = run(f"open({str(outside)!r}, 'w')")

    assert run("import tempfile; open('note', 'w').write('x'); tempfile.TemporaryFile().write(b'x')").passed
    assert refused.last_line == "PermissionError: a check may write only inside its own folder"
    assert not outside.exists()


def test_memory_is_limited() -> None:
    assert run("bytearray(4 * 1024 ** 3)").last_line == "MemoryError"


def test_a_flood_of_output_ends_and_only_its_end_is_kept() -> None:
    result = run("while True: print('x' * 1000)")

    assert result.outcome is Outcome.FAILED
    assert len(result.output) == OUTPUT_CHARACTERS


@pytest.mark.parametrize(
    "check",
    [
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        """
        import threading, queue
        done = queue.Queue()
        threads = [threading.Thread(target=done.put, args=(i,)) for i in range(32)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert sorted(done.queue) == list(range(32))
        """,
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool: assert sum(pool.map(abs, range(9))) == 36",
    ],
)
def test_threads_and_async_code_work(check: str) -> None:
    assert run(check).output == ""


def test_sets_have_the_same_order_in_every_run() -> None:
    check = "print(hash('a'))"

    assert run(check).output == run(check).output


def test_checks_can_run_side_by_side() -> None:
    results: list[CheckRun] = []
    threads = [
        threading.Thread(target=lambda: results.append(run(CHECK, "double = lambda x: 2 * x")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [CheckRun(Outcome.PASSED, "")] * 4

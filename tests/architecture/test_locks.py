"""The locks name versions and hashes, and no place to fetch them from."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parents[2]
LOCKS = [ROOT / "requirements" / name for name in ("app.lock", "dev.lock")]
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)


def pins(lock: Path) -> dict[str, str]:
    return dict(PIN.findall(lock.read_text()))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_address(lock: Path) -> None:
    found = [
        line
        for line in lock.read_text().splitlines()
        if re.search(r"://|--(extra-)?index|--find-links", line)
    ]
    assert found == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_pin_has_a_hash(lock: Path) -> None:
    entries = re.split(r"^(?=\S+==)", lock.read_text(), flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins(lock)) > 30
    assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_both_locks_agree() -> None:
    app, dev = (pins(lock) for lock in LOCKS)
    assert {name: dev.get(name) for name in app} == app
    assert len(dev) > len(app)


def test_a_lock_of_another_form_stays_out_of_the_repository() -> None:
    # uv.lock would hold the addresses of the index it was made from.
    assert "uv.lock" in (ROOT / ".gitignore").read_text().splitlines()


def test_what_is_installed_is_recognised_by_python_and_lock(tmp_path: Path) -> None:
    """A whole install is not repeated; another lock or an interrupted one is."""
    for name in ("install.py", "app.lock", "dev.lock"):
        (tmp_path / "requirements").mkdir(exist_ok=True)
        (tmp_path / "requirements" / name).write_bytes((ROOT / "requirements" / name).read_bytes())
    app, dev = tmp_path / "requirements" / "app.lock", tmp_path / "requirements" / "dev.lock"
    app.write_text("")
    dev.write_text("no-such-package-as-this==1 --hash=sha256:" + "0" * 64)

    def install(kind: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "requirements/install.py", kind],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            # No index: nothing is asked for, and nothing outside of this folder decides the outcome.
            env={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"},
        )

    def stamps() -> list[str]:
        return sorted(path.name for path in (tmp_path / ".venv").glob(".installed-*"))

    def expected(kind: str, lock: Path) -> str:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f".installed-{kind}-{version}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"

    first = install("app")
    assert (first.returncode, "Installing" in first.stdout) == (0, True), first.stderr
    assert stamps() == [expected("app", app)]

    second = install("app")
    assert (second.returncode, second.stdout) == (0, "")

    failed = install("dev")
    assert failed.returncode == 1
    assert "Installing dev.lock failed" in failed.stderr
    assert stamps() == [expected("app", app)]

    app.write_text("# another lock\n")
    third = install("app")
    assert (third.returncode, "Installing" in third.stdout) == (0, True)
    assert stamps() == [expected("app", app)]

"""The settings: each variable is listed for the person who runs the site, and production is strict."""

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parents[2]
READ = re.compile(r"""(?:environ\.get|environ|_flag|_number|_list|_required)[\[(]\s*["']([A-Z_]+)""")
EXAMPLE = re.compile(r"^([A-Z_]+)=", re.MULTILINE)
COMPOSE_ONLY = {"POSTGRES_PASSWORD"}


def variables_read() -> set[str]:
    return set(READ.findall((ROOT / "prepapp" / "settings.py").read_text()))


def test_the_example_lists_every_variable_once_with_a_comment() -> None:
    text = (ROOT / ".env.example").read_text()
    listed = EXAMPLE.findall(text)
    assert len(listed) == len(set(listed))
    assert set(listed) == variables_read() | COMPOSE_ONLY
    commented = re.findall(r"^# .+\n([A-Z_]+)=", text, re.MULTILINE)
    assert commented == listed


def test_the_compose_file_sets_only_variables_that_are_read() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    block = text.partition("environment: &environment\n")[2].partition("\n\n")[0]
    given = set(re.findall(r"^\s+([A-Z_]+):", block, re.MULTILINE))
    assert {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "EMAIL_URL", "ALLOWED_HOSTS", "SITE_URL"} <= given
    assert given <= variables_read()


def test_the_compose_file_has_no_secret_and_no_default_for_one() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "EMAIL_URL"):
        uses = re.findall(r"\$\{" + name + r"(?![A-Z_])([^}]*)\}", text)
        assert uses
        assert [use for use in uses if not use.startswith(":?")] == []


def production(tmp_path: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PREPAPP_MODE": "production",
        "PREPAPP_DATA_DIR": str(tmp_path),
        "SECRET_KEY": secrets.token_urlsafe(64),
        "ALLOWED_HOSTS": "prepapp.example",
        "DATABASE_URL": "postgres://prepapp@db/prepapp",
        "REDIS_URL": "redis://redis",
        "EMAIL_URL": "smtp://mail",
        "SITE_URL": "https://prepapp.example",
    } | changes
    command = [sys.executable, "-c", "import prepapp.settings"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_production_starts_with_everything_given(tmp_path: Path) -> None:
    assert production(tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY must be set"),
        ({"SECRET_KEY": "change-me-" * 8}, "SECRET_KEY must be at least 50 random characters"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY must be at least 50 random characters"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS must be set"),
        ({"DATABASE_URL": ""}, "DATABASE_URL must be set"),
        ({"REDIS_URL": ""}, "REDIS_URL must be set"),
        ({"EMAIL_URL": ""}, "EMAIL_URL must be set"),
        ({"SITE_URL": ""}, "SITE_URL must be set"),
        ({"SITE_URL": "prepapp.example"}, "SITE_URL must be a scheme and a host"),
        ({"SITE_URL": "https://prepapp.example/app"}, "SITE_URL must be a scheme and a host"),
        ({"DEBUG": "1"}, "DEBUG must be off"),
        ({"DEBUG": "maybe"}, "DEBUG must be 0 or 1"),
        ({"RATE_LIMIT_BURST": "0"}, "must be at least 1"),
        ({"RATE_LIMIT_PER_MINUTE": "0"}, "must be at least 1"),
    ],
)
def test_production_refuses_to_start_without(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    run = production(tmp_path, **changes)
    assert run.returncode == 1
    assert message in run.stderr

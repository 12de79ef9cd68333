"""What every test of the project stands on; fixtures of one app live beside its tests."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from zeal import zeal_context

from prepapp.bank.queries import asked_text
from prepapp.bank.queries.duplicates import forget_texts
from tests.chromium import find_chromium

BROWSER_TESTS = Path(__file__).parent / "browser"


def _in_browser_tests(path: Path) -> bool:
    return path == BROWSER_TESTS or BROWSER_TESTS in path.parents


def _browser_run(config: pytest.Config) -> bool:
    return any(_in_browser_tests(Path(argument.partition("::")[0]).resolve()) for argument in config.args)


def pytest_configure(config: pytest.Config) -> None:
    if _browser_run(config):
        # Playwright leaves a running event loop in the main thread, in which Django refuses every query.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Browser tests run only when named: they need a process of their own."""
    if _in_browser_tests(collection_path) and not _browser_run(config):
        return True
    return None


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The Chromium of the machine; nothing is downloaded."""
    chromium = find_chromium()
    if not chromium:
        pytest.fail("Chromium is not installed")
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "headless": True,
        "args": [
            # Root, as in most containers, cannot start the sandbox.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    }


@pytest.fixture(autouse=True)
def no_lazy_loops() -> Iterator[None]:
    with zeal_context():
        yield


@pytest.fixture(autouse=True)
def no_kept_texts() -> None:
    """A rolled-back test gives its row numbers to the next one; texts kept per process must not follow."""
    asked_text.cache_clear()
    forget_texts()


@pytest.fixture
def eager_celery(settings: Any) -> None:
    """Tasks run where they are sent, and their errors show there."""
    settings.CELERY_TASK_ALWAYS_EAGER = True
    settings.CELERY_TASK_EAGER_PROPAGATES = True

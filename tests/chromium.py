"""Where the machine keeps its browser; asked by the runner of the suite and by the fixtures."""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """The path of the first browser found; nothing is downloaded."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)

"""Puts one of the locks into .venv: `python3 requirements/install.py app` or `dev`.

By hand it is: python3 -m venv .venv, then .venv/bin/python -m pip install --require-hashes -r <lock>.
Runs before anything is installed, so it uses the standard library only, and starts on an old Python
far enough to say that it is too old.
"""

import hashlib
import os
import shutil
import subprocess
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "prepapp needs Python 3.11 or newer, this is %d.%d. Name another one: make PYTHON=python3.12 ..."
        % sys.version_info[:2]
    )

from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent
VENV = REQUIREMENTS.parent / ".venv"
PYTHON = VENV / "bin" / "python"
MINOR = f"{sys.version_info.major}.{sys.version_info.minor}"
# The development lock holds everything of the other one, in the same versions.
HOLDING = {"app": ("app", "dev"), "dev": ("dev",)}


def lock_file(kind: str) -> Path:
    return REQUIREMENTS / f"{kind}.lock"


def stamp(kind: str) -> Path:
    """A file that says: this lock is installed whole, for this Python."""
    digest = hashlib.sha256(lock_file(kind).read_bytes()).hexdigest()[:16]
    return VENV / f".installed-{kind}-{MINOR}-{digest}"


def venv_minor() -> str:
    try:
        command = [str(PYTHON), "-c", "import pip, sys; print('%d.%d' % sys.version_info[:2])"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def make_venv() -> None:
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, check=False).returncode:
        sys.exit("Cannot make .venv. On Debian and Ubuntu the package python3-venv is needed for it.")


def install(lock: Path) -> None:
    wanted = ["--require-hashes", "--requirement", str(lock)]
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--quiet", "--python", str(PYTHON), *wanted]
        if subprocess.run(command, check=False).returncode == 0:
            return
        print("uv did not manage it; going on with pip", flush=True)
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    environment = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
    if subprocess.run(command, env=environment, check=False).returncode:
        sys.exit(f"Installing {lock.name} failed, see above; nothing of it is taken as installed.")


def main(kind: str) -> None:
    if PYTHON.exists() and any(stamp(holding).exists() for holding in HOLDING[kind]):
        return
    if venv_minor() != MINOR:
        make_venv()
    for old in VENV.glob(f".installed-{kind}-*"):
        old.unlink()
    lock = lock_file(kind)
    print(f"Installing requirements/{lock.name} into .venv; the first time takes about a minute", flush=True)
    install(lock)
    stamp(kind).touch()


if __name__ == "__main__":
    main(sys.argv[1])

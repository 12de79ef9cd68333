"""Loads the interview formats that ship with the project."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from ruamel.yaml import YAML, YAMLError

from prepapp.interviews.actions.blueprints import load_blueprints
from prepapp.interviews.recipes import BlueprintFile, read_blueprint


class Command(BaseCommand):
    help = "Load interview formats from YAML files; unchanged files change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", nargs="?", default=str(settings.BASE_DIR / "fixtures" / "blueprints"))

    def handle(self, *args: Any, **options: Any) -> None:
        files = sorted(Path(options["path"]).glob("*.yaml"))
        if not files:
            raise CommandError(f"no .yaml file in {options['path']}")
        changed = load_blueprints(blueprints=[self._read(path) for path in files])
        self.stdout.write(f"blueprints: {len(files)} files, {changed} new or changed")

    def _read(self, path: Path) -> BlueprintFile:
        try:
            return read_blueprint(YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8")))
        except (YAMLError, ValueError) as error:
            raise CommandError(f"{path}: {error}") from error

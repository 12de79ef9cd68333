"""Static files: hashed names for a year of caching, compressed once at collection."""

import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Whole lines only: what stands behind code may be part of a text.
_REMARKS = {
    ".js": re.compile(rb"^[ \t]*//.*\n", re.MULTILINE),
    ".css": re.compile(rb"^[ \t]*/\*[^*]*\*/[ \t]*\n", re.MULTILINE),
}


def without_remarks(name: str, content: bytes) -> bytes:
    """A script or stylesheet of ours without its comment lines, which only readers of the source need: they
    are a tenth of what a browser would fetch."""
    kind = next((ending for ending in _REMARKS if name.endswith(ending)), "")
    return _REMARKS[kind].sub(b"", content) if kind and name.startswith(("js/", "css/")) else content


class StaticStorage(CompressedManifestStaticFilesStorage):
    # ES modules import each other by relative path; the names must be rewritten in them as well.
    support_js_module_import_aggregation = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._addresses: dict[str, str] = {}

    def url(self, name: str | None, force: bool = False) -> str:
        """Remembered: files change only with a new start of the process, and every page names several."""
        if name is None or force or settings.DEBUG:
            return str(super().url(name, force))
        if name not in self._addresses:
            self._addresses[name] = str(super().url(name))
        return self._addresses[name]

    def _save(self, name: str, content: Any) -> str:
        content.seek(0)
        return str(super()._save(name, ContentFile(without_remarks(name, content.read()), name=name)))

    def post_process(self, paths: dict[str, Any], **options: Any) -> Iterator[Any]:
        """Leaves htmx's extensions alone: no page loads them, and they import by names that only a
        bundler can resolve."""
        ours = {name: source for name, source in paths.items() if not name.startswith("django_htmx/ext/")}
        yield from super().post_process(ours, **options)

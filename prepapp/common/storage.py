"""Static files: hashed names for a year of caching, compressed once at collection."""

from collections.abc import Iterator
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    # ES modules import each other by relative path; the names must be rewritten in them as well.
    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], **options: Any) -> Iterator[Any]:
        """Leaves htmx's extensions alone: no page loads them, and they import by names that only a
        bundler can resolve."""
        ours = {name: source for name, source in paths.items() if not name.startswith("django_htmx/ext/")}
        yield from super().post_process(ours, **options)

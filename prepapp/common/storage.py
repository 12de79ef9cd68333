"""Static files: hashed names for a year of caching, compressed once at collection."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    # ES modules import each other by relative path; the names must be rewritten in them as well.
    support_js_module_import_aggregation = True

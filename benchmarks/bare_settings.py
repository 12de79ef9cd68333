"""Settings of the anchor: the product's database with its pool, and nothing that stands in the way."""

from prepapp.settings import ALLOWED_HOSTS, DATABASES, DEFAULT_AUTO_FIELD, LOGGING, SECRET_KEY, USE_TZ

__all__ = ["ALLOWED_HOSTS", "DATABASES", "DEFAULT_AUTO_FIELD", "LOGGING", "SECRET_KEY", "USE_TZ"]

DEBUG = False
USE_I18N = False
INSTALLED_APPS: list[str] = []
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.bare"

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{ note.title }}</title></head>
<body><h1>{{ note.title }}</h1><p>Revision {{ note.revision }}</p><p>{{ note.text }}</p></body></html>
"""
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [("django.template.loaders.locmem.Loader", {"page.html": _PAGE})],
                )
            ]
        },
    }
]

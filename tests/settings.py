"""Settings of the test suite: the project's own, with what a test run must not share or wait for.

DATABASE_URL and REDIS_URL choose the services, as they do outside of tests.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# Before the settings are read: they make the data folder and write a key into it. Workers of
# pytest-xdist inherit the folder of the process that started them.
if "PYTEST_XDIST_WORKER" not in os.environ:
    _folder = tempfile.mkdtemp(prefix="prepapp-test-")
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    os.environ["PREPAPP_DATA_DIR"] = _folder
os.environ["PREPAPP_MODE"] = "embedded"

from prepapp.settings import *  # noqa: F403
from prepapp.settings import DATA_DIR, DATABASES, INSTALLED_APPS, MIDDLEWARE, STORAGES

DEBUG = False
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in real life: in memory all threads would share one connection and no lock.
    DATABASES["default"]["TEST"] = {"NAME": str(Path(DATA_DIR) / "test.sqlite3")}
else:
    # The process id lets several runs share one server.
    DATABASES["default"]["TEST"] = {"NAME": f"test_{DATABASES['default']['NAME']}_{os.getpid()}"}

# A loop that loads row by row raises, in requests by the middleware and elsewhere by a fixture.
INSTALLED_APPS = [*INSTALLED_APPS, "zeal"]
MIDDLEWARE = ["zeal.middleware.zeal_middleware", *MIDDLEWARE]
# Several gets in one test are the test's own doing; the literal query counts watch the pages.
ZEAL_ALLOWLIST = [{"model": "*", "field": "get()"}]

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Served from the source folders, so that no test waits for collectstatic.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

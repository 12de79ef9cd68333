"""The Celery application of the worker, of beat and of everything that sends a task.

Settings live in `settings.py` (prefix CELERY_), tasks in each app's `tasks` module.
"""

import logging
import os
from logging.config import dictConfig

from celery import Celery
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prepapp.settings")
TRANSPORT_ALIASES["safefilesystem"] = "prepapp.broker:Transport"

app = Celery("prepapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_as_the_web_does(**_: object) -> None:
    """Keeps one log format and one level for web, worker and beat."""
    from django.conf import settings

    dictConfig(settings.LOGGING)
    # A sweep every few seconds would bury the mails and the errors in 'received' and 'succeeded'.
    for name in ("celery.worker.strategy", "celery.app.trace", "celery.beat"):
        logging.getLogger(name).setLevel(logging.WARNING)

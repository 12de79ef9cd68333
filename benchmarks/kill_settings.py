"""Production settings with queues of their own in a Redis that others use too, and a short patience of it."""

import os

from prepapp.settings import *  # noqa: F403
from prepapp.settings import CELERY_BROKER_TRANSPORT_OPTIONS

CELERY_BROKER_TRANSPORT_OPTIONS = {
    **CELERY_BROKER_TRANSPORT_OPTIONS,
    "global_keyprefix": os.environ["KILL_PREFIX"],
    "visibility_timeout": int(os.environ["KILL_VISIBLE"]),
}

"""prepapp: timed mock interviews. Importing it makes the Celery application known to `shared_task`."""

from prepapp.celery import app as celery_app

__all__ = ["celery_app"]

"""The entry point of gunicorn."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prepapp.settings")
application = get_wsgi_application()

# Views and forms are otherwise loaded by the first request.
assert get_resolver().url_patterns
# What has been loaded by now stays until the end. The collector would go through all of it again and again,
# and the request it falls into takes ten times as long; set apart, only what requests made is looked at.
gc.collect()
gc.freeze()

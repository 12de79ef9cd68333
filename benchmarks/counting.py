"""Settings of the product plus one outermost middleware that says how many statements a request sent.

Used in a pass of its own: counting costs time, so nothing is timed there. Counted is what Django sends
through a cursor, savepoints included; BEGIN and COMMIT are not.
"""

from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse

import prepapp.settings
from benchmarks.client import QUERIES_HEADER

globals().update({name: value for name, value in vars(prepapp.settings).items() if name.isupper()})
MIDDLEWARE = ["benchmarks.counting.CountQueries", *prepapp.settings.MIDDLEWARE]


class CountQueries:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        count = 0

        def note(execute: Callable[..., object], *arguments: object) -> object:
            nonlocal count
            count += 1
            return execute(*arguments)

        with connection.execute_wrapper(note):
            response = self.get_response(request)
        response.headers[QUERIES_HEADER] = str(count)
        return response

"""Error pages: what happened, what is safe, what to do. They work without session and database."""

from django.http import HttpRequest, HttpResponse
from django.template import loader


def _page(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    template = loader.get_template(f"errors/{status}.html")
    return HttpResponse(template.render(context), status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _page(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 404)


def too_large(request: HttpRequest, limit: int) -> HttpResponse:
    """A body above so many bytes."""
    return _page(request, 413, megabytes=limit // 1_000_000)


def server_error(request: HttpRequest) -> HttpResponse:
    return _page(request, 500)

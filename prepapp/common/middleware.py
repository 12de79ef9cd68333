"""What every request passes through and that knows none of our nouns."""

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.cache import add_never_cache_headers, patch_vary_headers

from prepapp.common.errors import too_large

GetResponse = Callable[[HttpRequest], HttpResponse]
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class PolicyMiddleware(CSPMiddleware):
    """The content policy of the settings, put together once. A reply that asks for another, or a page that
    used a nonce, gets it from django-csp."""

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        self.policy = build_policy()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_special = any(name.startswith("_csp_") for name in vars(response))
        if is_special or hasattr(request, "_csp_nonce") or settings.DEBUG:
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self.policy)
        return response


class HealthMiddleware:
    """Answers the two health addresses before host checks, sessions and everything that can be down; the
    redirect to https leaves them alone.

    `/healthz/live`: this process answers. `/healthz/ready`: the database takes a query.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == "/healthz/live":
            return JsonResponse({"status": "ok"})
        if request.path == "/healthz/ready":
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1")
            except DatabaseError:
                return JsonResponse({"status": "database unavailable"}, status=503)
            return JsonResponse({"status": "ok"})
        return self.get_response(request)


class HtmxLoginMiddleware:
    """Turns a redirect to the sign-in page inside an htmx request into a refusal the page can handle.

    A followed redirect would put the login form into a panel. 401 keeps what is on the page; the
    `HX-Trigger` header lets the page show its sign-in notice, with the address to come back to.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not getattr(request, "htmx", False) or not isinstance(response, HttpResponseRedirect):
            return response
        login_path = resolve_url(settings.LOGIN_URL)
        if urlsplit(response.url).path != login_path:
            return response
        came_from = _path_of(request.headers.get("HX-Current-URL", "")) or "/"
        refusal = HttpResponse("Sign in to go on. What you typed is kept on this page.", status=401)
        refusal.headers["HX-Trigger"] = "signed-out"
        refusal.headers["X-Sign-In"] = f"{login_path}?{urlencode({'next': came_from})}"
        return refusal


def _path_of(address: str) -> str:
    """'' for what is no address: the header may hold anything."""
    try:
        return urlsplit(address).path
    except ValueError:
        return ""


class PrivatePagesMiddleware:
    """Marks every page that belongs to a session as not to be stored, so that the back button after
    signing out shows nothing. So is a page with a form token, which comes with its cookie and belongs to one
    browser. Static files and other pages without a session are left alone."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        has_token = settings.CSRF_COOKIE_NAME in response.cookies
        if has_token or settings.SESSION_COOKIE_NAME in request.COOKIES or request.session.modified:
            add_never_cache_headers(response)
            response.headers["Cache-Control"] = "no-store, private"
        patch_vary_headers(response, ["HX-Request"])
        return response


class BodyLimitMiddleware:
    """Refuses a request whose body is larger than its view takes, before a byte of it is read.

    A view takes `BODY_LIMIT` bytes, or as many as `takes_up_to` says. Stands before what reads forms.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        size = request.META.get("CONTENT_LENGTH") or ""
        if not size:
            return None
        limit = getattr(view, "body_limit", settings.BODY_LIMIT)
        # Anything but a number is the server's to refuse, and a body without one is not read at all.
        return too_large(request, limit) if size.isdecimal() and int(size) > limit else None


def takes_up_to(size: int) -> Callable[[View], View]:
    """The view takes bodies of so many bytes."""

    def marked(view: View) -> View:
        view.body_limit = size  # type: ignore[attr-defined]
        return view

    return marked

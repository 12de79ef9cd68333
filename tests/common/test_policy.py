"""P20: the content policy is on every reply; one that asks for another, or uses a nonce, gets its own."""

from collections.abc import Callable
from typing import Any

import pytest
from csp.constants import NONCE
from csp.decorators import csp_exempt, csp_update
from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from prepapp.common.middleware import PolicyMiddleware

POLICY = "Content-Security-Policy"
View = Callable[[HttpRequest], HttpResponse]


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def with_nonce(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(request.csp_nonce))


def with_its_own(request: HttpRequest) -> HttpResponse:
    return HttpResponse(headers={POLICY: "default-src 'none'"})


def rules(reply: HttpResponse) -> set[str]:
    return set(reply.headers.get(POLICY, "").split("; "))


@pytest.mark.parametrize(
    "view", [plain, with_its_own, csp_exempt()(plain), csp_update({"img-src": ["https://a.test"]})(plain)]
)
def test_it_says_what_django_csp_says(view: View, rf: RequestFactory) -> None:
    found, wanted = (kind(view)(rf.get("/")) for kind in (PolicyMiddleware, CSPMiddleware))
    assert rules(found) == rules(wanted)


def test_the_usual_one_has_rules() -> None:
    assert {"default-src 'none'", "script-src 'self'"} <= rules(PolicyMiddleware(plain)(HttpRequest()))


def test_a_nonce_is_in_the_policy_of_its_page_alone(rf: RequestFactory, settings: Any) -> None:
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"script-src": [NONCE]}}
    reply = PolicyMiddleware(with_nonce)(rf.get("/"))
    nonce = reply.content.decode()
    assert nonce
    assert rules(reply) == {"default-src 'self'", f"script-src 'nonce-{nonce}'"}
    assert nonce not in str(PolicyMiddleware(plain)(rf.get("/")).headers)

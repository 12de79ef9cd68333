"""Signing out: allauth's, and the browser forgets what it kept for this person."""

from allauth.account import views as allauth
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods


@require_http_methods(["GET", "HEAD", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    # Leaving a half-done sign-up comes here too; that visitor's drafts are still wanted.
    was_signed_in = request.user.is_authenticated
    reply: HttpResponse = allauth.logout(request)
    if request.method == "POST" and was_signed_in:
        # Not the cookies: the theme and the zone belong to the device, and the session's is gone.
        reply.headers["Clear-Site-Data"] = '"cache", "storage"'
    return reply

"""Turning the weekly mail off from the mail itself, signed in or not: the token in the address is who asks.
Reading an address changes nothing, since mail filters open every link."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from prepapp.reports.actions.reading import choose_weekly_mail
from prepapp.reports.tokens import read_unsubscribe_token


# Mail programs post without a cookie (RFC 8058); the token is what another site cannot know.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Asks on GET, does on POST; any number of times."""
    return _chosen(request, token, wanted=False)


@require_POST
def subscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Takes the unsubscribing back."""
    return _chosen(request, token, wanted=True)


def _chosen(request: HttpRequest, token: str, *, wanted: bool) -> HttpResponse:
    user_id = read_unsubscribe_token(token)
    if user_id is None:
        raise Http404("not an address of a mail")
    is_done = request.method == "POST"
    if is_done and not choose_weekly_mail(user_id=user_id, wanted=wanted):
        raise Http404("the account is gone")
    context = {"token": token, "is_done": is_done, "wanted": wanted}
    return render(request, "reports/weekly_mail.html", context)

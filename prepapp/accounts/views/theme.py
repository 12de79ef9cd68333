"""The light or dark switch, for everybody: on this device by a cookie, elsewhere by the person's row."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from prepapp.accounts.access import candidate_of
from prepapp.accounts.actions import save_preferences
from prepapp.accounts.cookies import THEME_COOKIE, YEAR, set_readable_cookie
from prepapp.accounts.forms.preferences import ThemeForm


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    form = ThemeForm(request.POST)
    if not form.is_valid():
        return HttpResponse("Choose light, dark or like your device.", status=422)
    chosen = form.cleaned_data["theme"]
    if (person := candidate_of(request)) is not None:
        save_preferences(person=person, values={"theme": chosen})
    back = form.cleaned_data["next"]
    is_ours = url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    # Not `redirect`: it would take a bare word for the name of a view.
    reply = HttpResponseRedirect(back if is_ours else "/")
    set_readable_cookie(request, reply, THEME_COOKIE, chosen, YEAR)
    return reply

"""Finds the person behind a request. Every page asks here and nowhere else."""

from uuid import UUID

from django.conf import settings
from django.db.models import UUIDField
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from prepapp.accounts.models import User
from prepapp.common.statements import Kept

GUEST_SESSION_KEY = "guest"
_CACHE_ATTRIBUTE = "_candidate"


def candidate_of(request: HttpRequest) -> User | None:
    """The signed-in user, else the guest of this session, else None. At most one query a request."""
    if not hasattr(request, _CACHE_ATTRIBUTE):
        setattr(request, _CACHE_ATTRIBUTE, _find_candidate(request))
    candidate: User | None = getattr(request, _CACHE_ATTRIBUTE)
    return candidate


def remember_guest(request: HttpRequest, guest: User) -> None:
    """Ties a new guest to the session."""
    request.session[GUEST_SESSION_KEY] = str(guest.pk)
    setattr(request, _CACHE_ATTRIBUTE, guest)


def guest_id_for(request: HttpRequest, press: UUID) -> UUID | None:
    """The id of the guest that a press by this browser makes: a double click sends it twice before the
    first reply has brought a session. `press` is the random key of the form.

    It hangs on the secret the browser's forms are checked by as well, so that the key of a page that was
    passed on leads nowhere in another browser. The page itself holds both (the token in its form is the
    secret, masked), which is why no cache may keep it: `PrivatePagesMiddleware`. None without that cookie:
    such a press is by itself.
    """
    secret = request.COOKIES.get(settings.CSRF_COOKIE_NAME)
    if not secret:
        return None
    digest = salted_hmac("prepapp.accounts.guest", f"{secret}:{press}", algorithm="sha256").digest()
    return UUID(bytes=digest[:16], version=4)


def guest_id_of(request: HttpRequest) -> UUID | None:
    """The guest this session belongs to, whether or not somebody is signed in by now."""
    guest_id = request.session.get(GUEST_SESSION_KEY)
    return UUID(guest_id) if guest_id else None


def forget_guest(request: HttpRequest) -> None:
    """Unties the session from its guest."""
    request.session.pop(GUEST_SESSION_KEY, None)
    if hasattr(request, _CACHE_ATTRIBUTE):
        delattr(request, _CACHE_ATTRIBUTE)


def _find_candidate(request: HttpRequest) -> User | None:
    if request.user.is_authenticated:
        return request.user
    guest_id = guest_id_of(request)
    return _GUEST.first(guest=guest_id) if guest_id else None


_GUEST = Kept(lambda guest: User.objects.guests().with_facts().filter(pk=guest), guest=UUIDField())

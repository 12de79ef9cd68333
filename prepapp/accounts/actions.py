"""Changes to people: a visitor becomes a guest, a guest's work goes to the account they sign in to.

Only rows of accounts are changed here. Work that hangs on a person belongs to the apps above; settings
name the functions that move it, so that nothing here has to know them.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.module_loading import import_string

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User

STALE_AFTER = timedelta(days=30)
DELETE_BATCH = 200

# So long a press of a start button finds the guest that the same press made a moment before.
SAME_PRESS = timedelta(seconds=30)

# What a guest may have chosen, in groups that mean something only together.
_PREFERENCES = (
    ("track",),
    ("level",),
    ("interview_date",),
    ("time_zone", "is_time_zone_confirmed"),
    ("time_allowance",),
    ("theme",),
)


def create_guest(*, now: datetime, guest_id: UUID | None = None) -> User:
    """A visitor who starts to work: a row without e-mail that nobody can sign in to."""
    guest = User(is_guest=True, date_joined=now)
    if guest_id is not None:
        guest.id = guest_id
    guest.set_unusable_password()
    guest.save(force_insert=True)
    return guest


def find_or_create_guest(*, guest_id: UUID | None, now: datetime) -> User:
    """The guest of one press (`access.guest_id_for`), however often it is sent. Of two at once the second
    waits for the key of the first until that is committed or taken back. Inside the transaction of the work
    that makes the visitor a guest: without work there is none.
    """
    try:
        with transaction.atomic():
            return create_guest(now=now, guest_id=guest_id)
    except IntegrityError:
        # Locked, so that no claim takes the guest away before the work is committed.
        recent = User.objects.guests().filter(pk=guest_id, date_joined__gte=now - SAME_PRESS)
        return recent.select_for_update().first() or create_guest(now=now)


def create_confirmed_account(*, email: str, password: str | None, now: datetime, **fields: object) -> User:
    """An account an operator makes for an address that needs no proof. Without a password nobody can sign
    in to it until one is set."""
    with transaction.atomic():
        user = User.objects.create_user(email, password, date_joined=now, **fields)
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def claim_guest_work(*, guest_id: UUID, user: User, now: datetime) -> bool:
    """Gives the guest's work and choices to `user` and deletes the guest. True if this call did it.

    Lock order: the guest, then the account. The guest's row is about to go, so its lock also holds back
    the commit of whatever the guest is just starting. Whoever comes second finds no guest and changes
    nothing.
    """
    try:
        return _claim(guest_id, user, now)
    except IntegrityError:
        # The account started the interview that the guest has running, in this very moment. It is
        # committed by now, so the second time it is seen.
        return _claim(guest_id, user, now)


def save_preferences(*, person: User, values: Mapping[str, object]) -> None:
    """Stores what a preferences form gave. A zone that was on the form is confirmed by sending it."""
    changed = dict(values)
    if "time_zone" in changed:
        changed["is_time_zone_confirmed"] = True
    for name, value in changed.items():
        setattr(person, name, value)
    person.save(update_fields=list(changed))


def end_older_reset_links(*, user: User) -> None:
    """Ends every password link sent so far; the next one made for `user` is the only one that works."""
    User.objects.filter(pk=user.pk).update(reset_number=F("reset_number") + 1)
    user.refresh_from_db(fields=["reset_number"])


def free_unconfirmed_address(*, email: str, owner: User) -> None:
    """Deletes accounts that took `email` without ever confirming it, for whoever has just done so. Such
    an account was never signed in to, so it owns no work."""
    kept = User.objects.keeping(email)
    User.objects.filter(email=email).exclude(pk=owner.pk).exclude(pk__in=kept).delete()


def delete_stale_guests(*, now: datetime) -> int:
    """Deletes guests whose session has ended, with their work; returns how many. Each batch is a
    transaction of its own, so that a stop loses nothing and no lock is held for long.

    `GUEST_ACTIVITY` lists dotted paths of `active(since: datetime)`, which gives the ids of people who did
    something since then that renewed their session.
    """
    since = now - STALE_AFTER
    active = [import_string(name)(since) for name in settings.GUEST_ACTIVITY]
    deleted = 0
    while True:
        with transaction.atomic():
            stale = User.objects.stale_guests(since).order_by("pk")
            for ids in active:
                stale = stale.exclude(pk__in=ids)
            batch = list(
                stale.select_for_update(skip_locked=True).values_list("pk", flat=True)[:DELETE_BATCH]
            )
            if not batch:
                return deleted
            User.objects.filter(pk__in=batch).delete()
        deleted += len(batch)


def _claim(guest_id: UUID, user: User, now: datetime) -> bool:
    with transaction.atomic():
        guest = User.objects.guests().select_for_update().filter(pk=guest_id).first()
        # Without its key: the account may go on starting interviews in other browsers.
        owner = User.objects.select_for_update(no_key=True).filter(pk=user.pk, is_guest=False).first()
        if guest is None or owner is None:
            return False
        for name in settings.GUEST_WORK_CLAIMS:
            import_string(name)(guest=guest, user=owner, now=now)
        copied = _copy_preferences(guest, owner)
        guest.delete()
    for name in copied:
        setattr(user, name, getattr(owner, name))
    return True


def _copy_preferences(guest: User, owner: User) -> list[str]:
    """Copies each choice the guest made and the owner did not; returns the names of what was copied."""
    copied: list[str] = []
    for group in _PREFERENCES:
        if _is_default(owner, group) and not _is_default(guest, group):
            for name in group:
                setattr(owner, name, getattr(guest, name))
            copied += group
    if copied:
        owner.save(update_fields=copied)
    return copied


def _is_default(user: User, names: tuple[str, ...]) -> bool:
    fresh = User()
    return all(getattr(user, name) == getattr(fresh, name) for name in names)


def set_role(*, user: User, role: str) -> None:
    """Gives an account a role, or takes it away. ValueError for a guest, who has no account, and for what is
    no role."""
    if user.is_guest:
        raise ValueError("A guest has no account and can hold no role.")
    if role not in Role.values:
        raise ValueError(f"{role!r} is no role; use one of {', '.join(filter(None, Role.values))}.")
    user.role = role
    user.save(update_fields=["role"])

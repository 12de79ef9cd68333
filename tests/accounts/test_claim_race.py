"""Two sign-ins at once take a guest's work once. Real transactions on two connections."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest
from django.db import IntegrityError, connection
from django.test import Client

from prepapp.accounts import actions
from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.models import User
from prepapp.interviews.actions.claim import claim_attempts
from prepapp.interviews.models import Attempt
from tests.accounts.steps import be_guest, sign_in
from tests.factories.accounts import GuestFactory, UserFactory
from tests.factories.bank import TrackFactory
from tests.factories.interviews import AttemptFactory

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
ROUNDS = 5

Claim = Callable[[User, User, Barrier], bool]


def locked_claim(guest: User, user: User, start: Barrier) -> bool:
    start.wait()
    return actions.claim_guest_work(guest_id=guest.pk, user=user, now=NOW)


def claim_without_lock(guest: User, user: User, start: Barrier) -> bool:
    """The control: looks first, then acts, as a claim without lock and transaction would."""
    found = User.objects.filter(pk=guest.pk, is_guest=True).first()
    start.wait()
    if found is None:
        return False
    claim_attempts(guest=found, user=user, now=NOW)
    User.objects.filter(pk=guest.pk).delete()
    return True


def race(claim: Claim) -> list[bool]:
    """Two people claim one guest at the same moment: what each of them was told."""
    guest, users = GuestFactory(), [UserFactory(), UserFactory()]
    AttemptFactory(user=guest)
    start = Barrier(2)

    def run(user: User) -> bool:
        try:
            return claim(guest, user, start)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(run, users))
    owner = Attempt.objects.get().user
    if sorted(told) == [False, True]:
        assert owner == users[told.index(True)]
    Attempt.objects.all().delete()
    return sorted(told)


def test_one_of_two_gets_the_work():
    assert [race(locked_claim) for _ in range(ROUNDS)] == [[False, True]] * ROUNDS


def test_without_the_lock_both_are_told_they_got_it():
    assert [race(claim_without_lock) for _ in range(ROUNDS)] == [[True, True]] * ROUNDS


def test_an_interview_the_account_starts_meanwhile_survives_beside_the_guests():
    """Whoever is first: the one start of the account and the one of the guest both go on."""
    for _ in range(ROUNDS):
        guest, user = GuestFactory(), UserFactory()
        track = TrackFactory()
        of_guest = AttemptFactory(user=guest, track=track, slot="mock:screen")
        start = Barrier(2)

        def begin(user: User = user, track: object = track, start: Barrier = start) -> None:
            try:
                start.wait()
                AttemptFactory(user=user, track=track, slot="mock:screen", responses=0)
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            begun = pool.submit(begin)
            start.wait()
            assert actions.claim_guest_work(guest_id=guest.pk, user=user, now=NOW) is True
            taken = isinstance(begun.exception(), IntegrityError)
        slots = dict(Attempt.objects.running().filter(user=user).values_list("pk", "slot"))
        # The claim came first: the account is told that this interview runs already.
        alone = {of_guest.pk: "mock:screen"}
        assert (slots == alone) if taken else (sorted(slots.values())[0] == "mock:screen" and len(slots) == 2)
        Attempt.objects.all().delete()


def test_two_sign_ins_of_one_session_at_once():
    user, browser = UserFactory(), Client()
    attempt = AttemptFactory(user=be_guest(browser))
    guest_key = browser.session[GUEST_SESSION_KEY]
    tabs = [Client(), Client()]
    for tab in tabs:
        tab.cookies["sessionid"] = browser.session.session_key
        # As fetched before either of them signs in.
        assert tab.session[GUEST_SESSION_KEY] == guest_key
    start = Barrier(2)

    def run(tab: Client) -> int:
        try:
            start.wait()
            return int(sign_in(tab, user.email).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, tabs)) == [302, 302]
    assert list(Attempt.objects.values_list("pk", "user")) == [(attempt.pk, user.pk)]
    assert not User.objects.guests().exists()

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from prepapp.accounts import actions
from prepapp.accounts.models import User
from prepapp.accounts.tasks import delete_stale_guests
from prepapp.bank.models import Flag
from prepapp.interviews.choices import State
from prepapp.interviews.models import (
    Attempt,
    Grading,
    LateText,
    Mark,
    Response,
    ResponseGrade,
    SampleGrading,
)
from tests.accounts import claims
from tests.factories.accounts import GuestFactory, UserFactory
from tests.factories.bank import create_questions
from tests.factories.interviews import AttemptFactory
from tests.factories.samples import add_samples, mark_sample

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
WORK = (Attempt, Response, Grading, ResponseGrade, Mark, LateText, SampleGrading, Flag)


def claim(guest: User, user: User) -> bool:
    return actions.claim_guest_work(guest_id=guest.pk, user=user, now=NOW)


def counts(user: User) -> dict[str, int]:
    return {model.__name__: model.objects.filter(user=user).count() for model in WORK}


def test_create_guest():
    guest = User.objects.get(pk=actions.create_guest(now=NOW).pk)
    assert (guest.is_guest, guest.email, guest.date_joined, guest.is_active) == (True, None, NOW, True)
    assert not guest.has_usable_password()


def test_claim_moves_all_work_and_deletes_the_guest():
    guest, user = GuestFactory(), UserFactory()
    attempt = AttemptFactory(user=guest, state=State.GRADED, responses=2)
    LateText.objects.create(response=attempt.responses.first(), user=guest, text="too late", received_at=NOW)
    version = attempt.responses.first().version
    Flag.objects.create(
        question=version.question, version=version, user=guest, place="result", reason="wrong", raised_at=NOW
    )
    mark_sample(guest, add_samples(version.question)[0])
    before = counts(guest)
    assert min(before.values()) > 0
    assert claim(guest, user) is True
    assert counts(user) == before
    assert not User.objects.guests().exists()


def test_a_sample_marked_by_one_press_on_both_sides_is_one_grading():
    guest, user, key = GuestFactory(), UserFactory(), uuid4()
    sample, other, _ = add_samples(create_questions(1)[0])
    for owner, graded in ((guest, sample), (user, sample), (guest, other)):
        SampleGrading.objects.create(
            user=owner, sample=graded, grade_key=key if graded == sample else uuid4(), marks={}, graded_at=NOW
        )
    kept = SampleGrading.objects.get(user=user).pk
    claim(guest, user)
    assert list(SampleGrading.objects.filter(sample=sample).values_list("pk", "user")) == [(kept, user.pk)]
    assert SampleGrading.objects.get(sample=other).user == user


def test_claim_twice_changes_nothing_the_second_time():
    guest, user = GuestFactory(track="swe"), UserFactory()
    AttemptFactory(user=guest)
    assert claim(guest, user) is True
    User.objects.filter(pk=user.pk).update(track="")
    before = counts(user)
    assert claim(guest, user) is False
    assert counts(user) == before
    assert User.objects.get(pk=user.pk).track == ""


@pytest.mark.parametrize("kind", ["nobody", "somebody else with an account"])
def test_only_a_guest_can_be_claimed(kind):
    other, user = UserFactory(), UserFactory()
    AttemptFactory(user=other)
    guest_id = uuid4() if kind == "nobody" else other.pk
    assert actions.claim_guest_work(guest_id=guest_id, user=user, now=NOW) is False
    assert (Attempt.objects.get().user_id, User.objects.count()) == (other.pk, 2)


def test_claim_costs_the_same_for_any_amount_of_work():
    costs = []
    for size in (1, 3):
        guest, user = GuestFactory(), UserFactory()
        for _ in range(size):
            AttemptFactory(user=guest, state=State.GRADED, responses=size)
        with CaptureQueriesContext(connection) as queries:
            claim(guest, user)
        costs.append(len(queries))
    assert costs[0] == costs[1]


CHOICES = {
    "track": "swe",
    "level": "senior",
    "interview_date": date(2026, 12, 1),
    "time_zone": "Europe/Paris",
    "is_time_zone_confirmed": True,
    "time_allowance": "1.50",
    "theme": "dark",
}


def choices_of(user: User) -> dict[str, object]:
    return User.objects.values(*CHOICES).get(pk=user.pk)


def test_claim_copies_choices_to_a_new_account():
    guest, user = GuestFactory(**CHOICES), UserFactory()
    claim(guest, user)
    assert choices_of(user) == CHOICES
    assert {name: getattr(user, name) for name in CHOICES} == CHOICES


def test_claim_keeps_what_the_account_has_chosen():
    own = {**CHOICES, "track": "mle", "time_zone": "Asia/Tokyo", "time_allowance": "2.00", "theme": "light"}
    guest, user = GuestFactory(**CHOICES), UserFactory(**own)
    claim(guest, user)
    assert choices_of(user) == own


def test_both_running_interviews_of_one_kind_survive_a_claim():
    guest, user = GuestFactory(), UserFactory()
    slot = "mock:" + "x" * 115
    of_guest = AttemptFactory(user=guest, slot=slot)
    of_user = AttemptFactory(user=user, slot=slot)
    ended = AttemptFactory(user=guest, slot=slot, state=State.GRADED)
    claim(guest, user)
    assert dict(Attempt.objects.filter(user=user).values_list("pk", "slot")) == {
        of_user.pk: slot,
        of_guest.pk: f"{slot[:87]}:{of_guest.pk.hex}",
        ended.pk: slot,
    }
    assert Attempt.objects.running().count() == 2


def test_one_start_key_on_both_sides_survives_a_claim():
    guest, user, key = GuestFactory(), UserFactory(), uuid4()
    of_guest = AttemptFactory(user=guest, start_key=key, state=State.GRADED)
    of_user = AttemptFactory(user=user, start_key=key)
    claim(guest, user)
    assert Attempt.objects.filter(user=user).count() == 2
    assert Attempt.objects.get(pk=of_user.pk).start_key == key
    assert Attempt.objects.get(pk=of_guest.pk).start_key != key


def test_a_collision_is_tried_again_from_the_start(settings):
    claims.calls.clear()
    settings.GUEST_WORK_CLAIMS = [*settings.GUEST_WORK_CLAIMS, "tests.accounts.claims.collide_once"]
    guest, user = GuestFactory(track="swe"), UserFactory()
    AttemptFactory(user=guest)
    assert claim(guest, user) is True
    assert claims.calls == [str(guest)] * 2
    assert (Attempt.objects.get().user, User.objects.get().track) == (user, "swe")


# Rows that only people with a role write.
NOT_OF_GUESTS: set[str] = set()


def test_every_table_that_names_a_person_is_claimed_or_never_a_guests():
    """A new table must be moved by a function of GUEST_WORK_CLAIMS, or a claim deletes its rows: those of
    the evidence and of item statistics, which are reckoned anew from what was moved."""
    named = {
        field.model._meta.label
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if field.concrete and field.is_relation and field.related_model is User
    }
    with_account_only = {
        "account.EmailAddress",
        "usersessions.UserSession",
        "accounts.User_groups",
        "accounts.User_user_permissions",
        "reports.WeeklyReport",
    }
    with_role_only = {
        "bank.Question",
        "bank.QuestionVersion",
        "bank.Draft",
        "bank.Draft_editors",
        "bank.DraftRevision",
        "bank.CurationEvent",
        "bank.ImportRun",
        "admin.LogEntry",
    }
    reckoned = {"reports.TopicWeek", "reports.CountedAnswers", "reports.ChangedLearner"}
    moved = {model._meta.label for model in WORK}
    assert named - with_account_only - with_role_only - reckoned - moved == NOT_OF_GUESTS & named


@pytest.mark.parametrize(("age", "left"), [(timedelta(days=30), 1), (timedelta(days=30, seconds=1), 0)])
def test_guests_go_when_their_session_has_ended(age, left):
    AttemptFactory(user=GuestFactory(date_joined=NOW - age), started_at=NOW - age)
    person = UserFactory(date_joined=NOW - timedelta(days=400))
    assert actions.delete_stale_guests(now=NOW) == 1 - left
    assert User.objects.guests().count() == left
    assert Attempt.objects.count() == left
    assert User.objects.filter(pk=person.pk).exists()
    assert actions.delete_stale_guests(now=NOW) == 0


def test_stale_guests_go_in_batches(monkeypatch):
    monkeypatch.setattr(actions, "DELETE_BATCH", 2)
    for _ in range(5):
        GuestFactory(date_joined=NOW - timedelta(days=31))
    assert actions.delete_stale_guests(now=NOW) == 5
    assert User.objects.count() == 0


def test_the_task_is_safe_to_run_twice():
    GuestFactory(date_joined=datetime(2020, 1, 1, tzinfo=UTC))
    fresh = actions.create_guest(now=datetime.now(UTC))
    delete_stale_guests()
    delete_stale_guests()
    assert list(User.objects.values_list("pk", flat=True)) == [fresh.pk]


def test_an_unconfirmed_account_gives_way_to_whoever_confirms_the_address():
    owner = UserFactory()
    UserFactory(email="taken@example.test", is_confirmed=False)
    actions.free_unconfirmed_address(email="taken@example.test", owner=owner)
    assert list(User.objects.values_list("pk", flat=True)) == [owner.pk]


@pytest.mark.parametrize("kind", ["confirmed", "signed in once", "staff"])
def test_an_account_in_use_keeps_its_address(kind):
    last_login = NOW if kind == "signed in once" else None
    holder = UserFactory(
        email="taken@example.test",
        is_confirmed=kind == "confirmed",
        last_login=last_login,
        is_staff=kind == "staff",
    )
    actions.free_unconfirmed_address(email="taken@example.test", owner=UserFactory())
    assert User.objects.filter(pk=holder.pk).exists()

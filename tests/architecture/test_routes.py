"""P17: every route, asked by everybody in every way, answers as declared, and changes nothing for those it
turns away (S16-S18, S20, S21, HIS-01)."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.models import RubricPoint
from prepapp.common.ids import uuid7
from prepapp.interviews.choices import State
from prepapp.interviews.models import Attempt, ResponseGrade
from tests.architecture.expectations import METHODS, OWN, RULES, routes
from tests.architecture.world import (
    ACTORS,
    ADMIN,
    ANONYMOUS,
    CURATOR,
    GUEST,
    KEPT,
    NOW,
    OTHER,
    OWNER,
    Browser,
    World,
    body_of,
    snapshot,
    taken_back,
    watched,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def before(world: World) -> Mapping[str, Any]:
    return snapshot()


def test_every_route_is_declared() -> None:
    found = [name for name, _ in routes()]
    assert [name for name in found if not name or name.endswith(":")] == []
    assert sorted(found) == sorted(RULES)


@pytest.mark.parametrize("name", RULES)
def test_a_route_answers_as_declared(name: str, world: World, before: Mapping[str, Any]) -> None:
    rule, browser = RULES[name], Browser()
    expected, found, changed = {}, {}, []
    for actor in ACTORS:
        path, data = rule.address(name, world, actor), rule.data(world, actor)
        for method in METHODS:
            case = f"{method} as {actor}"
            expected[case] = rule.expected(actor, method)
            is_refused = expected[case][0] >= 400 or not rule.lets_in(actor)
            statuses = []
            for htmx in (False, True):
                with taken_back(), watched() as writes:
                    reply = browser.send(world.cookies[actor], method, path, data, htmx=htmx)
                    body_of(reply)
                    statuses.append(reply.status_code)
                    if is_refused and writes and snapshot() != before:
                        changed.append(f"{case}, htmx {htmx}")
            found[case] = tuple(statuses)
    assert found == expected
    assert changed == []


def test_a_change_would_be_seen(world: World, before: Mapping[str, Any]) -> None:
    """The control of the one above."""
    rule = RULES["interviews:save"]
    path, data = rule.address("interviews:save", world, OWNER), rule.data(world, OWNER)
    with taken_back(), watched() as writes:
        assert Browser().send(world.cookies[OWNER], "POST", path, data).status_code == 200
        assert len(writes) > 0
        assert {label for label, rows in snapshot().items() if rows != before[label]} == {
            "interviews.Response"
        }
    assert snapshot() == before


# --- ids ------------------------------------------------------------------------------------------


# Who asks, and whose attempt for.
STRANGERS = ((GUEST, OWNER), (OTHER, OWNER), (CURATOR, OWNER), (ADMIN, OWNER), (OWNER, GUEST))


def answered(reply: Any) -> tuple[int, bytes, dict[str, str], list[str]]:
    """All of a reply that a stranger could learn from."""
    return reply.status_code, body_of(reply), dict(reply.headers), sorted(reply.cookies)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.door == OWN and rule.state])
def test_a_foreign_id_is_as_unknown_as_any(name: str, world: World, before: Mapping[str, Any]) -> None:
    """S17: the same bytes and headers for somebody else's id and for one that was never given."""
    rule, browser = RULES[name], Browser()
    for actor, owner in STRANGERS:
        ids = (world.work[owner].attempt(rule.state).pk, uuid7())
        addresses = [rule.address(name, world, actor, attempt_id) for attempt_id in ids]
        data = rule.data(world, actor)
        for method in ("GET", "HEAD", "POST"):
            if rule.answer(method) is None:
                continue
            for htmx in (False, True):
                with taken_back(), watched() as writes:
                    foreign, unknown = (
                        answered(browser.send(world.cookies[actor], method, path, data, htmx=htmx))
                        for path in addresses
                    )
                    assert foreign[0] == 404, f"{method} as {actor}"
                    assert foreign == unknown, f"{method} as {actor}"
                    assert not writes or snapshot() == before, f"{method} as {actor}"


@pytest.mark.parametrize("actor", ACTORS)
def test_a_question_that_is_not_published_is_as_unknown_as_any(actor: str, world: World) -> None:
    browser, cookies = Browser(), world.cookies[actor]
    for name, method in (("question-detail", "GET"), ("question-answer", "POST")):
        draft, unknown = (
            answered(browser.send(cookies, method, reverse(f"bank:{name}", args=[slug])))
            for slug in (world.draft.slug, "no-such-question")
        )
        assert draft[0] == 404
        assert draft == unknown


def test_ids_in_bodies_and_queries_are_looked_up_among_ones_own(
    world: World, before: Mapping[str, Any]
) -> None:
    """P18, S18: a foreign attempt, another question's point, a place that does not exist."""
    mine, theirs = world.work[OWNER], world.work[GUEST]
    marked = reverse("interviews:mark", args=[mine.grading.pk, 1])
    elsewhere = RubricPoint.objects.exclude(pk__in=mine.points).values_list("pk", flat=True)[0]
    compared = f"{reverse('interviews:compare')}?question={mine.ref}"
    cases: list[tuple[str, str, dict[str, Any]]] = [
        *(("POST", marked, {"point": point, "value": 2}) for point in (elsewhere, 10**9, 10**30)),
        ("GET", f"{compared}&a={mine.graded.pk}&b={theirs.graded.pk}", {}),
        ("GET", f"{compared}&a={theirs.graded.pk}&b={mine.graded.pk}", {}),
        ("GET", f"{compared}&a={mine.graded.pk}&b={uuid4()}", {}),
        *(("GET", f"/attempts/{mine.running.pk}/q/{place}/", {}) for place in (0, 4, 10**30)),
        ("POST", reverse("interviews:save", args=[mine.running.pk, 4]), {"text": "x", "revision": 0}),
        ("POST", f"/attempts/{mine.running.pk}/q/{10**30}/flag", {"flag": "1"}),
        ("POST", reverse("interviews:confidence", args=[mine.grading.pk, 4]), {"confidence": "hire"}),
        ("GET", f"{reverse('interviews:review', args=[mine.graded.pk])}?grading=2", {}),
        ("GET", f"{reverse('interviews:result', args=[mine.graded.pk])}?grading=2", {}),
    ]
    browser = Browser()
    for htmx in (False, True):
        with taken_back():
            replies = [
                answered(browser.send(world.cookies[OWNER], method, path, data, htmx=htmx))
                for method, path, data in cases
            ]
            assert [reply[0] for reply in replies] == [404] * len(cases)
            assert {reply[1] for reply in replies} == {replies[0][1]}
            assert snapshot() == before


# --- who is let in, and with what -----------------------------------------------------------------


def test_a_suspended_account_is_nobody(world: World) -> None:
    """An open session ends with the account: the next request is answered as without one."""
    browser, found, expected = Browser(), {}, {}
    with taken_back():
        User.objects.filter(pk=world.people[OWNER].pk).update(is_active=False)
        for name, rule in RULES.items():
            path = rule.address(name, world, OWNER)
            for method in ("GET", "POST"):
                if name == "account_login" and method == "POST":
                    # The right password leads to the page that says so.
                    expected[name, method] = (302, reverse("account_inactive"))
                else:
                    with taken_back():
                        reply = browser.send({}, method, path, rule.data(world, OWNER))
                        body_of(reply)
                    expected[name, method] = (reply.status_code, where(reply))
                with taken_back():
                    reply = browser.send(world.cookies[OWNER], method, path, rule.data(world, OWNER))
                    body_of(reply)
                found[name, method] = (reply.status_code, where(reply))
    assert found == expected


def where(reply: Any) -> str:
    """Where a reply leads; an attempt that was just made has another id each time."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<id>", reply.headers.get("Location", ""))


# What no form asks for.
FORBIDDEN: dict[str, Any] = {
    "score": "10",
    "state": "graded",
    "ending": "finished",
    "deadline_at": "2030-01-01T00:00:00Z",
    "started_at": "2020-01-01T00:00:00Z",
    "finished_at": "2030-01-01T00:00:00Z",
    "graded_at": "2030-01-01T00:00:00Z",
    "closed_at": "2030-01-01T00:00:00Z",
    "revealed_at": "2030-01-01T00:00:00Z",
    "asked_at": "2030-01-01T00:00:00Z",
    "saved_at": "2030-01-01T00:00:00Z",
    "first_value": "2",
    "hints_shown": "9",
    "reason": "x",
    "seconds_spent": "9",
    "is_flagged": "1",
    "is_skipped": "1",
    "id": "1",
    "pk": "1",
    "is_staff": "1",
    "is_superuser": "1",
    "is_active": "0",
    "is_guest": "1",
    "is_time_zone_confirmed": "1",
    "last_login": "2030-01-01T00:00:00Z",
    "reset_number": "9",
    "groups": "1",
    "email": "taken@example.test",
    "password": "seven quiet lighthouses",
    "time_allowance": "2.00",
}
# What differs between two equal requests: keys of new rows, salts.
CHANCE = {"id", "attempt", "grading", "response", "response_grade", "password"}


def facts(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Every row without what is left to chance. A person who was just made is nobody in particular."""
    known = {person.pk for person in world.people.values()}
    found = {}
    for model in KEPT:
        names = [field.attname for field in model._meta.concrete_fields if field.name not in CHANCE]
        rows = [
            tuple(
                value if name != "user_id" or value in known else "new"
                for name, value in zip(names, row, strict=True)
            )
            for row in model._base_manager.values_list(*names)
        ]
        found[model._meta.label] = sorted(rows, key=repr)
    return found


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.post])
def test_a_form_takes_only_its_own_fields(name: str, world: World) -> None:
    """S20: whatever else is posted along changes nothing."""
    rule, browser = RULES[name], Browser()
    actor = OWNER if rule.lets_in(OWNER) else ANONYMOUS
    path, data = rule.address(name, world, actor), rule.data(world, actor)
    other = str(world.people[OTHER].pk)
    forged = {**FORBIDDEN, "user": other, "user_id": other, "owner": other, "candidate": other} | data
    results = []
    for body in (data, forged):
        with taken_back():
            reply = browser.send(world.cookies[actor], "POST", path, body)
            results.append((reply.status_code, where(reply), facts(world)))
    assert results[0] == results[1]


# --- in which order -------------------------------------------------------------------------------

STATES = ("running", "practice", "grading", "graded", "abandoned")
ALL_WORK = ("Attempt", "Response", "Grading", "ResponseGrade", "Mark", "LateText")
# What each step changes, by the state the attempt is in. What is not listed changes nothing.
CHANGES: dict[tuple[str, str], tuple[str, ...]] = {
    ("save", "running"): ("Response",),
    ("save", "practice"): ("Response",),
    # Text after the end is kept beside the answer.
    ("save", "grading"): ("LateText",),
    ("save", "graded"): ("LateText",),
    ("go", "running"): ("Response",),
    ("go", "practice"): ("Response",),
    ("go", "grading"): ("LateText",),
    ("go", "graded"): ("LateText",),
    ("flag", "running"): ("Response",),
    ("flag", "practice"): ("Response",),
    ("hint", "practice"): ("Response",),
    ("finish", "running"): ("Attempt",),
    ("finish", "practice"): ("Attempt",),
    ("abandon", "running"): ("Attempt",),
    ("abandon", "practice"): ("Attempt",),
    ("confidence", "grading"): ("ResponseGrade",),
    ("mark", "grading"): ("Mark",),
    ("reveal", "grading"): ("ResponseGrade", "Mark"),
    ("lesson", "grading"): ("ResponseGrade",),
    ("regrade", "graded"): ("Grading",),
    **{("retake", state): ("Attempt", "Response") for state in STATES},
    ("attempt-delete", "grading"): ("Attempt", "Response", "Grading", "ResponseGrade"),
    ("attempt-delete", "graded"): ALL_WORK,
    ("attempt-delete", "abandoned"): ("Attempt", "Response"),
}


@pytest.mark.parametrize("state", STATES)
def test_steps_out_of_order_change_nothing(state: str, world: World, before: Mapping[str, Any]) -> None:
    """S21, GRD-09: not graded before it is handed in, not answered after."""
    browser, found, expected = Browser(), {}, {}
    attempt = world.work[OWNER].attempt(state)
    for name, rule in RULES.items():
        if rule.door != OWN or not rule.post:
            continue
        step = name.partition(":")[2]
        for htmx in (False, True):
            with taken_back(), watched() as writes:
                reply = browser.send(
                    world.cookies[OWNER],
                    "POST",
                    rule.address(name, world, OWNER, attempt.pk),
                    rule.data(world, OWNER),
                    htmx=htmx,
                )
                after = snapshot() if writes else before
            found[step, htmx] = {
                label.partition(".")[2] for label, rows in after.items() if rows != before[label]
            }
            expected[step, htmx] = set(CHANGES.get((step, state), ()))
            if not expected[step, htmx]:
                assert reply.status_code in {204, 302, 404, 409}, f"{step}, htmx {htmx}"
    assert found == expected


def test_a_deadline_that_has_passed_hands_in_first(world: World) -> None:
    """GRD-09: an attempt nobody closed is closed by the first step of its grading, at its deadline."""
    attempt = world.work[OWNER].running
    passed = NOW - timedelta(hours=1)
    with taken_back():
        Attempt.objects.filter(pk=attempt.pk).update(
            started_at=passed - timedelta(minutes=15), deadline_at=passed
        )
        path = reverse("interviews:confidence", args=[attempt.pk, 1])
        reply = Browser().send(world.cookies[OWNER], "POST", path, {"confidence": "hire"})
        assert reply.status_code == 302
        attempt = Attempt.objects.get(pk=attempt.pk)
        assert (attempt.state, attempt.finished_at) == (State.GRADING, passed)
        assert [grade.confidence for grade in ResponseGrade.objects.filter(response__attempt=attempt)] == [
            "hire"
        ]

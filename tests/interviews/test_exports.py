"""What leaves as a file: everything a person did, in a form that harms no spreadsheet and loses no sign."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.models import User
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.exports import COLUMNS, cell, csv_lines, instant, json_parts
from prepapp.interviews.logbook.exporting import export_entries, sample_entries
from prepapp.interviews.models import Attempt, Grading, LateText, Mark, ResponseGrade
from tests.factories.bank import PackFactory, QuestionFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory, add_grading
from tests.factories.samples import add_samples, mark_sample

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 14, 23, 30, tzinfo=UTC)
HOSTILE = ["=1+1", "-5", "+3", "@x", "\t=1", "\r=1", '=HYPERLINK("x")', "'quoted"]


@pytest.fixture(autouse=True)
def fixed_clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def cleo() -> User:
    return CandidateFactory()


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


def export(site: Client, kind: str) -> str:
    response = site.get(f"/history/export/{kind}")
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


def rows_of(site: Client) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export(site, "csv"), newline="")))


def attempts_of(site: Client) -> list[dict[str, Any]]:
    return json.loads(export(site, "json"))["attempts"]


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((text, f"'{text}") for text in HOSTILE if text != "'quoted"),
        ("'quoted", "'quoted"),
        ("a = b", "a = b"),
        ("\n=1", "\n=1"),
        ("", ""),
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (-5, -5),
        (0.5, 0.5),
        (Decimal("-0.500000"), "-0.5"),
        (Decimal("10.000000"), "10"),
        (Decimal("0E-6"), "0"),
        (Decimal("6.666667"), "6.666667"),
        (datetime(2026, 11, 12, 14, 3, tzinfo=UTC), "2026-11-12T14:03:00Z"),
    ],
)
def test_a_cell(value: Any, written: Any) -> None:
    assert cell(value) == written


def test_no_column_name_is_a_formula() -> None:
    assert [cell(name) for name in COLUMNS] == list(COLUMNS)
    assert len(set(COLUMNS)) == len(COLUMNS)


def test_instants_are_utc() -> None:
    zone = datetime.strptime("2026-11-01T01:30:00-04:00", "%Y-%m-%dT%H:%M:%S%z")
    assert instant(zone) == "2026-11-01T05:30:00Z"


# --- files ----------------------------------------------------------------------------------------


def test_formulas_are_made_harmless_and_numbers_stay_numbers(site: Client, cleo: User) -> None:
    """CUR-06: no cell runs; the text can be read; scores are numbers."""
    attempt = AttemptFactory(
        user=cleo,
        title="=cmd",
        state=State.GRADED,
        responses=len(HOSTILE),
        responses__texts=HOSTILE,
        grading__value=MarkValue.PARTLY,
        grading__quote="=quoted",
    )
    ResponseGrade.objects.update(fix_next="@next")
    LateText.objects.create(
        response=attempt.responses.get(position=1), user=cleo, text="-late", received_at=NOW
    )
    rows = rows_of(site)
    assert [row["answer"] for row in rows] == [*(f"'{text}" for text in HOSTILE[:-1]), "'quoted"]
    assert {row["interview"] for row in rows} == {"'=cmd"}
    assert {row["fix_next"] for row in rows} == {"'@next"}
    assert rows[0]["late_text"] == "'-late"
    assert {row["attempt_score"] for row in rows} == {row["answer_score"] for row in rows} == {"5"}
    assert {row["marks"] for row in rows} == {"r1: 0.5\nr2: 0.5\nr3: 0.5"}
    assert rows[0]["quotes"] == "r1: =quoted\nr2: =quoted\nr3: =quoted"
    starts = {value[:1] for row in rows for value in row.values()}
    assert starts & {"=", "+", "-", "@", "\t", "\r"} == set()


def test_json_gives_back_every_sign(site: Client, cleo: User) -> None:
    texts = [*HOSTILE, "<b>&amp;</b>", "a\r\nb\u2028\u2029", 'ünï 🎓 \\ "', "  spaces  \n\n"]
    AttemptFactory(user=cleo, state=State.GRADED, responses=len(texts), responses__texts=texts)
    (attempt,) = attempts_of(site)
    assert [answer["text"] for answer in attempt["answers"]] == texts


def test_everything_is_there(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    attempt = AttemptFactory(
        user=cleo,
        state=State.GRADED,
        responses__questions=[question],
        responses__texts=["mine"],
        grading__value=MarkValue.PARTLY,
        grading__quote="mine",
    )
    add_grading(attempt, number=2, value=MarkValue.MET, closed_at=NOW)
    Mark.objects.filter(value=MarkValue.MET).update(first_value=MarkValue.MISSED)
    LateText.objects.create(response=attempt.responses.get(), user=cleo, text="late", received_at=NOW)
    (entry,) = attempts_of(site)
    answer, gradings = entry.pop("answers")[0], entry.pop("gradings")
    assert entry == {
        "id": str(attempt.pk),
        "interview": "Phone screen",
        "blueprint": None,
        "track": attempt.track_id,
        "pack": None,
        "mode": "mock",
        "level": "intermediate",
        "state": "graded",
        "minutes": 15,
        "time_allowance": "1.00",
        "started_at": "2026-11-12T14:00:00Z",
        "deadline_at": "2026-11-12T14:15:00Z",
        "finished_at": "2026-11-12T14:10:00Z",
        "ended": "finished",
        "graded_at": "2026-11-14T23:30:00Z",
        "score": 10.0,
    }
    assert (answer["question"], answer["version"], answer["text"]) == (question.ref, 1, "mine")
    assert (answer["topic"], answer["minutes"]) == (question.topic_id, 5)
    assert answer["asked_at"] == "2026-11-12T14:00:00Z"
    assert answer["late_texts"] == [{"received_at": "2026-11-14T23:30:00Z", "text": "late"}]
    assert [grading["score"] for grading in gradings] == [5.0, 10.0]
    given = gradings[1]["answers"][0]
    assert (given["confidence"], given["score"]) == ("hire", 10.0)
    assert given["marks"][0] == {
        "point": "r1",
        "criterion": f"Criterion r1 of Title of {question.slug}",
        "weight": 4,
        "is_must": True,
        "value": 1.0,
        "first_value": 0.0,
        "quote": "",
        "marked_at": "2026-11-14T23:30:00Z",
    }
    assert gradings[0]["answers"][0]["marks"][0]["quote"] == "mine"
    first, second = rows_of(site)
    assert (first["grading"], first["quotes"]) == ("1", "r1: mine\nr2: mine\nr3: mine")
    assert (second["grading"], second["first_marks"]) == ("2", "r1: 0\nr2: 0\nr3: 0")
    assert first["answer"] == second["answer"] == "mine"
    assert first["weights"] == second["weights"] == "r1: 4\nr2: 3\nr3: 3"
    assert (first["topic"], first["asked_at"]) == (question.topic_id, "2026-11-12T14:00:00Z")
    assert (first["minutes"], first["answer_minutes"]) == ("15", "5")


def test_a_mock_of_a_pack_keeps_the_pack_and_the_setting_that_was_shown(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, track=None, pack=PackFactory(slug="loop"), responses=2)
    attempt.responses.filter(position=1).update(setting="You sort telemetry.")
    [entry] = attempts_of(site)
    assert (entry["pack"], entry["track"]) == ("loop", None)
    assert [answer["setting"] for answer in entry["answers"]] == ["You sort telemetry.", ""]


def test_whole_seconds_and_parts_of_them_keep_their_zone(site: Client, cleo: User) -> None:
    """What is recomputed from the file needs the instants as they are kept."""
    part = timedelta(microseconds=250_000)
    attempt = AttemptFactory(user=cleo, state=State.GRADED, started_at=STARTED_AT + part)
    (row,) = rows_of(site)
    assert row["started_at"] == instant(attempt.started_at) == "2026-11-12T14:00:00.250000Z"
    assert attempts_of(site)[0]["started_at"] == row["started_at"]


def test_weights_are_told_when_the_rubric_is(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    AttemptFactory(user=cleo, started_at=NOW, responses__questions=[question])
    weights = [row["weights"] for row in rows_of(site)]
    assert weights == ["", ""]
    Attempt.objects.filter(state=State.RUNNING).delete()
    assert [row["weights"] for row in rows_of(site)] == ["r1: 4\nr2: 3\nr3: 3"]


def test_an_attempt_without_answers_is_a_row(site: Client, cleo: User) -> None:
    AttemptFactory(user=cleo, state=State.ABANDONED, responses=0)
    (row,) = rows_of(site)
    assert (row["state"], row["answer"], row["grading"]) == ("abandoned", "", "")


def test_an_empty_history_is_a_whole_file(site: Client) -> None:
    assert rows_of(site) == []
    assert json.loads(export(site, "json")) == {
        "exported_at": "2026-11-14T23:30:00Z",
        "attempts": [],
        "samples": [],
    }


def test_the_file_says_what_it_is(client: Client) -> None:
    dev = CandidateFactory(time_zone="Asia/Tokyo", is_time_zone_confirmed=True)
    client.force_login(dev)
    answer = client.get("/history/export/csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="prepapp-history-2026-11-15.csv"'
    answer = client.get("/history/export/json")
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-store, private"


# --- who, and what not yet ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_nothing_of_others_is_in_it(site: Client, cleo: User, kind: str) -> None:
    """HIS-01 for the export."""
    AttemptFactory(user=cleo, state=State.GRADED, responses__texts=["of cleo"])
    AttemptFactory(state=State.GRADED, responses__texts=["of dev"])
    text = export(site, kind)
    assert "of cleo" in text
    assert "of dev" not in text


def test_a_guest_may_take_their_work_along(client: Client) -> None:
    guest = CandidateFactory(guest=True)
    session = client.session
    session[GUEST_SESSION_KEY] = str(guest.pk)
    session.save()
    AttemptFactory(user=guest, state=State.GRADED)
    assert len(rows_of(client)) == 1


def test_signed_out_goes_to_sign_in(client: Client) -> None:
    response = client.get("/history/export/json")
    assert response["Location"] == f"{reverse('account_login')}?next=/history/export/json"


def test_other_forms_and_verbs_do_not_exist(site: Client) -> None:
    assert site.get("/history/export/xlsx").status_code == 404
    assert {getattr(site, verb)("/history/export/csv").status_code for verb in ("post", "put", "delete")} == {
        405
    }


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_no_rubric_before_it_may_be_seen(site: Client, cleo: User, kind: str) -> None:
    """P13: running, ungraded, graded but not revealed; then revealed."""
    AttemptFactory(user=cleo, started_at=NOW, responses__follow_ups=1)
    Attempt.objects.get().responses.filter(follow_up__isnull=False).update(asked_at=None)
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    Attempt.objects.filter(pk=attempt.pk).update(state=State.GRADING, score=None, graded_at=None)
    Grading.objects.update(closed_at=None, score=None)
    ResponseGrade.objects.update(revealed_at=None)
    text = export(site, kind)
    secrets = ["Criterion", "Model answer", "Met r", "Partly r", "Pitfall", "Answer 1", "Follow-up 1"]
    assert [secret for secret in secrets if secret in text] == []
    ResponseGrade.objects.update(revealed_at=NOW)
    assert ("Criterion r1" in export(site, kind)) == (kind == "json")


def test_a_running_mock_holds_its_rubric_back(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    AttemptFactory(user=cleo, started_at=NOW, responses__questions=[question])
    assert "Criterion" not in export(site, "json")


def test_the_limit_is_per_person_and_counts_gets(site: Client, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "export": "2/d/user"}
    codes = [site.get(f"/history/export/{kind}").status_code for kind in ("csv", "json", "csv")]
    assert codes == [200, 200, 429]
    other = Client()
    other.force_login(CandidateFactory())
    assert other.get("/history/export/csv").status_code == 200


# --- sample answers -------------------------------------------------------------------------------


def test_marks_of_samples_are_in_the_json(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    middling = add_samples(question)[1]
    mark_sample(cleo, middling, value=MarkValue.MET)
    mark_sample(CandidateFactory(), middling, value=MarkValue.MISSED)
    [entry] = json.loads(export(site, "json"))["samples"]
    assert {name: value for name, value in entry.items() if name != "marks"} == {
        "question": question.ref,
        "version": 1,
        "sample": 2,
        "level": "middling",
        "graded_at": "2026-11-12T14:00:00Z",
    }
    assert entry["marks"][0] == {
        "point": "r1",
        "criterion": f"Criterion r1 of Title of {question.slug}",
        "weight": 4,
        "value": 1,
        "reference": 0.5,
    }
    assert [mark["point"] for mark in entry["marks"]] == ["r1", "r2", "r3"]


@pytest.mark.parametrize("state", [State.RUNNING, State.GRADING])
def test_the_reference_is_left_out_while_the_sample_is_closed(site: Client, cleo: User, state: str) -> None:
    question = QuestionFactory()
    mark_sample(cleo, add_samples(question)[0])
    AttemptFactory(user=cleo, state=state, started_at=NOW, responses__questions=[question])
    [entry] = json.loads(export(site, "json"))["samples"]
    assert entry["level"] is None
    assert {
        (mark["criterion"], mark["weight"], mark["value"], mark["reference"]) for mark in entry["marks"]
    } == {(None, None, 1, None)}


@pytest.mark.parametrize("count", [1, 3])
def test_samples_cost_three_queries(cleo: User, count: int) -> None:
    for sample in add_samples(*(QuestionFactory() for _ in range(count))):
        mark_sample(cleo, sample)
    with CaptureQueriesContext(connection) as captured:
        assert len(list(sample_entries(cleo, NOW))) == 3 * count
    assert len(captured) == 3


# --- costs ----------------------------------------------------------------------------------------


def test_queries_grow_with_the_chunks_only(cleo: User) -> None:
    day = timedelta(days=1)
    counts = []
    for attempts in (2, 3):
        for number in range(attempts):
            started_at = STARTED_AT + number * day
            attempt = AttemptFactory(user=cleo, state=State.GRADED, responses=attempts, started_at=started_at)
            add_grading(attempt, number=2)
        with CaptureQueriesContext(connection) as captured:
            entries = list(export_entries(cleo, NOW, chunk_size=10))
        assert len(entries) == Attempt.objects.count()
        counts.append(len(captured))
    # What is held back, the chunk with its six kinds of rows, the look for a further chunk.
    assert counts == [1 + 6 + 1, 1 + 6 + 1]


def test_chunks_neither_repeat_nor_miss(cleo: User) -> None:
    attempts = [AttemptFactory(user=cleo, state=State.GRADED, mode=Mode.PRACTICE) for _ in range(7)]
    entries = [entry["id"] for entry in export_entries(cleo, NOW, chunk_size=2)]
    assert entries == sorted(str(attempt.pk) for attempt in attempts)


def test_text_is_made_while_it_is_read(cleo: User) -> None:
    """A long history is never in memory at once."""
    AttemptFactory(user=cleo, state=State.GRADED)
    with CaptureQueriesContext(connection) as captured:
        assert next(csv_lines(export_entries(cleo, NOW))).startswith("attempt_id,interview,")
        parts = json_parts(export_entries(cleo, NOW), sample_entries(cleo, NOW), NOW)
        assert next(parts).startswith('{"exported_at"')
    assert len(captured) == 0

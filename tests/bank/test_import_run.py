"""A file from the upload to the undoing: prepared, written once and as a whole, taken back (R2, R4-R7, P22)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings as project

from prepapp.bank.actions import (
    discard_draft,
    load_bank,
    open_draft,
    publish_draft,
    retire_questions,
    save_draft,
    submit_draft,
)
from prepapp.bank.actions.bulk import move_questions
from prepapp.bank.actions.importing import (
    confirm_import,
    discard_import,
    forget_previews,
    give_up_imports,
    note_progress,
    prepare_import,
    start_import,
    undo_import,
    write_import,
)
from prepapp.bank.choices import Change, Event, FlagReason, ImportState
from prepapp.bank.models import (
    CurationEvent,
    Draft,
    DraftRevision,
    Flag,
    FollowUp,
    ImportFile,
    ImportRun,
    Question,
    QuestionVersion,
    RubricPoint,
    Topic,
)
from prepapp.bank.queries import current_documents
from prepapp.bank.queries.import_runs import lost_runs
from prepapp.bank.refusals import FaultsLeft, ImportUsed, RunMoved
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.question_file import QuestionFile, read_bank
from prepapp.bank.transfer.writers import write_file
from tests.bank.importing import (
    NOW,
    bank_file,
    confirm,
    imported,
    in_bank,
    nothing,
    outcomes,
    question,
    questions,
    upload,
)
from tests.factories.accounts import UserFactory
from tests.factories.curation import curator, finished_document, reviewer
from tests.factories.interviews import AttemptFactory
from tests.factories.samples import add_samples

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=2)


@pytest.fixture
def ana() -> Any:
    return curator(email="ana@example.test")


# --- the preview ----------------------------------------------------------------------------------


def test_a_preview_writes_nothing_but_its_rows(ana: Any) -> None:
    before = in_bank()
    run = upload(bank_file(*questions(2)), ana)
    assert (run.state, run.seen, run.detected) == (ImportState.PREVIEWED, 2, "JSON, UTF-8")
    assert outcomes(run) == [("item-1", "created"), ("item-2", "created")]
    assert in_bank() == before


@pytest.mark.parametrize("data", [b"", b"[]", b'{"questions": []}', b"slug,title\n"])
def test_a_file_without_a_question_is_refused_and_leaves_nothing(ana: Any, data: bytes) -> None:
    before = in_bank()
    run = upload(data, ana, name="bank.csv" if data.startswith(b"slug") else "bank.json")
    assert run.state == ImportState.REFUSED
    assert len(run.problems) == 1
    assert (in_bank(), ImportFile.objects.count(), run.rows.count()) == (before, 0, 0)
    with pytest.raises(RunMoved):
        confirm(run)


def test_what_a_reader_cannot_bear_is_refused_with_words(ana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, data: bytes) -> None:
        raise RecursionError

    monkeypatch.setattr("prepapp.bank.actions.importing.preparing.read_file", broken)
    run = upload(bank_file(*questions(1)), ana)
    assert run.state == ImportState.REFUSED
    assert "could not be read" in run.problems[0][1]


def test_progress_is_told_every_fifty_items(ana: Any) -> None:
    told: list[int] = []
    run = start_import(name="bank.json", data=bank_file(*questions(120)), by=ana, publishes=False, now=NOW)
    assert prepare_import(run_id=run.pk, now=NOW, beat=told.append) is True
    assert told == [50, 100]


def test_reading_a_zip_shows_how_far_it_is(ana: Any) -> None:
    seen: list[tuple[int, int]] = []
    entries = [Entry("", "draft", question(f"item-{number}")) for number in range(60)]
    run = start_import(
        name="bank.zip", data=write_file("yaml-zip", entries), by=ana, publishes=False, now=NOW
    )

    def beat(done: int) -> None:
        seen.append((done, ImportRun.objects.get().seen))

    assert prepare_import(run_id=run.pk, now=NOW, beat=beat) is True
    assert seen == [(50, 60), (50, 60)]


def test_progress_never_goes_back(ana: Any) -> None:
    run = start_import(name="bank.json", data=bank_file(*questions(1)), by=ana, publishes=False, now=NOW)
    ImportRun.objects.update(state=ImportState.READING)
    for done in (50, 100, 50):
        note_progress(run_id=run.pk, done=done, now=LATER)
    run.refresh_from_db()
    assert run.done == 100


def test_a_sign_of_life_is_written_while_somebody_works(ana: Any) -> None:
    run = start_import(name="bank.json", data=bank_file(*questions(1)), by=ana, publishes=False, now=NOW)
    ImportRun.objects.update(state=ImportState.READING)
    note_progress(run_id=run.pk, done=7, now=LATER)
    run.refresh_from_db()
    assert (run.done, run.beat_at) == (7, LATER)
    ImportRun.objects.update(state=ImportState.DONE)
    note_progress(run_id=run.pk, done=9, now=LATER)
    run.refresh_from_db()
    assert run.done == 7


def test_more_items_than_a_request_takes_wait_for_a_worker(ana: Any) -> None:
    run = start_import(name="bank.json", data=bank_file(*questions(3)), by=ana, publishes=False, now=NOW)
    assert prepare_import(run_id=run.pk, now=NOW, beat=nothing, at_most=2) is False
    assert ImportRun.objects.get().state == ImportState.WAITING
    assert prepare_import(run_id=run.pk, now=NOW, beat=nothing, at_most=3) is True


def test_the_same_bytes_of_the_same_person_are_one_run_while_it_is_open(ana: Any) -> None:
    data = bank_file(*questions(1))
    first = upload(data, ana)
    assert upload(data, ana) == first
    assert upload(data, curator()) != first
    assert upload(bank_file(*questions(2)), ana) != first
    confirm(first)
    assert upload(data, ana) != first


def test_a_preview_is_made_anew_when_it_is_to_publish(ana: Any) -> None:
    data = bank_file(question("a", status="published"))
    run = upload(data, ana)
    again = upload(data, ana, publishes=True)
    assert (again.pk, again.state, again.publishes) == (run.pk, ImportState.PREVIEWED, True)


def test_a_preview_made_anew_has_its_hour_again(ana: Any) -> None:
    data = bank_file(question("a", status="published"))
    upload(data, ana)
    run = start_import(name="bank.json", data=data, by=ana, publishes=True, now=LATER)
    assert give_up_imports(now=LATER + timedelta(minutes=1)) == 0
    assert prepare_import(run_id=run.pk, now=LATER, beat=nothing) is True


# --- into the bank --------------------------------------------------------------------------------


def test_an_import_makes_drafts_with_revision_editor_owner_and_log(ana: Any) -> None:
    run = imported(bank_file(question("a", tags=["x"], category="Interview/Graphs")), ana)
    made = Question.objects.get()
    assert (made.slug, made.topic_id, made.status, made.owner) == ("a", None, "draft", ana)
    assert (made.draft.document["prompt"], made.draft.document["category"]) == (
        "Explain a.",
        ["Interview", "Graphs"],
    )
    assert (made.draft.revision, made.draft.title, made.draft.edited_by) == (1, "Title of a", ana)
    assert list(made.draft.editors.all()) == [ana]
    assert [one.document for one in DraftRevision.objects.all()] == [made.draft.document]
    # Neither tags nor topics before somebody publishes it.
    assert in_bank() == [1, 0, 1, 1, 0, 0, 2]
    assert list(CurationEvent.objects.order_by("pk").values_list("event", "label", "actor")) == [
        (Event.IMPORTED, "a", ana.pk),
        (Event.IMPORTED, "bank.json", ana.pk),
    ]
    row = run.rows.get()
    assert (row.question, row.revision, row.status) == (made, 1, "draft")
    assert ImportFile.objects.count() == 0


def test_the_second_time_nothing_changes(ana: Any) -> None:
    """R7, whoever sends it."""
    data = bank_file(*questions(3))
    imported(data, ana)
    before = in_bank()
    run = imported(data, curator(), now=LATER)
    assert run.counts == {"created": 0, "updated": 0, "unchanged": 3, "skipped": 0, "failed": 0}
    assert in_bank() == [*before[:-1], before[-1] + 1]


def test_all_or_nothing_unless_the_good_ones_are_chosen(ana: Any) -> None:
    run = upload(bank_file(question("a"), question("A "), question("b")), ana)
    before = in_bank()
    with pytest.raises(FaultsLeft):
        confirm(run)
    assert (in_bank(), ImportRun.objects.get().state) == (before, ImportState.PREVIEWED)
    done = confirm(run, takes_good_ones=True)
    assert (done.state, outcomes(done)) == (
        ImportState.DONE,
        [("a", "created"), ("a", "failed"), ("b", "created")],
    )
    assert sorted(Question.objects.values_list("slug", flat=True)) == ["a", "b"]


def test_an_import_is_written_once(ana: Any) -> None:
    run = imported(bank_file(*questions(1)), ana)
    before = in_bank()
    confirm_import(run_id=run.pk, takes_good_ones=False, now=LATER)
    for _ in range(2):
        write_import(run_id=run.pk, now=LATER, beat=nothing)
    assert (in_bank(), ImportRun.objects.get().finished_at) == (before, NOW)


def test_what_became_faulty_since_the_preview_stops_all_of_it(ana: Any) -> None:
    imported(bank_file(question("a")), ana)
    run = upload(bank_file(question("a", prompt="Anew."), question("b")), ana)
    assert outcomes(run) == [("a", "updated"), ("b", "created")]
    draft = Draft.objects.get()
    bob = curator(email="bob@example.test")
    save_draft(
        question_id=draft.question_id,
        document={**draft.document, "prompt": "Mine."},
        revision=1,
        by=bob,
        now=NOW,
    )
    again = confirm(run)
    assert (again.state, outcomes(again)) == (ImportState.PREVIEWED, [("a", "failed"), ("b", "created")])
    assert again.problems[0][1].startswith("The bank changed since the preview: 1 item is faulty now.")
    assert again.rows.first().notices[0][1].startswith("bob@example.test is writing a draft of it")
    assert list(Question.objects.values_list("slug", flat=True)) == ["a"]


def test_a_file_that_cannot_be_read_again_is_not_written_as_an_empty_one(
    ana: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(bank_file(*questions(2)), ana)

    def broken(name: str, data: bytes) -> None:
        raise MemoryError

    monkeypatch.setattr("prepapp.bank.actions.importing.preparing.read_file", broken)
    again = confirm(run)
    assert (again.state, again.seen, in_bank()) == (ImportState.PREVIEWED, 2, [0] * 7)
    assert "could not be read again" in again.problems[0][1]
    monkeypatch.undo()
    assert confirm(again).counts["created"] == 2


def test_what_an_import_wrote_is_written_over_by_the_next_one(ana: Any) -> None:
    imported(bank_file(question("a"), question("b")), ana)
    run = imported(bank_file(question("a", prompt="Anew."), question("b")), ana, now=LATER)
    assert outcomes(run) == [("a", "updated"), ("b", "unchanged")]
    draft = Draft.objects.get(question__slug="a")
    assert (draft.document["prompt"], draft.revision, draft.created_at, draft.edited_at) == (
        "Anew.",
        2,
        NOW,
        LATER,
    )


def statements(work: Callable[[], Any], capture: Any) -> int:
    with capture as found:
        work()
    return len(found)


@pytest.mark.parametrize("publishes", [False, True])
def test_the_statements_of_a_batch_do_not_grow_with_it(
    ana: Any, publishes: bool, django_assert_max_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    whole = finished_document()

    def write(prefix: str, count: int) -> int:
        entries = [
            Entry("", "published", {**whole, "slug": f"{prefix}-{n}", "title": f"{prefix} {n}"})
            for n in range(count)
        ]
        run = upload(write_file("json", entries), ana, publishes=publishes)
        confirm_import(run_id=run.pk, takes_good_ones=False, now=NOW)
        with CaptureQueriesContext(connection) as found:
            write_import(run_id=run.pk, now=NOW, beat=nothing)
        assert ImportRun.objects.get(pk=run.pk).counts["created"] == count
        return len(found)

    # The first one makes the tags.
    write("first", 1)
    assert write("one", 1) == write("three", 3)


# --- publishing, and a bank in an empty instance --------------------------------------------------


@pytest.fixture(scope="module")
def shipped() -> list[QuestionFile]:
    files, problems = read_bank(project.BASE_DIR / "fixtures" / "bank")
    assert problems == []
    return files[:6]


def content() -> dict[str, Any]:
    """The bank by slug: status, reference and text, tags in the order of the alphabet."""
    found = {}
    rows = Question.objects.select_related("draft")
    published = current_documents(list(rows))
    for row in rows:
        document = published.get(row.pk) or row.draft.document
        ref = row.ref if row.current_version_id else ""
        found[row.slug] = (row.status, ref, {**document, "tags": sorted(document["tags"])})
    return found


@pytest.mark.parametrize("format_name", ["json", "yaml-zip"])
def test_a_bank_imported_into_an_empty_one_is_the_same(
    shipped: list[QuestionFile], format_name: str, ana: Any
) -> None:
    from prepapp.bank.queries.exporting import ExportFilter, export_entries

    load_bank(files=shipped, now=NOW)
    retire_questions(
        question_ids=[Question.objects.order_by("pk")[0].pk], note="Out of date.", by=reviewer(), now=NOW
    )
    imported(bank_file(question("a", tags=["x"]), question("old", tags=[], status="archived")), ana)
    data = write_file(format_name, export_entries(ExportFilter()))
    before = content()
    for model in (ImportRun, Draft, DraftRevision):
        model.objects.all().delete()
    Question.objects.update(current_version=None)
    for model in (RubricPoint, FollowUp, QuestionVersion, Question):
        model.objects.all().delete()

    name = f"bank.{'json' if format_name == 'json' else 'zip'}"
    run = imported(data, ana, name=name, publishes=True)

    assert run.counts["created"] == len(before) == 8
    assert content() == before
    assert imported(data, ana, name=name, publishes=True).counts["unchanged"] == 8


def test_a_published_import_says_who_and_that_it_was_not_a_file_of_the_program(ana: Any) -> None:
    data = write_file("json", [Entry("", "published", finished_document())])
    run = imported(data, ana, publishes=True)
    version = QuestionVersion.objects.get()
    assert (version.number, version.meaning, version.source, version.published_by) == (1, 1, "app", ana)
    assert version.question.ref.endswith("-10001")
    assert version.question.status == "published"
    assert (run.rows.get().revision, Draft.objects.count()) == (None, 0)
    assert version.question.tags.count() == len(finished_document()["tags"])


def test_a_reference_that_is_taken_is_given_anew(ana: Any, shipped: list[QuestionFile]) -> None:
    load_bank(files=shipped[:1], now=NOW)
    document = finished_document(slug="another", title="Another one")
    imported(write_file("json", [Entry("", "published", document)]), ana, publishes=True)
    topic = document["topic"]
    refs = ["", "no.topic-001", f"{topic}-077", f"{topic}-10002"]
    entries = [
        Entry(ref, "published", {**document, "slug": f"q-{n}", "title": f"Q {n}"})
        for n, ref in enumerate(refs)
    ]
    run = imported(write_file("json", entries), ana, publishes=True)
    found = Question.objects.filter(slug__startswith="q-").order_by("slug").values_list("ref", flat=True)
    assert list(found) == [f"{topic}-10003", f"{topic}-10004", *refs[2:]]
    told = {row.position: row.notices for row in run.rows.all()}
    assert [told[n] for n in (1, 3, 4)] == [[]] * 3
    assert told[2] == [["ref", "'no.topic-001' is no reference of its topic; it gets a new one"]]


# --- undoing --------------------------------------------------------------------------------------


def test_an_import_nobody_used_is_undone_in_one_act(ana: Any) -> None:
    before = in_bank()
    run = imported(bank_file(*questions(3)), ana)
    undo_import(run_id=run.pk, by=ana, now=LATER)
    assert in_bank()[:-1] == before[:-1]
    run.refresh_from_db()
    assert (run.state, run.undone_at, run.seen) == (ImportState.UNDONE, LATER, 3)
    event = CurationEvent.objects.order_by("pk").last()
    assert event is not None
    assert (event.event, event.actor, event.about["slugs"]) == (
        Event.IMPORT_UNDONE,
        ana,
        ["item-1", "item-2", "item-3"],
    )
    with pytest.raises(RunMoved):
        undo_import(run_id=run.pk, by=ana, now=LATER)
    # And it can be imported again.
    assert imported(bank_file(*questions(3)), ana).counts["created"] == 3


def test_published_questions_go_with_their_versions(ana: Any) -> None:
    before = in_bank()[:4]
    data = write_file("json", [Entry("", "published", finished_document())])
    run = imported(data, ana, publishes=True)
    undo_import(run_id=run.pk, by=ana, now=LATER)
    assert in_bank()[:4] == before


def test_a_file_from_before_a_move_means_the_question_that_moved(
    ana: Any, shipped: list[QuestionFile]
) -> None:
    load_bank(files=shipped[:1], now=NOW)
    known = Question.objects.get()
    topic = Topic.objects.exclude(pk=known.topic_id).first()
    assert topic is not None
    move_questions(question_ids=[known.pk], topic=topic, by=ana, now=NOW)
    run = upload(
        bank_file({"id": known.ref, "slug": "another", "topic": topic.pk, "title": "Renamed"}),
        ana,
        publishes=True,
    )
    row = run.rows.get()
    assert (row.outcome, row.question_id) == ("updated", known.pk)


def test_updated_drafts_are_what_they_were(ana: Any, shipped: list[QuestionFile]) -> None:
    load_bank(files=shipped[:1], now=NOW)
    imported(bank_file(question("a")), ana)
    old = Draft.objects.get().document
    run = imported(
        bank_file(question("a", prompt="Anew."), {"slug": shipped[0].slug, "prompt": "Anew, too."}),
        ana,
        now=LATER,
    )
    assert run.counts["updated"] == 2
    assert Draft.objects.count() == 2
    undo_import(run_id=run.pk, by=ana, now=LATER)
    draft = Draft.objects.get()
    assert (draft.question.slug, draft.document, draft.revision) == ("a", old, 3)
    assert DraftRevision.objects.get(question=draft.question, revision=3).document == old


def test_what_stands_again_after_an_undo_is_still_of_the_import_before(ana: Any) -> None:
    before = in_bank()[:-1]
    first = imported(bank_file(question("a"), question("b")), ana)
    for prompt in ("Wrong.", "Wrong again."):
        second = imported(bank_file(question("a", prompt=prompt)), ana, now=LATER)
        assert second.counts["updated"] == 1
        undo_import(run_id=second.pk, by=ana, now=LATER)
    undo_import(run_id=first.pk, by=ana, now=LATER)
    assert in_bank()[:-1] == before


def edited(run: ImportRun) -> None:
    draft = Draft.objects.get(question__slug="a")
    save_draft(
        question_id=draft.question_id,
        document={**draft.document, "title": "Mine"},
        revision=1,
        by=curator(),
        now=LATER,
    )


def in_review(run: ImportRun) -> None:
    submit_draft(question_id=Question.objects.get(slug="whole").pk, revision=1, by=curator(), now=LATER)


def published(run: ImportRun) -> None:
    in_review(run)
    publish_draft(
        question_id=Question.objects.get(slug="whole").pk,
        revision=1,
        change=Change.MAJOR,
        note="",
        by=reviewer(),
        now=LATER,
    )


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (edited, "a: its draft was edited since."),
        (in_review, "whole: its draft is in review."),
        (published, "whole: its draft was published or discarded since."),
    ],
)
def test_drafts_that_went_on_keep_an_import_from_being_undone(
    ana: Any, use: Callable[[ImportRun], None], reason: str
) -> None:
    run = imported(write_file("json", [Entry("", "draft", finished_document(slug="whole"))]), ana)
    run = (
        imported(
            write_file(
                "json",
                [
                    Entry("", "draft", finished_document(slug="whole", title="Whole anew")),
                    Entry("", "draft", {"slug": "a", "title": "A"}),
                ],
            ),
            ana,
            now=NOW + timedelta(minutes=1),
        )
        if use is edited
        else run
    )
    use(run)
    before = in_bank()
    with pytest.raises(ImportUsed) as refused:
        undo_import(run_id=run.pk, by=ana, now=LATER)
    assert refused.value.reasons == (reason,)
    assert in_bank() == before


def test_a_question_that_was_asked_flagged_or_taken_up_keeps_an_import(ana: Any) -> None:
    document = finished_document()
    slugs = ("asked", "flagged", "opened", "retired", "sampled")
    entries = [Entry("", "published", {**document, "slug": slug, "title": slug.title()}) for slug in slugs]
    run = imported(write_file("json", entries), ana, publishes=True)
    asked, flagged, opened, retired, sampled = (Question.objects.get(slug=slug) for slug in slugs)
    AttemptFactory(responses__questions=[asked])
    Flag.objects.create(
        question=flagged,
        version=flagged.current_version,
        user=UserFactory(),
        place="result",
        reason=FlagReason.WRONG,
        raised_at=LATER,
    )
    open_draft(question_id=opened.pk, by=ana, now=LATER)
    retire_questions(question_ids=[retired.pk], note="", by=ana, now=LATER)
    add_samples(sampled)
    before = in_bank()
    with pytest.raises(ImportUsed) as refused:
        undo_import(run_id=run.pk, by=ana, now=LATER)
    assert refused.value.reasons == (
        "asked: it was asked in an interview.",
        "flagged: somebody flagged it.",
        "opened: a draft of it was begun since.",
        "retired: it was changed since.",
        "sampled: sample answers to it were loaded.",
    )
    assert in_bank() == before


# --- what nobody takes up -------------------------------------------------------------------------


def test_a_preview_or_a_refused_file_is_thrown_away_with_its_rows(ana: Any) -> None:
    run = upload(bank_file(*questions(2)), ana)
    discard_import(run_id=run.pk)
    assert (ImportRun.objects.count(), ImportFile.objects.count(), in_bank()) == (0, 0, [0] * 7)
    done = imported(bank_file(*questions(1)), ana)
    for run_id in (done.pk, uuid4()):
        with pytest.raises(RunMoved):
            discard_import(run_id=run_id)


@pytest.fixture
def waiting(ana: Any) -> ImportRun:
    return start_import(name="bank.json", data=bank_file(*questions(1)), by=ana, publishes=False, now=NOW)


@pytest.mark.parametrize(
    ("state", "seconds", "is_lost"),
    [
        ("waiting", 30, False),
        ("waiting", 31, True),
        ("reading", 600, False),
        ("reading", 601, True),
        ("writing", 600, False),
        ("writing", 601, True),
        ("previewed", 9999, False),
        ("done", 9999, False),
        ("refused", 9999, False),
    ],
)
def test_which_runs_the_sweep_sends_anew(waiting: ImportRun, state: str, seconds: int, is_lost: bool) -> None:
    ImportRun.objects.update(state=state)
    assert lost_runs(NOW + timedelta(seconds=seconds)) == ([waiting.pk] if is_lost else [])


def test_a_run_whose_reader_died_is_read_again_and_one_that_is_being_read_is_not(waiting: ImportRun) -> None:
    ImportRun.objects.update(state=ImportState.READING)
    soon, late = NOW + timedelta(seconds=600), NOW + timedelta(seconds=601)
    assert prepare_import(run_id=waiting.pk, now=soon, beat=nothing) is False
    assert prepare_import(run_id=waiting.pk, now=late, beat=nothing) is True
    assert ImportRun.objects.get().state == ImportState.PREVIEWED


@pytest.mark.parametrize(
    ("state", "given_up"),
    [
        (ImportState.WAITING, ImportState.REFUSED),
        (ImportState.READING, ImportState.REFUSED),
        (ImportState.WRITING, ImportState.PREVIEWED),
        (ImportState.DONE, ImportState.DONE),
    ],
)
def test_what_comes_to_no_end_is_given_up(waiting: ImportRun, state: str, given_up: str) -> None:
    ImportRun.objects.update(state=state, confirmed_at=NOW)
    give_up_imports(now=NOW + timedelta(hours=1))
    assert ImportRun.objects.get().state == state
    give_up_imports(now=NOW + timedelta(hours=1, seconds=1))
    assert ImportRun.objects.get().state == given_up
    assert ImportFile.objects.exists() == (given_up != ImportState.REFUSED)


def test_previews_are_forgotten_after_two_weeks(ana: Any) -> None:
    upload(bank_file(*questions(1)), ana)
    imported(bank_file(*questions(2)), ana)
    assert forget_previews(now=NOW + timedelta(days=14)) == 0
    assert forget_previews(now=NOW + timedelta(days=14, seconds=1)) == 1
    assert (ImportRun.objects.get().state, ImportFile.objects.count()) == (ImportState.DONE, 0)


def test_a_draft_that_was_discarded_is_no_draft_of_the_import(ana: Any, shipped: list[QuestionFile]) -> None:
    load_bank(files=shipped[:1], now=NOW)
    run = imported(bank_file({"slug": shipped[0].slug, "prompt": "Anew."}), ana)
    discard_draft(question_id=Question.objects.get().pk, revision=1, by=ana, now=LATER)
    with pytest.raises(ImportUsed):
        undo_import(run_id=run.pk, by=ana, now=LATER)
    assert upload(bank_file({"slug": shipped[0].slug, "prompt": "Anew."}), ana).counts["updated"] == 1

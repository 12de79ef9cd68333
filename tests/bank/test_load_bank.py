"""Question files into the bank: new, changed, unchanged, kept, refused, repeated."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from prepapp.bank.actions import (
    BankRefused,
    confirm_facts,
    create_question,
    load_bank,
    load_taxonomy,
    rerender_versions,
)
from prepapp.bank.actions.bulk import pack_questions, tag_questions
from prepapp.bank.choices import Status, VersionSource
from prepapp.bank.models import (
    FollowUp,
    Pack,
    Question,
    QuestionVersion,
    RubricPoint,
    Tag,
    Topic,
    Track,
    TrackTopic,
)
from prepapp.bank.taxonomy import TOPICS, TRACKS
from prepapp.bank.transfer.question_file import read_bank
from prepapp.common import markdown
from tests.bank.conftest import Folder
from tests.factories.bank import PackFactory, TopicFactory, add_version
from tests.factories.curation import curator

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def load(path: Path) -> list[str]:
    """The lines the command prints; the seconds are taken off the last one."""
    out = StringIO()
    call_command("load_bank", path, stdout=out)
    *lines, summary = out.getvalue().splitlines()
    assert re.search(r", \d+\.\d s$", summary)
    return [*lines, summary.rpartition(",")[0]]


def refusal(path: Path) -> tuple[list[str], str]:
    """The problems the command prints, and its last word."""
    err = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("load_bank", path, stderr=err, stdout=StringIO())
    return err.getvalue().splitlines(), str(refused.value)


def edit_in_app(ref: str) -> QuestionVersion:
    question = Question.objects.get(ref=ref)
    return add_version(question, source=VersionSource.APP, title="Edited by hand")


def test_new_files_become_published_questions(folder: Folder) -> None:
    assert load(folder.path) == ["2 files: 2 new, 0 changed, 0 refiled, 0 unchanged, 0 kept"]
    question = Question.objects.with_current().get(ref="gpu.memory-001")
    version = question.current_version
    assert (question.slug, question.status, question.topic_id) == ("first", Status.PUBLISHED, "gpu.memory")
    assert (version.number, version.source, version.title) == (1, VersionSource.FILE, "Title of first")
    assert version.rendered["prompt"] == "<p>Explain it.</p>\n"
    assert version.rendered["pitfalls"] == ["<p>Pitfall of first</p>\n"]
    assert (version.rendered["context"], version.rendered_by) == ("", markdown.PIPELINE_VERSION)
    points = version.rubric_points.order_by("pk").values_list(
        "key", "follow_up__key", "position", "weight", "is_must"
    )
    assert list(points) == [
        ("r1", None, 1, 6, True),
        ("r2", None, 2, 4, False),
        ("f1a", "f1", 1, 10, True),
    ]
    assert version.follow_ups.get().rendered == {"prompt": "<p>Then?</p>\n", "answer": "<p>Thus.</p>\n"}
    assert sorted(question.tags.values_list("name", flat=True)) == ["one", "two"]
    assert list(question.packs.values_list("slug", "title")) == [("nvidia", "Nvidia")]


def test_the_taxonomy_comes_first_and_is_idempotent(writes: Callable) -> None:
    load_taxonomy()
    assert list(Track.objects.values_list("code", flat=True)) == [track.code for track in TRACKS]
    assert list(Topic.objects.values_list("code", flat=True)) == [topic.code for topic in TOPICS]
    assert TrackTopic.objects.count() == sum(len(topic.tracks) for topic in TOPICS)
    with writes() as found:
        load_taxonomy()
    assert found == []


def test_the_taxonomy_mends_what_differs_and_leaves_what_it_does_not_list() -> None:
    own = TopicFactory(code="own.topic")
    load_taxonomy()
    Topic.objects.filter(code="gpu.memory").update(title="Other")
    TrackTopic.objects.filter(track="mle", topic="gpu.tensor").update(weight=9)
    TrackTopic.objects.create(track_id="beh", topic_id="gpu.memory", weight=1)
    load_taxonomy()
    assert Topic.objects.get(code="gpu.memory").title == "Memory hierarchy"
    assert [str(row.weight) for row in TrackTopic.objects.filter(track="mle", topic="gpu.tensor")] == ["0.20"]
    assert not TrackTopic.objects.filter(track="beh", topic="gpu.memory").exists()
    assert TrackTopic.objects.filter(topic=own).count() == 1


def test_a_second_run_writes_nothing(folder: Folder, writes: Callable) -> None:
    load(folder.path)
    with writes() as found:
        assert load(folder.path) == ["2 files: 0 new, 0 changed, 0 refiled, 2 unchanged, 0 kept"]
    assert found == []


def test_a_changed_file_makes_a_new_version_and_leaves_the_old_one(folder: Folder) -> None:
    load(folder.path)
    old = QuestionVersion.objects.filter(question__ref="gpu.memory-001").values().get()
    folder.write("first", "gpu.memory-001", prompt="Explain it better.")
    assert load(folder.path) == ["2 files: 0 new, 1 changed, 0 refiled, 1 unchanged, 0 kept"]
    current = Question.objects.with_current().get(ref="gpu.memory-001").current_version
    assert (current.number, current.prompt) == (2, "Explain it better.")
    assert QuestionVersion.objects.filter(pk=old["id"]).values().get() == old
    assert (RubricPoint.objects.count(), FollowUp.objects.count()) == (9, 3)


def test_filing_changes_without_a_new_version(folder: Folder) -> None:
    load(folder.path)
    folder.write("first", "gpu.memory-001", tags="two, three", packs="", recheck=6)
    assert load(folder.path) == ["2 files: 0 new, 0 changed, 1 refiled, 1 unchanged, 0 kept"]
    question = Question.objects.with_current().get(ref="gpu.memory-001")
    assert (question.current_version.number, question.current_version.recheck_months) == (1, 6)
    assert sorted(question.tags.values_list("name", flat=True)) == ["three", "two"]
    assert question.packs.count() == 0
    assert Question.objects.get(ref="gpu.memory-002").packs.count() == 1


def test_what_was_filed_in_the_app_is_not_filed_back_by_a_file(folder: Folder, writes: Callable) -> None:
    load(folder.path)
    question = Question.objects.get(ref="gpu.memory-001")
    by, pack = curator(), PackFactory(slug="by-hand")
    tag_questions(question_ids=[question.pk], name="one", is_on=False, by=by, now=NOW)
    pack_questions(question_ids=[question.pk], pack=pack, is_on=True, by=by, now=NOW)
    other = Question.objects.get(ref="gpu.memory-002")
    confirm_facts(question_id=other.pk, today=date(2027, 5, 1), by=by, now=NOW)
    with writes() as found:
        assert load(folder.path) == ["2 files: 0 new, 0 changed, 0 refiled, 2 unchanged, 0 kept"]
    assert found == []
    assert list(question.tags.values_list("name", flat=True)) == ["two"]
    assert sorted(question.packs.values_list("slug", flat=True)) == ["by-hand", "nvidia"]
    # How long the facts hold is still said by the file.
    folder.write("second", "gpu.memory-002", recheck=6)
    load(folder.path)
    version = QuestionVersion.objects.get(question=other)
    assert (version.reviewed_date, version.recheck_date) == (date(2027, 5, 1), date(2027, 11, 1))


def test_a_renamed_file_keeps_its_question(folder: Folder) -> None:
    load(folder.path)
    (folder.path / "first.yaml").unlink()
    folder.write("renamed", "gpu.memory-001")
    load(folder.path)
    assert sorted(Question.objects.values_list("ref", "slug")) == [
        ("gpu.memory-001", "renamed"),
        ("gpu.memory-002", "second"),
    ]


@pytest.mark.parametrize("prompt", ["Explain it.", "Explain it better."])
def test_an_edit_in_the_app_is_not_overwritten(folder: Folder, prompt: str, writes: Callable) -> None:
    load(folder.path)
    edited = edit_in_app("gpu.memory-001")
    folder.write("first", "gpu.memory-001", prompt=prompt, tags="other")
    with writes() as found:
        lines = load(folder.path)
    assert lines == [
        "gpu.memory-001 was edited or moved in the app, or its slug is used there; the file was left out.",
        "2 files: 0 new, 0 changed, 0 refiled, 1 unchanged, 1 kept",
    ]
    assert found == []
    assert Question.objects.get(ref="gpu.memory-001").current_version == edited


def test_a_new_file_gives_way_to_a_question_made_here_with_its_slug(folder: Folder) -> None:
    made = create_question(document={"slug": "second", "title": "Ours"}, by=curator(), now=NOW)
    assert load(folder.path) == [
        "gpu.memory-002 was edited or moved in the app, or its slug is used there; the file was left out.",
        "1 question has no file here; it stays.",
        "2 files: 1 new, 0 changed, 0 refiled, 0 unchanged, 1 kept",
    ]
    assert sorted(Question.objects.values_list("ref", "slug")) == [
        (made.question.ref, "second"),
        ("gpu.memory-001", "first"),
    ]


def test_a_question_without_a_file_stays(folder: Folder) -> None:
    load(folder.path)
    (folder.path / "second.yaml").unlink()
    assert load(folder.path) == [
        "1 question has no file here; it stays.",
        "1 files: 0 new, 0 changed, 0 refiled, 1 unchanged, 0 kept",
    ]
    assert Question.objects.published().count() == 2


def test_a_retired_question_stays_retired(folder: Folder) -> None:
    load(folder.path)
    Question.objects.update(status=Status.RETIRED)
    folder.write("first", "gpu.memory-001", prompt="Explain it better.")
    load(folder.path)
    assert set(Question.objects.values_list("status", flat=True)) == {Status.RETIRED}


def test_a_broken_file_keeps_all_of_them_out(folder: Folder) -> None:
    (folder.path / "third.yaml").write_text("schema: 1\nid: gpu.memory-003\nslug: [\n")
    folder.write("fourth", "gpu.memory-004", weight="four")
    lines, last_word = refusal(folder.path)
    assert [line.rpartition(": ")[0] for line in lines if "fourth" in line] == [
        "fourth.yaml:16: rubric[1].weight"
    ]
    assert any(line.startswith("third.yaml:") for line in lines)
    assert last_word == "2 problems found; nothing was written."
    assert (Question.objects.count(), Tag.objects.count(), Track.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("slug", "ref", "changes", "line"),
    [
        ("third", "gpu.memory-001", {}, "third.yaml:2: id: 'gpu.memory-001' is already used by first.yaml"),
        ("third", "gpu.nothing-001", {}, "third.yaml:2: id: there is no topic 'gpu.nothing'"),
        (
            "third",
            "gpu.memory-003",
            {"weight": 3},
            "third.yaml:14: rubric: the weights sum to 9; make them sum to 10",
        ),
        (
            "third",
            "gpu.memory-003",
            {"prompt": "x" * 20_001},
            "third.yaml:11: prompt: is 20001 characters long; keep it to 20000",
        ),
    ],
)
def test_files_that_cannot_stand_together_change_nothing(
    folder: Folder, slug: str, ref: str, changes: dict[str, object], line: str
) -> None:
    folder.write(slug, ref, **changes)
    assert refusal(folder.path) == ([line], "1 problem found; nothing was written.")
    assert (Question.objects.count(), Tag.objects.count(), Track.objects.count()) == (0, 0, 0)


def test_repeated_parts_and_slugs_are_named(folder: Folder) -> None:
    text = (folder.path / "first.yaml").read_text()
    (folder.path / "third.yaml").write_text(text.replace("memory-001", "memory-003").replace("f1a", "r2"))
    lines, _ = refusal(folder.path)
    assert lines == [
        "third.yaml:3: slug: 'first' is already used by first.yaml",
        "third.yaml:24: followups[0].rubric[0].id: 'r2' is used twice; give each point of the question its own id",
    ]


def test_a_slug_of_another_question_is_refused(folder: Folder) -> None:
    load(folder.path)
    (folder.path / "first.yaml").unlink()
    folder.write("first", "gpu.memory-009")
    lines, _ = refusal(folder.path)
    assert lines == ["first.yaml:3: slug: 'first' already belongs to gpu.memory-001; choose another"]
    assert Question.objects.count() == 2


def test_the_action_refuses_by_exception(folder: Folder) -> None:
    folder.write("third", "gpu.nothing-001")
    files, _ = read_bank(folder.path)
    with pytest.raises(BankRefused) as refused:
        load_bank(files=files, now=NOW)
    assert [(found.file, found.line, found.field) for found in refused.value.problems] == [
        ("third.yaml", 2, "id")
    ]


@pytest.mark.parametrize("name", ["nowhere", "first.yaml"])
def test_a_path_that_is_no_folder_is_refused(folder: Folder, name: str) -> None:
    assert refusal(folder.path / name)[1] == f"{folder.path / name} cannot be read: it is not a folder."


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path)[1] == f"There is no question file below {tmp_path}; nothing was written."
    assert Track.objects.count() == 0


def test_the_number_of_statements_does_not_grow_with_the_files(tmp_path: Path) -> None:
    counts = []
    for start, size in ((0, 2), (2, 12)):
        made = Folder(tmp_path)
        for n in range(start, start + size):
            made.write(f"q{n}", f"gpu.memory-{n:03d}")
        files, _ = read_bank(tmp_path)
        with CaptureQueriesContext(connection) as queries:
            load_bank(files=files, now=NOW)
        counts.append(len(queries))
    # The first run also writes the taxonomy, tags and packs.
    assert counts[1] < counts[0]


def test_a_new_pipeline_renders_anew_without_a_new_version(folder: Folder, writes: Callable) -> None:
    load(folder.path)
    edit_in_app("gpu.memory-001")
    QuestionVersion.objects.update(rendered_by=0, rendered={})
    FollowUp.objects.update(rendered={})
    assert load(folder.path)[1:] == [
        "3 versions were rendered anew.",
        "2 files: 0 new, 0 changed, 0 refiled, 1 unchanged, 1 kept",
    ]
    assert QuestionVersion.objects.count() == 3
    assert {version.rendered["prompt"] for version in QuestionVersion.objects.filter(source="file")} == {
        "<p>Explain it.</p>\n"
    }
    assert all(follow_up.rendered["answer"] for follow_up in FollowUp.objects.all())
    with writes() as found:
        assert rerender_versions() == 0
    assert found == []


def test_an_unlisted_pack_is_named_by_its_words(folder: Folder) -> None:
    folder.write("first", "gpu.memory-001", packs="analytics-team")
    load(folder.path)
    assert Pack.objects.get(slug="analytics-team").title == "Analytics team"

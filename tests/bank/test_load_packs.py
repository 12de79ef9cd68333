"""Packs into the tables: once, again without a write, and never over what somebody edited."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from prepapp.bank.actions import load_packs
from prepapp.bank.models import Pack
from tests.bank.packs import pack, write_pack
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank() -> None:
    QuestionFactory(topic=TopicFactory(code="gpu.memory"), ref="gpu.memory-001")
    QuestionFactory(topic=TopicFactory(code="gpu.exec"), ref="gpu.exec-001")


def load(folder: Path) -> list[str]:
    out = StringIO()
    call_command("load_packs", folder, stdout=out)
    return out.getvalue().splitlines()


def test_a_pack_is_written_whole(bank: None) -> None:
    load_packs(files=[pack()])
    found = Pack.objects.values().get()
    del found["id"]
    assert found == {
        "slug": "loop",
        "title": "A loop",
        "disclaimer": "Practice for roles with memory. No claim.",
        "summary": "What a loop on memory trains, in ten words or a few more than that.",
        "include": {
            "tags": [],
            "topics": ["gpu.memory"],
            "tracks": [],
            "levels": [],
            "kinds": [],
            "ids": ["gpu.exec-001"],
        },
        "weights": {"gpu.memory": 2},
        "pinned": ["gpu.memory-001"],
        "context_notes": {"gpu.memory-001": "You work on a team that sorts telemetry of a fleet."},
        "blueprints": ["screen"],
        "rounds": [
            {
                "name": "Talk",
                "minutes": "30 to 45",
                "what": "A talk about your work.",
                "source": "https://example.test/rounds",
                "advice": False,
            }
        ],
        "tips": [{"text": "Say what bounds it first.", "source": "", "advice": True}],
        "mistakes": [
            {"text": "Quoting peaks without a part.", "source": "https://example.test/peaks", "advice": False}
        ],
        "reading": [
            {"title": "A guide", "url": "https://example.test/guide", "note": "The chapter on memory."}
        ],
        "reviewed_date": pack().reviewed,
        "recheck_months": 6,
        "content_hash": pack().content_hash,
        "is_edited": False,
    }


def test_again_it_writes_nothing(bank: None, writes: Callable) -> None:
    with writes() as first:
        assert load_packs(files=[pack()]).new == 1
    with writes() as again:
        assert load_packs(files=[pack()]).unchanged == 1
    assert (len(first), len(again)) == (1, 0)


def test_a_pack_that_question_files_made_gets_what_its_file_says(bank: None, writes: Callable) -> None:
    made = PackFactory(slug="loop", title="Loop")
    other = PackFactory(slug="other", title="Other")
    with writes() as found:
        assert load_packs(files=[pack()]).changed == 1
    assert len(found) == 1
    made.refresh_from_db()
    other.refresh_from_db()
    assert (made.title, other.title) == ("A loop", "Other")


def test_what_somebody_edited_stays(bank: None, writes: Callable) -> None:
    PackFactory(slug="loop", title="Ours", is_edited=True)
    with writes() as found:
        assert load_packs(files=[pack()]).kept == ("loop",)
    assert found == []
    assert Pack.objects.get().title == "Ours"


def test_the_statements_do_not_grow_with_the_packs(bank: None) -> None:
    counts = []
    for count in (1, 5):
        files = [pack(("id: loop", f"id: loop-{n}")) for n in range(count)]
        with CaptureQueriesContext(connection) as queries:
            load_packs(files=files)
        counts.append(len([query for query in queries if "SAVEPOINT" not in query["sql"]]))
    # Tracks, stored packs, what is written, questions, topics and references of before.
    assert counts == [6, 6]


def test_the_command_says_what_came_of_it(bank: None, tmp_path: Path) -> None:
    write_pack(tmp_path)
    assert load(tmp_path) == ["Packs: 1 new, 0 changed, 0 unchanged, 0 kept"]
    assert load(tmp_path) == ["Packs: 0 new, 0 changed, 1 unchanged, 0 kept"]
    Pack.objects.update(is_edited=True)
    assert load(tmp_path) == [
        "The pack loop was edited in the app; its file was left out.",
        "Packs: 0 new, 0 changed, 0 unchanged, 1 kept",
    ]


def test_what_the_bank_does_not_have_is_named_and_no_obstacle(tmp_path: Path) -> None:
    moved = QuestionFactory(topic=TopicFactory(code="gpu.exec"), ref="gpu.exec-007")
    moved.former_refs = ["gpu.exec-001"]
    moved.save()
    write_pack(tmp_path)
    assert load(tmp_path) == [
        "The pack loop names what this bank does not have: gpu.memory, gpu.memory-001",
        "Packs: 1 new, 0 changed, 0 unchanged, 0 kept",
    ]


def test_a_folder_that_cannot_be_read_whole_writes_nothing(tmp_path: Path) -> None:
    write_pack(tmp_path)
    write_pack(tmp_path, ("id: loop", "id: Loop"), name="worse.yaml")
    errors = StringIO()
    with pytest.raises(CommandError, match=r"^1 problem found; nothing was written\.$"):
        call_command("load_packs", tmp_path, stderr=errors)
    assert errors.getvalue().startswith("worse.yaml:2: id: 'Loop' does not fit; write the name of the file")
    assert not Pack.objects.exists()
    with pytest.raises(CommandError, match="it is not a folder"):
        call_command("load_packs", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CommandError, match="There is no pack in"):
        call_command("load_packs", tmp_path / "empty")

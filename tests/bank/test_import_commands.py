"""`import_bank` and `export_bank`: what they write, what they say, and how they end."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from prepapp.bank.actions import load_bank
from prepapp.bank.models import ImportRun, Question
from tests.bank.importing import NOW, bank_file, in_bank, question, questions, upload
from tests.factories.curation import curator, finished_document, shipped_file

pytestmark = pytest.mark.django_db


def run(name: str, *args: Any) -> tuple[int, str]:
    """Exit code and output."""
    out = StringIO()
    try:
        call_command(name, *map(str, args), stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    except CommandError as error:
        return error.returncode, str(error)
    return 0, out.getvalue()


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.json"
    path.write_bytes(bank_file(*questions(2)))
    return path


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.json"
    path.write_bytes(bank_file(question("a"), question("a"), question("b")))
    return path


def test_it_imports_and_the_second_time_says_unchanged(good: Path) -> None:
    code, out = run("import_bank", good)
    assert code == 0
    assert out.splitlines() == [
        f"{good} (JSON, UTF-8): 2 items: 2 created, 0 updated, 0 unchanged, 0 skipped, 0 failed",
        "  item 1 item-1: created",
        "    topic: no topic",
        "  item 2 item-2: created",
        "    topic: no topic",
    ]
    before = in_bank()
    code, out = run("import_bank", good)
    assert (code, out.splitlines()[0].partition(": ")[2]) == (
        0,
        "2 items: 0 created, 0 updated, 2 unchanged, 0 skipped, 0 failed",
    )
    assert in_bank()[:-1] == before[:-1]


def test_a_dry_run_writes_nothing_and_leaves_no_run(good: Path, mixed: Path) -> None:
    code, out = run("import_bank", "--dry-run", good)
    assert (code, out.splitlines()[-1]) == (0, "  Nothing was imported.")
    assert run("import_bank", "--dry-run", mixed)[0] == 1
    assert (in_bank(), ImportRun.objects.count()) == ([0] * 7, 0)


def test_a_dry_run_leaves_the_preview_its_owner_looks_at(good: Path) -> None:
    ana = curator(email="ana@example.test")
    preview = upload(good.read_bytes(), ana)
    assert run("import_bank", "--dry-run", "--by", ana.email, good)[0] == 0
    assert ImportRun.objects.get() == preview


def test_what_could_not_be_written_is_no_success(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the bank had changed under every try."""
    monkeypatch.setattr("prepapp.bank.actions.importing.writing._TRIES", 0)
    code, out = run("import_bank", good)
    assert (code, in_bank(), ImportRun.objects.count()) == (2, [0] * 7, 0)
    assert "The bank kept changing meanwhile, so nothing was written." in out


def test_faults_keep_a_file_out_unless_the_good_ones_are_asked_for(mixed: Path) -> None:
    code, out = run("import_bank", mixed)
    assert (code, out.splitlines()[-1], in_bank()) == (1, "  Nothing was imported.", [0] * 7)
    assert "  item 2 a: failed" in out
    code, out = run("import_bank", "--good-ones", mixed)
    assert (code, Question.objects.count()) == (1, 2)


@pytest.mark.parametrize("content", [b"", b"[]", b"nothing of ours", None])
def test_a_file_that_cannot_be_used_ends_with_2(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bank.json"
    if content is not None:
        path.write_bytes(content)
    code, out = run("import_bank", path)
    assert (code, in_bank(), ImportRun.objects.count()) == (2, [0] * 7, 0)
    assert out.startswith(f"{path}")
    assert ": refused, nothing was imported" in out


def test_of_several_files_the_worst_decides_the_code_and_each_stands_alone(good: Path, mixed: Path) -> None:
    assert run("import_bank", mixed, good)[0] == 1
    assert sorted(Question.objects.values_list("slug", flat=True)) == ["item-1", "item-2"]
    assert run("import_bank", good, mixed, good.with_name("none.json"))[0] == 2


def test_the_owner_is_named_by_address(good: Path) -> None:
    ana = curator(email="ana@example.test")
    assert run("import_bank", good, "--by", "Ana@example.test")[0] == 0
    assert {made.owner for made in Question.objects.select_related("owner")} == {ana}
    assert run("import_bank", good, "--by", "nobody@example.test") == (
        2,
        "There is no account nobody@example.test.",
    )


def test_json_says_the_same_for_programs(mixed: Path) -> None:
    code, out = run("import_bank", "--format", "json", "--good-ones", mixed)
    (told,) = json.loads(out)
    assert code == told["code"] == 1
    assert (told["state"], told["seen"], told["counts"]["created"], told["counts"]["failed"]) == (
        "done",
        3,
        2,
        1,
    )
    assert [(row["place"], row["outcome"]) for row in told["rows"]] == [
        ("item 1", "created"),
        ("item 2", "failed"),
        ("item 3", "created"),
    ]


def test_a_bank_goes_out_and_comes_back_published(tmp_path: Path) -> None:
    finished_document()
    load_bank(files=[shipped_file()], now=NOW)
    out = tmp_path / "bank.yaml"
    assert run("export_bank", out) == (0, f"1 question written to {out}\n")
    assert run("import_bank", "--publish", out)[0] == 0
    assert ImportRun.objects.get().counts["unchanged"] == 1


def test_an_export_is_narrowed_by_track_topic_and_status(tmp_path: Path) -> None:
    finished_document()
    load_bank(files=[shipped_file()], now=NOW)
    run("import_bank", _written(tmp_path, questions(2)))
    topic = shipped_file().topic
    track = topic.partition(".")[0]
    out = tmp_path / "out.json"

    def count(*options: str) -> int:
        code, _ = run("export_bank", out, *options)
        assert code == 0
        return len(json.loads(out.read_bytes())["questions"])

    assert count() == 3
    assert [count("--track", track), count("--topic", topic)] == [1, 1]
    assert [count("--status", "published"), count("--status", "draft")] == [1, 2]


def _written(folder: Path, items: list[dict[str, Any]]) -> Path:
    path = folder / "drafts.json"
    path.write_bytes(bank_file(*items))
    return path


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("out.json", ["--track", "nope"], "There is no track nope."),
        ("out.json", ["--topic", "no.pe"], "There is no topic no.pe."),
        ("out.json", ["--status", "retired"], "No question fits, so nothing was written."),
        ("out.doc", [], "does not say which format"),
        ("no/such/folder/out.json", [], "cannot be written"),
    ],
)
def test_an_export_that_cannot_be_made_ends_with_2_and_leaves_the_file(
    tmp_path: Path, name: str, options: list[str], said: str
) -> None:
    run("import_bank", _written(tmp_path, questions(1)))
    out = tmp_path / name
    if out.parent == tmp_path:
        out.write_bytes(b"before")
    code, message = run("export_bank", out, *options)
    assert code == 2
    assert said in message
    assert not out.exists() or out.read_bytes() == b"before"
    assert not list(tmp_path.glob(".out*"))


def test_a_folder_is_no_file_to_write_to(tmp_path: Path) -> None:
    run("import_bank", _written(tmp_path, questions(1)))
    code, message = run("export_bank", tmp_path, "--format", "yaml")
    assert (code, "is a folder; name a file in it" in message) == (2, True)

"""Files with faults that were reported of other programs, from the upload to the bank (rules R1-R10).

The files are kept byte for byte in `tests/data/import`.
"""

import json
from collections.abc import Callable, Iterator
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from prepapp.bank.choices import ImportState, RowOutcome
from prepapp.bank.models import Draft, ImportRow, ImportRun, Question
from prepapp.bank.queries.exporting import ExportFilter, export_entries
from prepapp.bank.transfer.formats import FORMAT_BY_NAME
from prepapp.bank.transfer.readers import read_file
from prepapp.bank.transfer.writers import WRITTEN, write_file
from tests.bank.importing import NOW, confirm, imported, in_bank, upload
from tests.factories.curation import curator

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).parents[1] / "data" / "import"
# What comes of each file: created, skipped, failed; None where it is refused as a whole.
FILES: dict[str, tuple[int, int, int] | None] = {
    "f01_escapes.gift": (4, 5, 0),
    "f04_rich.xml": (4, 2, 0),
    "f06_external_entity.xml": None,
    "f08_excel_semicolon_cp1252.csv": (4, 0, 0),
    "f10_formula_cells.csv": (7, 0, 0),
    "f11_duplicate_headers.csv": None,
    "f14_bank_conflicts.json": (4, 0, 8),
    "f15_bank_types.yaml": (6, 0, 0),
    "f18_hostile.md": (1, 0, 0),
    "f19_empty.csv": None,
    "f20_header_only.csv": None,
    "f24_excel_unicode_text.txt": (3, 0, 0),
    "f25_roundtrip_bank.json": (5, 0, 0),
}
TAKEN = [name for name, sums in FILES.items() if sums]
REFUSED = [name for name, sums in FILES.items() if not sums]


@pytest.fixture
def desk() -> Client:
    client = Client()
    client.force_login(curator(email="ana@example.test"))
    return client


def data_of(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def send(client: Client, name: str) -> Any:
    file = SimpleUploadedFile(name, data_of(name))
    return client.post(reverse("imports:import-new"), {"file": file}, follow=True)


def drafts() -> dict[str, dict[str, Any]]:
    """The documents of the bank by slug."""
    return {draft.question.slug: draft.document for draft in Draft.objects.select_related("question")}


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def test_every_file_is_in_the_table() -> None:
    assert sorted(path.name for path in FOLDER.iterdir() if path.name.startswith("f")) == sorted(FILES)


# --- through the screen ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", TAKEN)
def test_the_screen_says_of_each_item_what_comes_of_it_and_the_bank_agrees(name: str, desk: Client) -> None:
    """R1-R4, R7, R10."""
    created, skipped, failed = FILES[name] or (0, 0, 0)
    preview = send(desk, name)
    assert preview.status_code == 200
    run = ImportRun.objects.get()
    assert run.state == ImportState.PREVIEWED
    assert run.counts == {
        "created": created,
        "updated": 0,
        "unchanged": 0,
        "skipped": skipped,
        "failed": failed,
    }
    assert run.seen == sum(run.counts.values()) == run.rows.count()
    page = preview.content.decode()
    for row in ImportRow.objects.exclude(outcome=RowOutcome.CREATED):
        assert row.notices, row.place
    for row in run.rows.all():
        assert escape(row.place) in page
        assert escape(row.label) in page
        assert all(escape(message) in page for _, message in row.notices)
    assert in_bank() == [0] * 7

    confirmed = reverse("imports:import-confirm", args=[run.pk])
    if failed:
        assert desk.post(confirmed).status_code == 409
        assert in_bank() == [0] * 7
    done = desk.post(confirmed, {"take": "good"}, follow=True)
    assert f"{created} created, 0 updated." in done.content.decode()
    # Drafts and their first revisions, and nothing else: no versions, no tags, no topics.
    assert in_bank() == [created, 0, created, created, 0, 0, created + 1]
    assert set(Question.objects.values_list("status", "topic")) == {("draft", None)}

    again = confirm(upload(data_of(name), curator(), name=name), takes_good_ones=True)
    assert again.counts == {
        "created": 0,
        "updated": 0,
        "unchanged": created,
        "skipped": skipped,
        "failed": failed,
    }
    assert in_bank()[:4] == [created, 0, created, created]


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_refused_leaves_nothing(name: str, desk: Client) -> None:
    """R1, R5."""
    reply = send(desk, name)
    page = reply.content.decode()
    if name == "f19_empty.csv":
        assert reply.status_code == 422
        assert "This file is empty (0 bytes)" in page
        assert not ImportRun.objects.exists()
    else:
        run = ImportRun.objects.get()
        assert (reply.status_code, run.state, run.rows.count()) == (200, ImportState.REFUSED, 0)
        assert "The file was refused as a whole" in page
        assert all(escape(message) in page for _, message in run.problems)
    assert "created" not in page
    assert in_bank() == [0] * 7


def test_both_columns_given_twice_are_named(desk: Client) -> None:
    send(desk, "f11_duplicate_headers.csv")
    messages = [message for _, message in ImportRun.objects.get().problems]
    assert ["title" in messages[0], "prompt" in messages[1], len(messages)] == [True, True, 2]


def test_a_header_alone_is_no_success(desk: Client) -> None:
    page = send(desk, "f20_header_only.csv").content.decode()
    assert "No question was found in this file" in page
    assert "Imported" not in page


# --- through the command --------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_the_command_says_the_same(name: str) -> None:
    sums = FILES[name]
    out = StringIO()
    code: object = 0
    try:
        call_command("import_bank", str(FOLDER / name), "--good-ones", "--format", "json", stdout=out)
    except SystemExit as ended:
        code = ended.code
    (told,) = json.loads(out.getvalue())
    if sums is None:
        assert (code, told["state"], in_bank()) == (2, "refused", [0] * 7)
        return
    created, skipped, failed = sums
    assert code == (1 if failed else 0)
    assert (told["counts"]["created"], told["counts"]["skipped"], told["counts"]["failed"]) == sums
    assert told["seen"] == created + skipped + failed
    assert Question.objects.count() == created


# --- what is stored -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_stored_is_what_the_reader_read(name: str) -> None:
    """R6, R8: nothing is added but the slug, and a wish to be retired that cannot be met yet."""
    imported(data_of(name), None, name=name) if not (FILES[name] or (0, 0, 1))[2] else confirm(
        upload(data_of(name), None, name=name), takes_good_ones=True
    )
    rows = ImportRow.objects.filter(outcome=RowOutcome.CREATED).select_related("question")
    slugs = {row.place: row.question.slug for row in rows if row.question}
    read = {item.place: item for item in read_file(name, data_of(name)).items}
    stored = drafts()
    for place, slug in slugs.items():
        wanted = {"wanted_status": "retired"} if read[place].status == "retired" else {}
        assert stored[slug] == {**read[place].document, "slug": slug, **wanted}
    assert all("\x00" not in text and "\ufffd" not in text for text in texts(stored))


def gift() -> None:
    found = drafts()
    assert {document["title"] for document in found.values()} == {
        "ITR-01 : laziness",
        "ITR-02 : braces in the stem",
        "SHL-01",
        "DSA-05 [brackets]",
    }
    by_title = {document["title"]: document for document in found.values()}
    assert by_title["ITR-02 : braces in the stem"]["prompt"] == (
        'Explain why {"a": 1} == {"a": 1.0} is true in Python, and why {1: "x", True: "y"} has one entry.'
    )
    assert "C:\\notes" in by_title["SHL-01"]["prompt"]
    assert by_title["ITR-01 : laziness"]["category"] == ["Interview", "Python", "Iterators"]
    assert by_title["SHL-01"]["category"] == ["Interview", "Shell"]
    assert "NOT A QUESTION" not in str(found)


def moodle() -> None:
    found = drafts()
    points = [
        sum(point["weight"] for point in found[slug]["rubric"]) for slug in ("net-001", "net-004", "net-005")
    ]
    assert points == [3, 3, 1]
    assert found["net-004"]["category"] == ["Interview", "Networks", "TCP/IP", "Congestion"]
    assert found["net-002"]["wanted_status"] == "retired"
    assert Question.objects.published().count() == 0
    assert "base64" not in str(found)
    assert any("C&A interview" in document.get("tags", []) for document in found.values())
    assert "<script" not in found["net-005"]["prompt"]
    assert found["net-005"]["prompt"].strip() != ""


def windows_letters() -> None:
    found = drafts()
    assert sorted(found) == ["net-201", "net-202", "net-203", "net-204"]
    assert [point["weight"] for point in found["net-204"]["rubric"]] == [1.5, 1.5]
    assert len(found["net-202"]["rubric"]) == 2
    assert not {"Ã©", "â€œ"} & set(texts(found))


def formulas() -> None:
    # Formulas are text like any other.
    titles = [document["title"] for document in drafts().values()]
    assert sorted(title for title in titles if title[:1] in "=+-@\t") == sorted(
        title for title in titles if title != "plain title"
    )


def types() -> None:
    found = drafts()
    stored = set(texts(found))
    assert not {"False", "83", "1.1", "750", "1000"} & stored
    assert "    " in found["yaml-block"]["prompt"]


def utf16() -> None:
    assert sorted(drafts()) == ["u16-1", "u16-2", "u16-3"]


def round_trip() -> None:
    found = drafts()
    assert found["rt-space"]["prompt"] == "\n    def f():\n\treturn 1  \n\nWhat is odd here?\n"
    assert sum(point["weight"] for document in found.values() for point in document["rubric"]) == 9
    assert found["rt-unicode"]["tags"] == ["c,d", "e;f"]
    assert found["rt-archived"]["wanted_status"] == "retired"


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("f01_escapes.gift", gift),
        ("f04_rich.xml", moodle),
        ("f08_excel_semicolon_cp1252.csv", windows_letters),
        ("f10_formula_cells.csv", formulas),
        ("f15_bank_types.yaml", types),
        ("f24_excel_unicode_text.txt", utf16),
        ("f25_roundtrip_bank.json", round_trip),
    ],
)
def test_the_right_result_of_each_file(name: str, check: Callable[[], None]) -> None:
    imported(data_of(name), None, name=name)
    check()


# --- out and in again -----------------------------------------------------------------------------

# Formats that have no room for some fields say so; with them only the rest can come back.
WHOLE = [found.name for found in WRITTEN if "nothing is lost" in found.description]


@pytest.mark.parametrize("format_name", [found.name for found in WRITTEN])
@pytest.mark.parametrize("name", ["f10_formula_cells.csv", "f25_roundtrip_bank.json"])
def test_an_export_imported_into_the_same_instance_makes_nothing(name: str, format_name: str) -> None:
    """CUR-05, IMP-20: also when it goes round twice."""
    imported(data_of(name), None, name=name)
    before = drafts()
    for _ in range(2):
        data = write_file(format_name, export_entries(ExportFilter()))
        run = upload(data, None, name=f"bank{FORMAT_BY_NAME[format_name].suffixes[0]}", now=NOW)
        assert (run.counts["created"], run.counts["failed"]) == (0, 0)
        if format_name in WHOLE:
            assert run.counts["unchanged"] == len(before)


@pytest.mark.parametrize("format_name", WHOLE)
@pytest.mark.parametrize("name", ["f10_formula_cells.csv", "f25_roundtrip_bank.json"])
def test_an_export_imported_into_an_empty_instance_is_the_same_bank(name: str, format_name: str) -> None:
    imported(data_of(name), None, name=name)
    before, data = drafts(), write_file(format_name, export_entries(ExportFilter()))
    for model in (ImportRun, Question):
        model.objects.all().delete()
    imported(data, None, name=f"bank{FORMAT_BY_NAME[format_name].suffixes[0]}")
    assert drafts() == before
    assert write_file(format_name, export_entries(ExportFilter())) == data

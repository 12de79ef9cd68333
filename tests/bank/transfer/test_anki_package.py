"""Anki deck packages in every layout, as we write them, and as nobody should send them."""

import io
import json
import sqlite3
import tracemalloc
from collections.abc import Sequence
from datetime import UTC, datetime
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.item import Entry, Item, Notice, Reading
from prepapp.bank.transfer.readers import anki_package
from prepapp.bank.transfer.readers.anki_package import read_anki_package
from prepapp.bank.transfer.writers import write_file
from prepapp.bank.transfer.writers.anki_package import LOST, write_anki_package
from tests.bank.transfer.foreign import shipped_entries, without_empty

MODELS = {
    "1": {"name": "Basic", "type": 0, "flds": [{"name": "Front"}, {"name": "Back"}]},
    "2": {"name": "Cloze", "type": 1, "flds": [{"name": "Text"}, {"name": "Back Extra"}]},
}
DECKS = {"1": {"name": "Default"}, "7": {"name": "Interview::Shell"}}
NOTES = [
    (12, "g2", 2, "", "{{c1::tmpfs}} lives in memory.\x1f"),
    (11, "g1", 1, " shell unix ", "What does <code>set -e</code> do?<img src='a.png'>\x1fIt stops."),
]
CARDS = [(11, 7, 0), (12, 1, 0), (12, 7, 1)]
READ = (
    Item(
        "note 1",
        {
            "tags": ["shell", "unix"],
            "prompt": "What does `set -e` do?",
            "model_answer": "It stops.",
            "category": ["Interview", "Shell"],
            "source": "Anki note id: g1",
        },
        notices=(Notice("prompt", 'the picture "a.png" is not kept; put it into words'),),
    ),
    Item(
        "note 2",
        {
            "prompt": "[...] lives in memory.",
            "model_answer": "tmpfs lives in memory.",
            "category": ["Default"],
            "source": "Anki note id: g2",
        },
        notices=(
            Notice("prompt", "a cloze note: the prompt has its gaps, the model answer has them filled"),
        ),
    ),
)
NEWER = [(1, "x", 1, "", "Please update to the latest Anki version.\x1f")]


def database(script: str, rows: dict[str, Sequence[tuple]]) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.create_collation("unicase", lambda left, right: (left > right) - (left < right))
    connection.executescript(script)
    for table, values in rows.items():
        marks = ", ".join("?" * len(values[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    connection.commit()
    return connection.serialize()


OLD = """
CREATE TABLE col (models text, decks text);
CREATE TABLE notes (id integer primary key, guid text, mid integer, tags text, flds text);
CREATE TABLE cards (nid integer, did integer, ord integer);
"""
NEW = (
    OLD
    + """
CREATE TABLE notetypes (id integer primary key, name text NOT NULL COLLATE unicase);
CREATE TABLE fields (ntid integer, ord integer, name text COLLATE unicase, PRIMARY KEY (ntid, ord)) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_fields ON fields (name, ntid);
CREATE TABLE decks (id integer primary key, name text NOT NULL COLLATE unicase);
"""
)


def old_layout(notes: Sequence[tuple] = NOTES) -> bytes:
    return database(OLD, {"col": [(json.dumps(MODELS), json.dumps(DECKS))], "notes": notes, "cards": CARDS})


def new_layout() -> bytes:
    return database(
        NEW,
        {
            "col": [("", "")],
            "notes": NOTES,
            "cards": CARDS,
            "notetypes": [(1, "Basic"), (2, "Cloze")],
            "fields": [(1, 1, "Back"), (1, 0, "Front"), (2, 0, "Text"), (2, 1, "Back Extra")],
            "decks": [(1, "Default"), (7, "Interview\x1fShell")],
        },
    )


def package(**members: bytes) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"collection.{name}" if name.startswith("anki") else name, content)
    return file.getvalue()


def read(**members: bytes) -> Reading:
    return read_anki_package(package(**members), "deck.apkg")


def pack(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


@pytest.mark.parametrize(
    "members",
    [
        {"anki2": old_layout()},
        {"anki2": old_layout(NEWER), "anki21": old_layout(), "media": b"{}"},
        {"anki2": old_layout(NEWER), "anki21b": pack(new_layout()), "meta": b"\x08\x03"},
        {"anki2": old_layout()[:18] + b"\x02\x02" + old_layout()[20:]},
    ],
    ids=["first layout", "second layout", "packed layout", "write-ahead mode"],
)
def test_every_layout_gives_the_same_notes(members: dict[str, bytes]) -> None:
    reading = read(**members)

    assert (reading.format, reading.detected, reading.refusals) == ("anki-package", "Anki deck package", ())
    assert reading.items == READ


class TestWriting:
    def test_every_shipped_question_comes_back_but_for_what_is_documented(self) -> None:
        entries = shipped_entries()

        reading = read_anki_package(write_anki_package(entries), "bank.apkg")

        assert [(item.ref, item.status, item.faults) for item in reading.items] == [
            (entry.ref, "", ()) for entry in entries
        ]
        assert [item.document for item in reading.items] == [
            {key: value for key, value in without_empty(entry.document).items() if key not in LOST}
            for entry in entries
        ]

    def test_the_same_questions_give_the_same_bytes(self) -> None:
        entries = shipped_entries()[:3]
        now = datetime(2026, 11, 30, tzinfo=UTC)

        assert write_anki_package(entries, now=now) == write_anki_package(entries, now=now)

    def test_a_later_export_updates_the_notes_of_an_earlier_one(self) -> None:
        """Anki tells notes by their guid and takes the later one; note type and deck keep their ids."""
        first, second = ({"title": "T", "prompt": text, "topic": "gpu.memory"} for text in ("Old", "New"))
        moments = [datetime(2026, 11, day, tzinfo=UTC) for day in (1, 2)]

        old, new = (
            _columns(write_anki_package([Entry("gpu.memory-001", "published", document)], now=now))
            for document, now in zip((first, second), moments, strict=True)
        )

        assert old["ids"] == new["ids"]
        assert (old["moments"], new["moments"]) == ([moments[0].timestamp()], [moments[1].timestamp()])
        assert "New" in new["texts"][0] and "New" not in old["texts"][0]

    def test_decks_are_named_as_a_learner_reads_them(self) -> None:
        entries = [
            Entry("gpu.memory-001", "published", {"prompt": "a", "topic": "gpu.memory"}),
            Entry("", "draft", {"prompt": "b", "category": ["C::D", "E"]}),
            Entry("", "draft", {"prompt": "c"}),
        ]

        names = _columns(write_anki_package(entries))["decks"]

        assert names == [
            "Default",
            "prepapp",
            "prepapp::C: :D::E",
            "prepapp::GPU and inference performance::Memory hierarchy",
        ]

    def test_drafts_come_back_with_status_category_and_tags(self) -> None:
        document = {
            "title": "T <b>",
            "tags": ["C&A interview", "level:x"],
            "level": "senior",
            "packs": ["nvidia"],
            "prompt": "a <b> & `c`\n\n    code",
            "rubric": [
                {
                    "id": "r1",
                    "weight": 1.5,
                    "must": True,
                    "criterion": "Says <why>\nand how",
                    "met": "It does",
                }
            ],
            "category": ["A/B", "C"],
        }
        statuses = ["draft", "in_review", "retired"]

        items = read_anki_package(
            write_anki_package([Entry("", status, document) for status in statuses]), "x"
        ).items

        assert [item.status for item in items] == statuses
        assert [item.document for item in items] == [document] * 3

    def test_an_edited_card_counts_and_not_the_text_it_was_made_from(self) -> None:
        table = "| a  | b  |\n|----|----|\n| 1  | 2  |"
        entry = Entry("gpu.memory-001", "published", {"title": "T", "prompt": "P", "data": table})

        data = write_anki_package([entry])
        edited = _edited(data, "<td>2</td>", "<td>3</td>")

        assert read_anki_package(data, "x").items[0].document["data"] == table
        assert read_anki_package(edited, "x").items[0].document["data"] == (
            "| a | b |\n| --- | --- |\n| 1 | 3 |"
        )

    def test_what_is_shown_is_safe(self) -> None:
        document = {"title": "<script>a</script>", "prompt": "<script>b</script> [x](javascript:c)"}

        [fields] = _columns(write_anki_package([Entry("", "draft", document)]))["texts"]

        assert "<script" not in fields and 'href="javascript' not in fields

    @settings(deadline=None)
    @given(st.text(max_size=200))
    def test_any_text_can_be_written(self, text: str) -> None:
        document = {
            "title": text,
            "prompt": text,
            "category": [text],
            "tags": [text],
            "rubric": [{"criterion": text}],
        }

        reading = read_anki_package(write_anki_package([Entry("", "draft", document)]), "x.apkg")

        assert (len(reading.items), reading.refusals) == (1, ())


def _open(data: bytes) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(ZipFile(io.BytesIO(data)).read("collection.anki2"))
    return connection


def _columns(data: bytes) -> dict[str, list]:
    connection = _open(data)
    notes = connection.execute("SELECT guid, mid, mod, flds FROM notes").fetchall()
    decks = json.loads(connection.execute("SELECT decks FROM col").fetchone()[0])
    return {
        "ids": [(guid, mid, sorted(decks)) for guid, mid, _, _ in notes],
        "moments": [moment for _, _, moment, _ in notes],
        "texts": [fields for *_, fields in notes],
        "decks": sorted(deck["name"] for deck in decks.values()),
    }


def _edited(data: bytes, old: str, new: str) -> bytes:
    connection = _open(data)
    connection.execute("UPDATE notes SET flds = replace(flds, ?, ?)", [old, new])
    connection.commit()
    return package(anki2=connection.serialize())


ONE_NOTE = {"col": [(json.dumps(MODELS), json.dumps(DECKS))]}
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x, x, x, x FROM n"


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("members", "message"),
        [
            ({"media": b"{}"}, "the package holds no collection"),
            ({"anki2": b"SQLite format 3"}, "the collection in the package is no database"),
            ({"anki2": b"SQLite format 3\0" + b"x" * 5000}, "the collection in the package is damaged"),
            ({"anki2": old_layout()[:5000]}, "the collection in the package is damaged"),
            ({"anki2": database(OLD, {"col": [("[]", "{}")]})}, "the collection in the package has no note types"),
            ({"anki2": database(OLD, {"col": [("{", "{}")]})}, "the collection in the package has note types or decks"),
            ({"anki2": database(OLD, {})}, "the collection in the package is empty"),
            ({"anki2": database("CREATE TABLE notes (id)", {})}, "the collection in the package is damaged"),
            ({"anki2": database(OLD, ONE_NOTE)}, "0 questions found"),
            ({"anki21b": b"not packed"}, "the collection is damaged in the package"),
            ({"anki21b": pack(b"\0" * 130_000_000)}, "the collection unpacks to more than 120 MB"),
            ({"anki2": b"\0" * 130_000_000}, "the zip unpacks to 130"),
            ({"anki2": b"\0" * 9_000_000}, "the zip unpacks to more than 100 times its size"),
        ],
    )  # fmt: skip
    def test_a_package_that_is_refused_whole(self, members: dict[str, bytes], message: str) -> None:
        reading = read(**members)

        assert reading.items == ()
        assert [refusal.message[: len(message)] for refusal in reading.refusals] == [message]

    @pytest.mark.parametrize(("data", "message"), [(b"", "the file is empty"), (b"PK", "the zip is damaged")])
    def test_a_file_that_is_no_zip(self, data: bytes, message: str) -> None:
        reading = read_anki_package(data, "x.apkg")

        assert [refusal.message[: len(message)] for refusal in reading.refusals] == [message]

    def test_too_many_notes(self) -> None:
        notes = [(number, f"g{number}", 1, "", "a\x1fb") for number in range(1, 10_002)]

        assert read(anki2=old_layout(notes)).refusals == (
            Notice("", "holds more than 10,000 questions; split it"),
        )

    @pytest.mark.parametrize(
        "notes",
        [
            f"CREATE VIEW notes(id, guid, mid, tags, flds) AS {ENDLESS}",
            "CREATE VIRTUAL TABLE notes USING fts5(id, guid, mid, tags, flds)",
        ],
    )
    def test_what_is_no_plain_table_is_not_read(self, notes: str) -> None:
        script = OLD.replace(
            "CREATE TABLE notes (id integer primary key, guid text, mid integer, tags text, flds text)", notes
        )

        assert read(anki2=database(script, ONE_NOTE)).refusals == (Notice("", "0 questions found"),)

    @pytest.mark.parametrize("column", ["flds AS (hex(zeroblob(50000000)))", "flds AS (tags || tags) STORED"])
    def test_columns_that_compute_their_text_are_not_read(self, column: str) -> None:
        script = OLD.replace("flds text", column)
        data = database(script, {**ONE_NOTE, "notes": [(1, "g", 1, "x")]})

        assert read(anki2=data).refusals == (
            Notice(
                "",
                "the collection in the package has columns that compute their content; export it from Anki again",
            ),
        )

    def test_a_packed_collection_is_unpacked_no_further_than_allowed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(anki_package, "MAX_UNPACKED", 1_000_000)
        data = package(anki21b=pack(b"\0" * 60_000_000))
        tracemalloc.start()

        reading = read_anki_package(data, "x.apkg")

        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert reading.refusals[0].message.startswith("the collection unpacks to more than 1 MB")
        assert most < 10_000_000

    def test_rows_that_share_one_long_text_are_bounded(self) -> None:
        """A page made by hand: the places of all rows are the place of the first, whose text is 1 MB."""
        long, short = (1, "g", 1, "", "x" * 1_000_000), [(number, "g", 1, "", "") for number in range(2, 152)]
        data = database(OLD, {**ONE_NOTE, "notes": [long, *short]})
        connection = sqlite3.connect(":memory:")
        connection.deserialize(data)
        [(page,)] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'notes'").fetchall()
        [(size,)] = connection.execute("PRAGMA page_size").fetchall()
        start = (page - 1) * size + 8
        shared = data[:start] + data[start : start + 2] * 151 + data[start + 302 :]

        assert len(read(anki2=data).items) == 151
        assert read(anki2=shared).refusals == (
            Notice(
                "", "the collection in the package holds more than 120 MB of text; export it from Anki again"
            ),
        )


@settings(deadline=None)
@given(st.data())
def test_no_file_stops_the_reader(data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from([old_layout(), new_layout()])))
    for _ in range(data.draw(st.integers(0, 20))):
        whole[data.draw(st.integers(16, len(whole) - 1))] = data.draw(st.integers(0, 255))

    read(anki2=bytes(whole))
    read(anki21b=pack(bytes(whole)))


@settings(deadline=None)
@given(st.binary(max_size=2000))
def test_no_bytes_stop_the_reader(data: bytes) -> None:
    read_anki_package(data, "x.apkg")
    read_anki_package(b"PK\x03\x04" + data, "x.apkg")
    read(anki21b=data)


def test_an_export_carries_its_moment_only_if_it_is_told() -> None:
    entries = [Entry("gpu.memory-001", "published", {"title": "T", "prompt": "P"})]
    now = datetime(2026, 11, 30, tzinfo=UTC)

    assert write_file("anki-package", entries) == write_anki_package(entries)
    assert write_file("anki-package", entries, now=now) == write_anki_package(entries, now=now)
    assert _columns(write_file("anki-package", entries, now=now))["moments"] == [now.timestamp()]

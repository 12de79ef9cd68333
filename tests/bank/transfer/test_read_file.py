"""Which reader a file goes to, by what is in it before how it is called; and that no bytes raise."""

import io
import zipfile

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.formats import FORMAT_BY_NAME
from prepapp.bank.transfer.item import Reading
from prepapp.bank.transfer.readers import FORMATS, read_file
from prepapp.bank.transfer.readers.limits import MAX_FILE
from prepapp.bank.transfer.readers.recognition import Unknown, format_of
from prepapp.bank.transfer.writers import WRITTEN, write_file
from tests.bank.transfer.case_files import read_case, refused
from tests.bank.transfer.entries import shipped

pytestmark = pytest.mark.embedded


def zip_of(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("x", b'{"questions": []}', "json"),
        ("x.txt", b'[{"title": "A"}]', "json"),
        ("x.json", b"not json at all", "json"),
        ("x", b"title,prompt\nA,b\n", "csv"),
        ("x.txt", b"title\tprompt\nA\tb\n", "tsv"),
        ("x.txt", b"title|prompt\nA|b\n", "csv"),
        ("x.json", b"title,prompt\nA,b\n", "csv"),
        ("x.csv", b"colour\nred\n", "csv"),
        ("x.csv", b"titre;\xe9t\xe9\n", "csv"),
        ("x", b"title;prompt\nA;\xe9\n", "csv"),
        ("x", b"schema: 1\nid: a\n", "yaml"),
        ("x", b"# note\nquestions:\n- title: A\n", "yaml"),
        ("x.yaml", b"whatever", "yaml"),
        ("x.txt", b"---\ntitle: A\n---\ntitle: B\n", "yaml"),
        ("x.txt", b"---\ntitle: A\n---\nProse.\n", "markdown"),
        ("x.md", b"no fields", "markdown"),
        ("x", b"\xef\xbb\xbf<?xml version='1.0'?><quiz/>", "moodle-xml"),
        ("x", "<quiz></quiz>".encode("utf-16"), "moodle-xml"),
        ("x.gift", b"Why? {}", "gift"),
        ("x.txt", b"// note\n\n::A::Why? {}\n", "gift"),
        ("x.txt", b"What is it? {=a ~b}\n", "gift"),
        ("x.txt", b"Which?\nA. one\nB. two\nANSWER: A\n", "aiken"),
        ("x.txt", b"sep=;\r\ntitle;prompt\r\nA;b\r\n", "csv"),
        ("x.txt", b"#separator:tab\n#html:true\nA\tB\n", "anki-text"),
        ("x.yaml", b"#tags: [gpu]\ntitle: A\nprompt: b\n", "yaml"),
        ("x.apkg", zip_of("collection.anki2", "media"), "anki-package"),
        ("x", zip_of("collection.anki21b"), "anki-package"),
        ("x.zip", zip_of("xl/workbook.xml"), "xlsx"),
        ("x", zip_of("a/b.yaml"), "yaml-zip"),
    ],
)  # fmt: skip
def test_the_format_of_a_file(name: str, data: bytes, found: str) -> None:
    assert format_of(data, name) == found


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old or a protected Office file; save it as .xlsx without a password"),
        ("x.pdf", b"%PDF-1.7\n", "is a PDF, which holds pages and no fields; use a table or question files"),
        ("x.gz", b"\x1f\x8b\x08", "is packed with gzip; unpack it first"),
        ("x.docx", zip_of("word/document.xml"), "is an office document; save a table as .xlsx or .csv"),
        ("x.zip", b"PK\x03\x04", "cannot be opened: the zip is damaged; pack it again"),
        ("x.html", b"<!DOCTYPE html><p>Hi", "is a web page; save the questions themselves"),
        ("x.png", b"\x89PNG\r\n\x1a\n\xff\xfe\xfd", "is not text in a Unicode encoding; save it with the encoding UTF-8"),
        ("x.txt", b"Just a letter to nobody.\n", "is text in no format we know"),
    ],
)  # fmt: skip
def test_what_is_no_format_of_ours_says_what_it_is(name: str, data: bytes, message: str) -> None:
    with pytest.raises(Unknown) as raised:
        format_of(data, name)
    assert str(raised.value) == message
    assert refused(read_file(name, data)) == [
        f"the file {message}. Files are taken as: yaml-zip (.zip), yaml (.yaml, .yml), json (.json), csv (.csv), "
        "tsv (.tsv, .tab, .txt), xlsx (.xlsx, .xlsm), markdown (.md, .markdown), moodle-xml (.xml), gift (.gift), "
        "anki-text (.txt), anki-package (.apkg, .colpkg)"
    ]


def test_an_empty_file_and_a_file_too_large() -> None:
    for data in (b"", b"\xef\xbb\xbf", b" \r\n\t", b"\0\0\0", b"\xff\xfe"):
        assert refused(read_file("x.csv", data)) == ["the file is empty"]
    assert refused(read_file("x.csv", b"a" * (MAX_FILE + 1))) == [
        "the file is 20.0 MB large; keep it to 20 MB or split it"
    ]


@pytest.mark.parametrize("name", [entry.name for entry in WRITTEN])
def test_what_we_write_is_recognised_whatever_it_is_called(name: str) -> None:
    data = write_file(name, shipped()[:3])
    assert format_of(data, "file") == name
    assert len(read_file("file", data).items) >= 3


def test_the_list_of_formats_is_sound() -> None:
    assert len(FORMAT_BY_NAME) == len(FORMATS)
    assert [entry.name for entry in FORMATS if entry.writes] == [entry.name for entry in WRITTEN]
    assert all(suffix.startswith(".") for entry in FORMATS for suffix in entry.suffixes)


@pytest.mark.parametrize(
    ("name", "found", "count"),
    [
        ("f01_escapes.gift", "gift", 9),
        ("f04_rich.xml", "moodle-xml", 6),
        ("f06_external_entity.xml", "moodle-xml", 0),
        ("f24_excel_unicode_text.txt", "tsv", 3),
    ],
)
def test_case_files_find_their_reader(name: str, found: str, count: int) -> None:
    reading = read_case(name)
    assert (reading.format, len(reading.items)) == (found, count)


# --- no bytes raise -------------------------------------------------------------------------------------

SEEDS = [write_file(name, shipped()[:1])[:2000] for name in ("json", "yaml", "csv", "yaml-zip", "xlsx")]
SCRAPS = st.sampled_from(
    [
        *(b"title", b"prompt", b"rubric", b"1 | a", b"schema: 1\n", b"---\n", b"- ", b": ", b"&a ", b"*a", b"<<: "),
        *(b'{"questions":[', b"]}", b'"', b",", b";", b"\t", b"\n", b"\r\n", b"\0", b"\xff", b"\xfe", b"'", b"=1"),
        *(b"<quiz>", b"<question type='essay'>", b"::a::", b"{", b"}", b"~", b"#html:true\n", b"PK\x03\x04"),
        *(b"\xef\xbb\xbf", b"title,prompt,rubric\n", b"title;more\n", b"!!python/x ", b"1e999", b"-1", b"null"),
    ]
)  # fmt: skip
NAMES = st.sampled_from(["x", *(f"x{suffix}" for entry in FORMATS for suffix in entry.suffixes)])


@settings(max_examples=400, deadline=None)
@given(NAMES, st.lists(SCRAPS | st.binary(max_size=6), max_size=40).map(b"".join))
@example("x.csv", b"title,prompt\n\xff\xfe\x00")
@example("x.yaml", b"[" * 1500)
@example("x.json", b"[" * 1500)
@example("x.yaml", b"? " * 900)
def test_no_scraps_raise(name: str, data: bytes) -> None:
    assert isinstance(read_file(name, data[:2000]), Reading)


@settings(max_examples=200, deadline=None)
@given(
    NAMES,
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 1999), st.integers(0, 255)), min_size=1, max_size=8),
)
def test_no_spoilt_export_raises(name: str, seed: bytes, changes: list[tuple[int, int]]) -> None:
    spoilt = bytearray(seed)
    for position, value in changes:
        spoilt[position % len(spoilt)] = value
    assert isinstance(read_file(name, bytes(spoilt)), Reading)

"""Question files and looser YAML, alone and in a zip: what stays text, what is refused, how places are named."""

import io
import zipfile
from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from prepapp.bank.transfer.item import Item, Reading
from prepapp.bank.transfer.readers import read_file
from prepapp.bank.transfer.writers import write_file
from prepapp.bank.transfer.writers.yaml_text import yaml_document
from tests.bank.transfer.case_files import by_label, noted, read_case, refused, said
from tests.bank.transfer.entries import BANK, cased, shipped

pytestmark = pytest.mark.embedded

QUESTION = next(iter(sorted(BANK.rglob("*.yaml"))))


def items(text: str) -> list[Item]:
    """The items of a YAML text."""
    reading = read_file("bank.yaml", text.encode())
    assert reading.refusals == ()
    return list(reading.items)


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def read_zip(files: Mapping[str, bytes | str]) -> Reading:
    return read_file("bank.zip", zipped(files))


def test_plain_values_stay_the_text_that_is_written() -> None:
    reading = read_case("f15_bank_types.yaml")
    assert (reading.format, len(reading.items)) == ("yaml", 6)
    assert [item.faults for item in reading.items] == [()] * 6
    assert [item.place for item in reading.items[:2]] == ["item 1, line 7", "item 2, line 12"]
    found = {slug: item.document for slug, item in by_label(reading).items()}
    assert (found["yaml-no"]["title"], found["yaml-no"]["tags"]) == ("no", ["yes", "off", "null", "~"])
    assert found["0123"]["title"] == "1.10"
    assert (found["yaml-time"]["title"], found["yaml-time"]["prompt"]) == ("12:30", "2026-03-29")
    assert found["yaml-under"]["title"] == "1_000"
    assert found["yaml-block"]["prompt"] == (
        "Keep these lines:\n\n    four spaces in front\ntrailing blanks here   \n# not a comment\n"
    )
    assert found["yaml-block"]["model_answer"] == "folded into one line\n"
    assert found["yaml-colon"]["title"] == "Key: value"
    assert found["yaml-colon"]["prompt"] == "It's a quote, and {braces}, and # a hash"
    for document in found.values():
        assert document["category"] == ["Interview", "Config"]
        assert document["rubric"] == [{"id": "r1", "weight": 1, "criterion": "says what the loader does"}]


def test_nothing_is_not_stated_and_a_plain_null_is_said() -> None:
    (item,) = items("title: T\nprompt:\ncontext: ''\nmodel_answer: ~\ntags: [null]\n")
    assert item.document == {"title": "T", "context": "", "tags": ["null"]}
    assert noted(item) == [
        ("model_answer", "~ is taken as no value; put this value in quotes if it is text"),
        ("tags[0]", "'null' is taken as text; put it in quotes to be sure"),
    ]


def test_a_merged_key_is_stated_unless_the_block_states_it() -> None:
    (item,) = items("- <<: [{title: A, prompt: P}, {title: B, context: C}]\n  prompt: own\n")
    assert item.document == {"title": "A", "prompt": "own", "context": "C"}


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("title: !!python/object/apply:print [x]\n", [("title", "the tag '!!python/object/apply:print' is not allowed; write a plain value")]),
        ("title: A\ntitle: B\n", [("title", "the key 'title' is given twice; keep one of them")]),
        ("title: A\nminutes: soon\n", [("minutes", "'soon' is no number of minutes; write a whole number above 0 and at most 600")]),
        ("title: A\ntags: a, b\n", [("tags", "is 'a, b' where a list is expected; write [\"one\", \"two\"]")]),
        ("title: A\n<<: text\n", [("", "<< names something that is no block of keys; write the keys out")]),
        ("title: A\n? [a]\n: b\n", [("", "a key must be plain text; remove the brackets around it")]),
        ('title: "a\\0b"\n', [("title", "holds the control character NUL; delete it")]),
        ("- just text\n", [("", "is 'just text' where a question with one key per line is expected")]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(text: str, faults: list[tuple[str, str]]) -> None:
    (item,) = items(text)
    assert said(item) == faults


def test_an_alias_inside_itself_ends_somewhere() -> None:
    (item,) = items("- &a {title: A, rubric: [*a]}\n")
    deepest = "rubric[0].rubric[0].rubric[0].rubric[0].rubric[0]"
    message = "is nested deeper than 10 levels; a question needs five at most"
    assert said(item) == [(f"{deepest}.title", message), (f"{deepest}.rubric", message)]


def test_aliases_that_add_up_are_refused() -> None:
    lists = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 7))
    bomb = f"l0: &l0 [{', '.join(['x' * 50] * 9)}]\n{lists}questions:\n" + "- {title: A, tags: *l6}\n" * 20
    assert refused(read_file("bank.yaml", bomb.encode())) == [
        "its aliases add up to more than is taken; write the values out"
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"title: 'never closed\n", "line 2: is not valid YAML: found unexpected end of stream"),
        (b"title: *nobody\n", "line 1: aliases (*name) are not allowed; write the value out"),
        (
            b"title: A\nprompt: " + b"!" * 1001,
            "line 2: a tag of many characters; put text that begins with ! in quotes",
        ),
        (b"title: a\x07b\n", "line 1: holds a control character; delete it"),
        (b"- {title: A}\n" * 10_001, "holds 10,001 questions; split it into files of 10,000"),
    ],
)
def test_what_is_no_yaml_is_refused_whole(data: bytes, message: str) -> None:
    assert refused(read_file("bank.yaml", data)) == [message]


# --- question files ------------------------------------------------------------------------------------


def test_a_question_file_is_read_by_the_rules_of_the_bank() -> None:
    data = QUESTION.read_bytes()
    (item,) = read_file(QUESTION.name, data).items
    entry = next(entry for entry in shipped() if entry.document["slug"] == QUESTION.stem)
    assert (item.place, item.ref, item.status, item.document) == (
        "item 1, line 1",
        entry.ref,
        "published",
        entry.document,
    )
    (faulty,) = read_file(QUESTION.name, data.replace(b"\nminutes:", b"\nminuets:", 1)).items
    assert [fault.field for fault in faulty.faults] == ["minutes", "minuets"]
    assert faulty.label == QUESTION.stem
    assert all(fault.message.startswith("line ") for fault in faulty.faults)


@pytest.mark.parametrize(
    ("word", "status"), [("retired", "retired"), ("archived", "retired"), ("draft", "draft")]
)
def test_a_question_file_may_state_its_status(word: str, status: str) -> None:
    (item,) = items(QUESTION.read_text(encoding="utf-8") + f"status: {word}\n")
    assert (item.faults, item.status) == ((), status)
    assert item.document["topic"] == item.ref.rpartition("-")[0]


def test_a_draft_among_question_files_may_lack_anything() -> None:
    (item,) = items("schema: 1\nid: gpu.memory-10001\nstatus: draft\ntitle: Half\n")
    assert (item.faults, item.ref, item.status) == ((), "gpu.memory-10001", "draft")
    assert item.document == {"title": "Half", "topic": "gpu.memory"}


def test_several_documents_in_one_file() -> None:
    first, second, third = items("---\ntitle: A\n---\n# nothing\n---\n- title: B\n- title: C\n")
    assert [item.place for item in (first, second, third)] == [
        "item 1, line 2",
        "item 2, line 6",
        "item 3, line 7",
    ]


# --- zips -----------------------------------------------------------------------------------------------


def test_a_zip_names_its_files_and_skips_what_is_none() -> None:
    reading = read_zip(
        {
            "b/loose.yml": "title: A\n",
            "a/two.yaml": "title: B\n---\ntitle: C\n",
            "a/broken.yaml": "title: [",
            "a/empty.yaml": "# nothing\n",
            "README.txt": "hello",
            "x.samples.yaml": "samples: []\n",
            "one.md": "---\ntitle: M\n---\nWhy?\n",
            "latin.yaml": b"title: \xe9\n",
            "__MACOSX/a/._two.yaml": "x",
            ".DS_Store": "x",
        }
    )
    assert (reading.format, reading.detected) == ("yaml-zip", "zip of 10 files")
    assert [(item.place, item.label, item.skipped, said(item)) for item in reading.items] == [
        ("README.txt", "", "not a question file; those end in .yaml", []),
        ("a/broken.yaml", "", "", [("", "line 1: is not valid YAML: expected the node content, but found '<stream end>'")]),
        ("a/empty.yaml", "", "", [("", "the file is empty")]),
        ("a/two.yaml, item 1, line 1", "B", "", []),
        ("a/two.yaml, item 2, line 3", "C", "", []),
        ("b/loose.yml", "A", "", []),
        ("latin.yaml", "", "", [("", "is not UTF-8; save it with the encoding UTF-8")]),
        ("one.md", "M", "", []),
        ("x.samples.yaml", "", "sample answers, not a question", []),
    ]  # fmt: skip


def test_the_paths_of_an_export() -> None:
    with zipfile.ZipFile(
        io.BytesIO(write_file("yaml-zip", [*shipped()[:2], *cased("f18_hostile.md")]))
    ) as archive:
        assert archive.namelist() == [
            "beh/ambig/ordered-without-the-datasheet.yaml",
            "beh/ambig/two-gauges-two-stories.yaml",
            "drafts/md-hostile.yaml",
        ]
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_two_questions_of_one_name_lie_side_by_side() -> None:
    entry = cased("f18_hostile.md")[0]
    assert [item.place for item in read_file("x", write_file("yaml-zip", [entry, entry])).items] == [
        "drafts/md-hostile-2.yaml",
        "drafts/md-hostile.yaml",
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../out.yaml": "title: A"}, "the zip holds a file outside of its own folder, '../out.yaml'; pack it again"),
        ({"/etc/out.yaml": "title: A"}, "the zip holds a file outside of its own folder, '/etc/out.yaml'; pack it again"),
        ({"a\\..\\b.yaml": "title: A"}, "the zip holds a file outside of its own folder, 'a\\\\..\\\\b.yaml'; pack it again"),
        ({"a.yaml": " " * 20_000_000}, "the zip unpacks to more than 100 times its size; pack plain files only"),
        ({f"{n}.yaml": "" for n in range(12_001)}, "the zip holds 12,001 files; keep it to 12,000"),
    ],
)  # fmt: skip
def test_a_zip_that_does_harm_is_refused_whole(files: dict[str, str], message: str) -> None:
    (refusal,) = refused(read_zip(files))
    assert message in refusal


def test_a_zip_of_many_large_files_is_refused() -> None:
    # Noise, so that the ratio stays low; only the directory of the zip is made larger than it is.
    data = bytearray(zipped({f"{n}.yaml": Random(n).randbytes(2_000).hex() for n in range(320)}))
    position = 0
    while (position := data.find(b"PK\x01\x02", position) + 24) > 24:
        data[position : position + 4] = (190_000).to_bytes(4, "little")
    (message,) = refused(read_file("a.zip", bytes(data)))
    assert "the zip unpacks to 60.8 MB; keep it to 60 MB" in message


def test_two_files_of_one_name_refuse_the_zip() -> None:
    data = zipped({"a.yaml": "title: A\n", "b.yaml": "title: B\n"}).replace(b"b.yaml", b"a.yaml")
    (message,) = refused(read_file("a.zip", data))
    assert "the zip holds two files of one name; pack it again" in message


def test_a_damaged_or_encrypted_zip_is_refused() -> None:
    data = zipped({"a.yaml": "title: A\n" * 50})
    (message,) = refused(read_file("a.zip", data[:-30]))
    assert "the zip is damaged; pack it again" in message
    local, central = data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8
    marked = bytearray(data)
    marked[local] |= 1
    marked[central] |= 1
    (message,) = refused(read_file("a.zip", bytes(marked)))
    assert "the zip is encrypted; pack it without a password" in message


def test_a_damaged_member_is_a_fault_of_its_own() -> None:
    data = bytearray(zipped({"a.yaml": "title: A\n", "b.yaml": "title: B\n"}))
    data[data.index(b"a.yaml") + 7] ^= 0xFF
    first, second = read_file("a.zip", bytes(data)).items
    assert said(first) == [("", "is damaged in the zip or packed in a way we cannot read; pack it again")]
    assert (second.faults, second.label) == ((), "B")


def test_a_large_member_is_a_fault_of_its_own() -> None:
    (item,) = read_zip({"a.yaml": "x" * 200_001}).items
    assert said(item) == [("", "is 200,001 bytes long; keep it below 200,000")]


# --- how texts are written -----------------------------------------------------------------------------


def test_the_style_of_the_banks_own_files() -> None:
    block = {
        "schema": 1,
        "id": "gpu.memory-004",
        "slug": "busy-bus",
        "title": 'A "busy" bus: slow',
        "tags": ["coalescing", "data-layout"],
        "packs": [],
        "prompt": "word " * 30 + "end",
        "context": "",
        "data": "| a |\n|---|\n",
        "code": {"solution": "def f():\n    return 1\n", "wrong": ["x = 1\ny = 2\n", "z"]},
        "rubric": [{"id": "r1", "weight": 1.5, "must": True, "criterion": "Says no."}],
        "review": {"reviewed": "2026-11-30"},
        "level": "no",
    }
    assert yaml_document(block) == (
        "schema: 1\n"
        "id: gpu.memory-004\n"
        "slug: busy-bus\n"
        'title: "A \\"busy\\" bus: slow"\n'
        "tags: [coalescing, data-layout]\n"
        "packs: []\n"
        "prompt: >-\n"
        "  word word word word word word word word word word word word word word word word word word word\n"
        "  word word word word word word word word word word word end\n"
        'context: ""\n'
        "data: |\n"
        "  | a |\n"
        "  |---|\n"
        "code:\n"
        "  solution: |\n"
        "    def f():\n"
        "        return 1\n"
        "  wrong:\n"
        "    - |\n"
        "      x = 1\n"
        "      y = 2\n"
        '    - "z"\n'
        "rubric:\n"
        "  - id: r1\n"
        "    weight: 1.5\n"
        "    must: true\n"
        '    criterion: "Says no."\n'
        "review:\n"
        "  reviewed: 2026-11-30\n"
        'level: "no"\n'
    )


SIGNS = st.sampled_from(" \t\n\r:#-|>'\"\\{}[],&*!?%@`=~<ab0é\x85\xa0\u2028\u2029\ufeff\ufffd🚀")


@given(st.text(SIGNS | st.characters(exclude_categories=["Cs", "Cc"]), max_size=60), st.integers(0, 12))
def test_every_text_comes_back_from_every_key(text: str, words: int) -> None:
    text = text + " word" * words * 3
    block = {"prompt": text, "title": text, "inner": {"data": [text, "a"], "context": text, "slug": text}}
    assert YAML(typ="safe", pure=True).load(yaml_document(block)) == block

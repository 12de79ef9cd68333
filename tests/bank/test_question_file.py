"""Reading question files: what is accepted, and what each refusal says, where."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from prepapp.bank import taxonomy
from prepapp.bank.transfer import question_file
from prepapp.bank.transfer.question_file import (
    CodeFile,
    DifficultyFile,
    FollowUpFile,
    QuestionFile,
    ReferenceFile,
    ReviewFile,
    RubricPointFile,
    read_bank,
    read_question,
)
from prepapp.bank.transfer.yaml_tree import MAX_BYTES, FileProblem

DATA = Path(__file__).parents[1] / "data" / "bank"
CONCEPT = DATA / "good" / "dbe" / "plans" / "an-index-nobody-uses.yaml"
CODING = DATA / "good" / "swe" / "arrays" / "longest-run-of-one-sign.yaml"


def edited(old: str, new: str, source: Path = CONCEPT) -> str:
    text = source.read_text("utf-8")
    assert text.count(old) == 1, old
    return text.replace(old, new)


def read(text: str | bytes) -> QuestionFile:
    question = read_question(text, "q.yaml")
    assert isinstance(question, QuestionFile), question
    return question


def test_a_question_becomes_typed_values() -> None:
    question = read(CONCEPT.read_bytes())

    assert (question.id, question.track, question.topic) == ("dbe.plans-901", "dbe", "dbe.plans")
    assert (question.level, question.kind, question.minutes) == ("foundation", "concept", 5)
    assert (question.tags, question.packs, question.covers) == (("index", "selectivity"), (), ("S4-T2",))
    assert (question.code, question.data, question.deeper, question.weights_note) == (None, "", "", "")
    assert question.context == "Rows are about 100 bytes wide and sit on disk in order of arrival."
    assert question.rubric[2] == RubricPointFile(
        id="r3",
        weight=2,
        must=False,
        criterion="Computes how much data one scan reads.",
        met="Ten million times 100 bytes is a gigabyte.",
        partial="Says a scan reads everything, with no figure.",
    )
    assert [type(item) for item in question.followups] == [FollowUpFile]
    assert [point.id for point in question.followups[0].rubric] == ["f1a", "f1b"]
    assert question.references == (
        ReferenceFile(
            title="PostgreSQL manual, planner statistics",
            url="https://www.postgresql.org/docs/current/planner-stats.html",
            supports=("r1", "f1b"),
        ),
    )
    assert question.difficulty == DifficultyFile(
        rationale="One mechanism, all figures given.",
        easier="Ask only whether the index is used.",
        harder="Add a second filter and ask for the order of the columns.",
    )
    assert question.review == ReviewFile(reviewed=date(2026, 3, 1), recheck_months=24)


def test_code_keeps_its_lines() -> None:
    code = read(CODING.read_bytes()).code

    assert isinstance(code, CodeFile)
    assert (code.language, code.timeout_s, len(code.wrong)) == ("python", 5, 2)
    assert code.solution.splitlines()[:2] == ["def longest(values):", "    best = run = 0"]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("id", 2),
        ("prompt", 11),
        ("rubric", 23),
        ("rubric[1]", 30),
        ("rubric[1].criterion", 33),
        ("followups[0].rubric[1].partial", 76),
        ("followups[0].rubric[1].partial.nothing", 76),
        ("nothing[3].at.all", 1),
    ],
)
def test_every_field_knows_its_line(path: str, line: int) -> None:
    assert read(CONCEPT.read_bytes()).line_of(path) == line


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("off", "off"),
        ("12:30", "12:30"),
        ("'1e9'", "1e9"),
        ('"007"', "007"),
        ("0o", "0o"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_yaml_1_2_leaves_words_and_clock_times_as_text(written: str, value: str) -> None:
    assert read(edited("title: An index the planner leaves alone", f"title: {written}")).title == value


@pytest.mark.parametrize("written", ["2026-03-01", '"2026-03-01"'])
def test_a_review_date_may_be_a_yaml_date_or_text(written: str) -> None:
    assert read(edited("reviewed: 2026-03-01", f"reviewed: {written}")).review.reviewed == date(2026, 3, 1)


TITLE = "title: An index the planner leaves alone"

SCHEMA_REFUSALS = [
    # (old text, new text, line, field, message)
    ("schema: 1", "schema: 2", 1, "schema", "2 is not supported; write 1"),
    (
        "id: dbe.plans-901",
        "id: plans-901",
        2,
        "id",
        "'plans-901' does not fit; write a topic id, a hyphen and at least three digits, "
        "for example gpu.memory-004",
    ),
    (TITLE, "title: 1e9", 4, "title", "is the number 1000000000.0 where text is expected; put it in quotes"),
    (TITLE, "title: 12", 4, "title", "is the number 12 where text is expected; put it in quotes"),
    (TITLE, "title: true", 4, "title", "is the yes/no value true where text is expected; put it in quotes"),
    (
        TITLE,
        "title: 2026-01-02",
        4,
        "title",
        "is the date 2026-01-02 where text is expected; put it in quotes",
    ),
    (TITLE, "title:", 4, "title", "is empty where text is expected; write a value"),
    (TITLE, 'title: " "', 4, "title", "is empty; write some text"),
    (TITLE, "title: [a]", 4, "title", "is a list where text is expected; correct the value"),
    (TITLE, "title: " + "x" * 121, 4, "title", "is 121 characters long; keep it to 120"),
    (TITLE, f"{TITLE}\ntitel: x", 5, "titel", "unknown key 'titel'; did you mean 'title'?"),
    (TITLE, f"{TITLE}\nzzz: x", 5, "zzz", "unknown key 'zzz'; remove it"),
    (f"{TITLE}\n", "", 1, "title", "the required key 'title' is missing; add it"),
    (
        "level: foundation",
        "level: easy",
        5,
        "level",
        "'easy' is not one of foundation, intermediate, advanced, senior; choose one of them",
    ),
    ("kind: concept", "kind: coding", 1, "code", "the required key 'code' is missing; add it"),
    (
        "minutes: 5",
        "minutes: 5.0",
        7,
        "minutes",
        "is 5.0 where a whole number is expected; correct the value",
    ),
    (
        "minutes: 5",
        "minutes: five",
        7,
        "minutes",
        "is 'five' where a whole number is expected; correct the value",
    ),
    ("minutes: 5", "minutes: 0", 7, "minutes", "0 is out of range; the minimum is 1"),
    (
        "[index, selectivity]",
        "[index, Index]",
        8,
        "tags[1]",
        "'Index' does not fit; write lower-case letters and digits joined by hyphens, at most 40 characters",
    ),
    ("[index, selectivity]", "[index, index]", 8, "tags", "holds the same item twice; keep one of them"),
    (
        "covers: [S4-T2]",
        "covers: [S4-T12]",
        10,
        "covers[0]",
        "'S4-T12' does not fit; write a checklist id such as S1-07b, S0-19, S0-3f, S4-Q9, S4-S1, S4-T5 or S4-X2",
    ),
    (
        "    criterion: Computes",
        "    criterium: Computes",
        39,
        "rubric[2].criterium",
        "unknown key 'criterium'; did you mean 'criterion'?",
    ),
    (
        "    criterion: Computes",
        "    criterium: Computes",
        36,
        "rubric[2].criterion",
        "the required key 'criterion' is missing; add it",
    ),
    (
        "        weight: 4",
        "        weight: four",
        72,
        "followups[0].rubric[1].weight",
        "is 'four' where a whole number is expected; correct the value",
    ),
    (
        "    minutes: 3",
        "    minutes: 3\n    kind: concept",
        60,
        "followups[0].kind",
        "unknown key 'kind'; remove it",
    ),
    (
        "    supports: [r1, f1b]",
        "    supports: [r1, f1b]\n    author: x",
        81,
        "references[0].author",
        "unknown key 'author'; remove it",
    ),
    (
        "  easier: Ask only whether the index is used.",
        "  easier: 3",
        83,
        "difficulty.easier",
        "is the number 3 where text is expected; put it in quotes",
    ),
    (
        "  recheck_months: 24",
        "  recheck_months: 24\n  reviewer: x",
        88,
        "review.reviewer",
        "unknown key 'reviewer'; did you mean 'reviewed'?",
    ),
    (
        "  reviewed: 2026-03-01",
        "  reviewed: last week",
        86,
        "review.reviewed",
        "'last week' does not fit; write a date written YYYY-MM-DD",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    SCHEMA_REFUSALS,
    ids=[f"{case[3]}-{case[1][:24].strip()}" for case in SCHEMA_REFUSALS],
)
def test_the_schema_refuses(old: str, new: str, line: int, field: str, message: str) -> None:
    problems = read_question(edited(old, new), "q.yaml")

    assert isinstance(problems, list)
    assert FileProblem("q.yaml", line, field, message) in problems
    assert {problem.field.rpartition(".")[0] for problem in problems} == {field.rpartition(".")[0]}


def test_unknown_keys_inside_code_are_refused() -> None:
    text = edited("  timeout_s: 5", "  timeout_s: 5\n  timeout: 5", CODING)

    assert read_question(text, "q.yaml") == [
        FileProblem("q.yaml", 24, "code.timeout", "unknown key 'timeout'; did you mean 'timeout_s'?")
    ]


def test_all_problems_are_reported_in_file_order() -> None:
    text = edited("minutes: 5", "minutes: five").replace("schema: 1", "schema: 7")

    problems = read_question(text, "q.yaml")

    assert [(problem.line, problem.field) for problem in problems] == [(1, "schema"), (7, "minutes")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "duplicate-key.yaml",
            [
                (7, "rubric[0].weight", "the key 'weight' appears twice; keep one of them"),
                (8, "id", "the key 'id' appears twice; keep one of them"),
            ],
        ),
        (
            "alias-bomb.yaml",
            [
                (2, "tags", "anchors and aliases (&a, *a) are not allowed; write the value out"),
                (3, "packs", "anchors and aliases (&b, *b) are not allowed; write the value out"),
                (4, "covers", "anchors and aliases (&c, *c) are not allowed; write the value out"),
                *[
                    (
                        4,
                        f"pitfalls[{index}]",
                        "anchors and aliases (&c, *c) are not allowed; write the value out",
                    )
                    for index in range(10)
                ],
            ],
        ),
        ("tab-indentation.yaml", [(3, "", "a tab is used for indentation; use spaces")]),
    ],
)
def test_bad_files(name: str, expected: list[tuple[int, str, str]]) -> None:
    problems = read_question((DATA / "bad" / name).read_bytes(), name)

    assert problems == [FileProblem(name, *item) for item in expected]


@pytest.mark.parametrize(
    ("source", "line", "field", "message"),
    [
        ("", 1, "", "holds no keys; start with `schema: 1` and one key per line"),
        ("- a\n", 1, "", "holds no keys; start with `schema: 1` and one key per line"),
        ("a: 1\nb: \0\n", 2, "", "holds a NUL character; delete it and save the file as text"),
        ("a: 1\nb: \x01\n", 2, "", "holds a control character; delete it"),
        (b"a: 1\n\nb: \xff\n", 3, "", "is not UTF-8; save the file with the encoding UTF-8"),
        (b"\xff\xfea\x00", 1, "", "holds a NUL character; delete it and save the file as text"),
        ("a: *b\n", 1, "", "aliases (*name) are not allowed; write the value out"),
        ("&a\na: 1\n", 1, "", "anchors and aliases (&a, *a) are not allowed; write the value out"),
        (
            "a: !!python/name:os.system\n",
            1,
            "a",
            "the tag !!python/name:os.system is not allowed; write a plain value",
        ),
        ("a: 0x" + "F" * 9000, 1, "a", "a number of 9002 characters; shorten it or put it in quotes"),
        ("a: !mine b\n", 1, "a", "the tag !mine is not allowed; write a plain value"),
        (
            "a: 2026-13-45\n",
            1,
            "a",
            "'2026-13-45' is no valid date or number; correct it or put it in quotes",
        ),
        ("? [a]\n: b\n", 1, "", "a key must be plain text; remove brackets, anchors and control characters"),
        ("&a b: 1\n", 1, "", "a key must be plain text; remove brackets, anchors and control characters"),
        ('a: "b\\0"\n', 1, "a", "holds a control character or half a character pair; delete it"),
        ('a:\n  - "\\ud800"\n', 2, "a[0]", "holds a control character or half a character pair; delete it"),
        (
            "a: 1\n---\nb: 2\n",
            2,
            "",
            "a second document starts here; keep one question per file and remove `---`",
        ),
        ("a: one: two\n", 1, "", "a colon inside plain text; put the text in quotes or use a block (>-)"),
        ("a: " + "[" * 5000, 1, "", "is nested deeper than 10 levels; a question needs no more than five"),
        ("a: [1\n", 2, "", "is not valid YAML: expected ',' or ']', but got '<stream end>'"),
        (
            "a: 'x'\n  b\n",
            2,
            "",
            "cannot be read from here on; check the indentation and the quotes of this and the lines above",
        ),
        ("a: " + "x" * MAX_BYTES, 1, "", "is 200003 bytes long; keep a question file below 200000"),
    ],
)
def test_what_is_no_plain_yaml_is_refused(source: str | bytes, line: int, field: str, message: str) -> None:
    assert read_question(source, "q.yaml") == [FileProblem("q.yaml", line, field, message)]


def test_a_byte_order_mark_is_no_problem() -> None:
    assert read(b"\xef\xbb\xbf" + CONCEPT.read_bytes()) == read(CONCEPT.read_bytes())


# No deadline: a busy machine is no fault of the reader.
@settings(deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_no_input_makes_the_reader_raise(source: bytes | str) -> None:
    problems = read_question(source, "q.yaml")

    assert isinstance(problems, list)
    assert all(problem.line >= 1 and problem.message for problem in problems)


# No deadline: a busy machine is no fault of the reader.
@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["schema", "title", "rubric", "review", "code", "zzz"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["id", "weight", "reviewed"]), inner, max_size=3)
            ),
            max_leaves=8,
        ),
    )
)
def test_no_shape_of_values_makes_the_reader_raise(tree: dict[str, object]) -> None:
    problems = read_question(json.dumps(tree), "q.yaml")

    assert isinstance(problems, list) and problems


def test_the_hash_follows_what_is_asked_and_graded() -> None:
    before = read(CONCEPT.read_bytes()).content_hash

    for old, new in [
        ("minutes: 5", "minutes: 6"),
        ("nine rows in ten have the", "eight rows in ten have the"),
        ("met: Nine million jumps", "met: Nine million leaps"),
        ("Rebuilding the index.", "Rebuilding it."),
        ("supports: [r1, f1b]", "supports: [r1]"),
    ]:
        assert read(edited(old, new)).content_hash != before, new


def test_the_hash_ignores_filing_review_and_layout() -> None:
    before = read(CONCEPT.read_bytes()).content_hash

    for old, new in [
        ("tags: [index, selectivity]", "tags: [index]"),
        ("packs: []", "packs: [nvidia]"),
        ("covers: [S4-T2]", "covers: []"),
        ("reviewed: 2026-03-01", "reviewed: 2026-04-01"),
        ("recheck_months: 24", "recheck_months: 12"),
        ("title: An index the planner leaves alone", "title: 'An index the planner leaves alone'"),
        ("    met: Run both and read the timings.\n", ""),
    ]:
        text = edited(old, new)
        if not new:
            moved = "    partial: Trusts the planner without looking.\n"
            text = text.replace(moved, moved + old)
        assert read(text).content_hash == before, new

    assert len(before) == 64


def test_a_bank_is_read_in_order_with_names_below_its_folder() -> None:
    questions, problems = read_bank(DATA / "good")

    assert [question.file for question in questions] == [
        "dbe/plans/an-index-nobody-uses.yaml",
        "dbe/sql/customers-without-a-paid-order.yaml",
        "swe/arrays/longest-run-of-one-sign.yaml",
    ]
    assert problems == []


def test_a_bank_reports_unreadable_and_stray_files(tmp_path: Path) -> None:
    (tmp_path / "dbe" / "plans").mkdir(parents=True)
    (tmp_path / "dbe" / "plans" / "a.yaml").write_text("a: *b\n")
    (tmp_path / "dbe" / "notes.txt").write_text("")
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "dbe" / "plans" / "a.samples.yaml").write_text("a: *b\n")

    assert read_bank(tmp_path) == (
        [],
        [
            FileProblem("dbe/notes.txt", 1, "", "not a question file; rename it to *.yaml or move it"),
            FileProblem("dbe/plans/a.yaml", 1, "", "aliases (*name) are not allowed; write the value out"),
        ],
    )


def test_a_bank_must_be_a_folder() -> None:
    with pytest.raises(NotADirectoryError):
        read_bank(CONCEPT)


def test_the_published_schema_is_sound_and_lists_what_the_taxonomy_lists() -> None:
    schema = json.loads(Path(question_file.__file__).with_name("question.schema.json").read_text("utf-8"))

    Draft202012Validator.check_schema(schema)
    assert tuple(schema["properties"]["level"]["enum"]) == taxonomy.LEVELS
    assert tuple(schema["properties"]["kind"]["enum"]) == taxonomy.KINDS

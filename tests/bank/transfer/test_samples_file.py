"""Files of sample answers: what is read, and what each broken one is told."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from prepapp.bank.choices import MarkValue, SampleLevel
from prepapp.bank.transfer import samples_file
from prepapp.bank.transfer.question_file import QuestionFile, read_bank
from prepapp.bank.transfer.samples_file import SamplesFile, read_sample_files, read_samples
from prepapp.bank.transfer.samples_integrity import sample_problems
from prepapp.bank.transfer.yaml_tree import FileProblem
from tests.bank.conftest import SAMPLES, Folder

pytestmark = pytest.mark.embedded
SHIPPED = Path(__file__).resolve().parents[3] / "fixtures" / "bank"


def read(text: str = SAMPLES) -> SamplesFile:
    found = read_samples(text, "first.samples.yaml")
    assert isinstance(found, SamplesFile), found
    return found


def edited(old: str, new: str) -> str:
    assert SAMPLES.count(old) == 1, old
    return SAMPLES.replace(old, new)


def told(text: str) -> list[tuple[int, str, str]]:
    found = read_samples(text, "first.samples.yaml")
    assert isinstance(found, list)
    return [(problem.line, problem.field, problem.message) for problem in found]


@pytest.fixture
def question(folder: Folder) -> QuestionFile:
    return read_bank(folder.path)[0][0]


def test_a_file_becomes_values() -> None:
    found = read()
    assert found.question == "gpu.memory-001"
    assert [sample.level for sample in found.samples] == ["strong", "middling", "weak"]
    strong = found.samples[0]
    assert strong.answer == "One of them, and then two more."
    assert [(mark.point, mark.mark, mark.quote, mark.why) for mark in strong.marks] == [
        ("r1", "met", "One of them", "It states one."),
        ("r2", "met", "two more", "It names two."),
    ]


def test_the_hash_is_that_of_what_is_shown() -> None:
    before = [sample.content_hash for sample in read().samples]
    assert before == [
        sample.content_hash for sample in read(SAMPLES.replace("\n  - level", "\n\n  - level")).samples
    ]
    after = [sample.content_hash for sample in read(edited("It names two.", "It gives two.")).samples]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True, True]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    [
        ("schema: 1", "schema: 2", 1, "schema", "2 is not supported; write 1"),
        (
            "question: gpu.memory-001",
            "question: gpu",
            2,
            "question",
            "'gpu' does not fit; write the id of the question the answers are to, for example gpu.memory-004",
        ),
        (
            "level: weak",
            "level: poor",
            14,
            "samples[2].level",
            "'poor' is not one of strong, middling, weak; choose one of them",
        ),
        (
            'mark: met, quote: "two more"',
            'mark: yes, quote: "two more"',
            8,
            "samples[0].marks[1].mark",
            "'yes' is not one of met, partly, missed; choose one of them",
        ),
        (
            'quote: "two more", ',
            "",
            8,
            "samples[0].marks[1].quote",
            "the required key 'quote' is missing; add it",
        ),
        (
            'why: "It names two."',
            'why: "It names two.", weight: 4',
            8,
            "samples[0].marks[1].weight",
            "unknown key 'weight'; remove it",
        ),
        ('answer: "Only this."', 'answer: ""', 15, "samples[2].answer", "is empty; write some text"),
        (
            "schema: 1",
            "schema: &a 1",
            1,
            "schema",
            "anchors and aliases (&a, *a) are not allowed; write the value out",
        ),
    ],
)
def test_a_broken_file_is_told_what_where_and_what_to_do(
    old: str, new: str, line: int, field: str, message: str
) -> None:
    assert told(edited(old, new)) == [(line, field, message)]


def test_the_published_schema_is_sound_and_lists_what_the_tables_hold() -> None:
    schema = json.loads(Path(samples_file.__file__).with_name("samples.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    sample = schema["properties"]["samples"]["items"]["properties"]
    assert sample["level"]["enum"] == SampleLevel.values
    marks = sample["marks"]["items"]["properties"]["mark"]["enum"]
    assert {mark.upper() for mark in marks} == set(MarkValue.names)


def test_files_that_fit_their_question_have_no_problems(question: QuestionFile) -> None:
    assert list(sample_problems([read()], [question])) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    [
        (
            "question: gpu.memory-001",
            "question: gpu.memory-009",
            2,
            "question",
            "there is no question 'gpu.memory-009' beside this file",
        ),
        (
            "level: weak",
            "level: strong",
            3,
            "samples",
            "the levels are strong, middling, strong; give one answer each: strong, middling, weak",
        ),
        (
            'point: r2, mark: missed, quote: "", why: "Neither',
            'point: r3, mark: missed, quote: "", why: "Neither',
            16,
            "samples[2].marks",
            "the points marked are r1, r3; mark those of gpu.memory-001: r1, r2",
        ),
        (
            'quote: "two more"',
            'quote: "two  more"',
            8,
            "samples[0].marks[1].quote",
            "these words are not in the answer; copy them exactly",
        ),
        (
            'quote: "two more"',
            'quote: ""',
            8,
            "samples[0].marks[1].quote",
            "quote the words of the answer that earn 'met'",
        ),
        (
            'mark: missed, quote: "", why: "Nothing of it."',
            'mark: missed, quote: "Only", why: "Nothing of it."',
            17,
            "samples[2].marks[0].quote",
            "a missed point has no words; write ''",
        ),
        (
            'mark: missed, quote: "", why: "Nothing of it."',
            'mark: partly, quote: "Only", why: "Nothing of it."',
            14,
            "samples[2]",
            "weak scores 3 and middling 3; keep them at least 2 points apart",
        ),
        (
            "Only this.",
            f"Only this.{' x' * 10_000}",
            15,
            "samples[2].answer",
            "is 20010 characters long; keep it to 20000",
        ),
    ],
)
def test_a_file_that_does_not_fit_its_question_is_told_why(
    question: QuestionFile, old: str, new: str, line: int, field: str, message: str
) -> None:
    problems = list(sample_problems([read(edited(old, new))], [question]))
    assert problems == [FileProblem("first.samples.yaml", line, field, message)]


def test_a_question_has_one_file_of_samples(question: QuestionFile) -> None:
    other = read_samples(SAMPLES, "other.samples.yaml")
    problems = list(sample_problems([read(), other], [question]))
    assert problems == [
        FileProblem(
            "other.samples.yaml",
            2,
            "question",
            "'gpu.memory-001' already has sample answers in first.samples.yaml",
        )
    ]


def test_a_folder_is_read_in_order_without_its_questions(folder: Folder) -> None:
    folder.write_samples("second", "gpu.memory-002")
    folder.write_samples("first", "gpu.memory-001")
    (folder.path / "third.samples.yaml").write_text("schema: [\n")
    (folder.path / ".hidden.samples.yaml").write_text("schema: [\n")
    found, problems = read_sample_files(folder.path)
    assert [file.file for file in found] == ["first.samples.yaml", "second.samples.yaml"]
    assert [problem.file for problem in problems] == ["third.samples.yaml"]
    with pytest.raises(NotADirectoryError):
        read_sample_files(folder.path / "first.yaml")


def test_the_shipped_samples_fit_their_questions() -> None:
    found, problems = read_sample_files(SHIPPED)
    assert problems == []
    assert len(found) >= 2
    assert list(sample_problems(found, read_bank(SHIPPED)[0])) == []

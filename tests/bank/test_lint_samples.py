"""S1: sample answers as the lint finds them, by folder, by question and by themselves."""

import pytest

from prepapp.bank.lint import Finding, lint_samples, read_paths, read_sample_paths
from tests.bank.conftest import Folder
from tests.bank.test_lint_bank import lint

pytestmark = pytest.mark.embedded


def found(*paths: object) -> list[Finding]:
    questions, _ = read_paths(paths)
    return lint_samples(*read_sample_paths(paths), questions)


def test_sound_samples_are_counted_and_pass(folder: Folder) -> None:
    folder.write_samples("first", "gpu.memory-001")
    folder.write_samples("second", "gpu.memory-002")
    assert found(folder.path) == []
    _, lines = lint(folder.path, no_code=True)
    assert "2 files of sample answers read (S1)." in lines
    assert not [line for line in lines if " S1 " in line]


def test_marks_of_another_rubric_fail(folder: Folder) -> None:
    """What is left of samples when their question got another point."""
    path = folder.write_samples("first", "gpu.memory-001")
    file = folder.path / "first.yaml"
    file.write_text(file.read_text().replace("id: r2", "id: r3").replace("Names two", "Names three"))
    code, lines = lint(folder.path, no_code=True)
    assert code == 1
    assert [line for line in lines if " S1 " in line] == [
        f"{path}:{line}: F S1 samples[{index}].marks: the points marked are r1, r2; "
        "mark those of gpu.memory-001: r1, r3"
        for index, line in enumerate((6, 11, 16))
    ]


def test_a_broken_file_fails_as_samples_not_as_a_question(folder: Folder) -> None:
    path = folder.write_samples("first", "gpu.memory-001", "schema: 1", "schema: 2")
    assert found(folder.path, folder.path / "first.yaml") == [
        Finding(path.as_posix(), 1, "S1", "F", "schema", "2 is not supported; write 1")
    ]
    assert read_paths([folder.path])[1] == []


def test_a_question_brings_its_samples_and_samples_their_question(folder: Folder) -> None:
    path = folder.write_samples("first", "gpu.memory-001", "two more", "two  more")
    message = "these words are not in the answer; copy them exactly"
    by_question, by_itself = found(folder.path / "first.yaml"), found(path)
    assert by_question == by_itself == []
    path.write_text(path.read_text().replace('quote: "two  more"', 'quote: "two more"'))
    expected = [Finding(path.as_posix(), 8, "S1", "F", "samples[0].marks[1].quote", message)]
    assert found(folder.path / "first.yaml") == found(path) == expected


def test_samples_stand_beside_their_question(folder: Folder) -> None:
    path = folder.write_samples("elsewhere", "gpu.memory-001")
    message = f"gpu.memory-001 is {folder.path / 'first.yaml'}; put this file beside it"
    assert found(folder.path) == [Finding(path.as_posix(), 2, "S1", "F", "question", message)]


def test_samples_without_a_question_fail(folder: Folder) -> None:
    path = folder.write_samples("third", "gpu.memory-003")
    message = "there is no question 'gpu.memory-003' beside this file"
    assert found(path) == [Finding(path.as_posix(), 2, "S1", "F", "question", message)]

"""S1: files of sample answers. A file that cannot be read, that does not fit its question, or that stands
somewhere else than beside it, fails.

Here: reading the samples that a command line names, and the findings about them. Not here: what fits
(`transfer.samples_integrity`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from prepapp.bank.lint.finding import FAIL, Finding
from prepapp.bank.transfer.question_file import SAMPLES_SUFFIX, SUFFIX, QuestionFile, read_question
from prepapp.bank.transfer.samples_file import SamplesFile, read_sample_files, read_samples
from prepapp.bank.transfer.samples_integrity import sample_problems
from prepapp.bank.transfer.yaml_tree import FileProblem

CHECK = "S1"


def read_sample_paths(paths: Sequence[Path]) -> tuple[list[SamplesFile], list[FileProblem]]:
    """The samples below each folder and beside each question file; a file reached twice is read once. Names
    are shown as given."""
    found: dict[str, SamplesFile] = {}
    problems: dict[str, list[FileProblem]] = {}
    for path in paths:
        for name, result in _read(path):
            if isinstance(result, SamplesFile):
                found[name] = result
            else:
                problems[name] = result
    return list(found.values()), [problem for items in problems.values() for problem in items]


def lint_samples(
    samples: Sequence[SamplesFile], unreadable: Sequence[FileProblem], questions: Sequence[QuestionFile]
) -> list[Finding]:
    """Every finding about samples. Those named without their question are held to the one beside them."""
    known = {question.id: question for question in questions}
    for file in samples:
        if file.question not in known and (beside := _question_beside(file)):
            known[beside.id] = beside
    problems = [*unreadable, *sample_problems(samples, list(known.values())), *_places(samples, known)]
    return sorted(
        Finding(problem.file, problem.line, CHECK, FAIL, problem.field, problem.message)
        for problem in problems
    )


def _read(path: Path) -> Iterator[tuple[str, SamplesFile | list[FileProblem]]]:
    if path.is_dir():
        found, problems = read_sample_files(path)
        for file in found:
            name = (path / file.file).as_posix()
            yield name, replace(file, file=name)
        for unreadable in dict.fromkeys(problem.file for problem in problems):
            name = (path / unreadable).as_posix()
            yield name, [replace(problem, file=name) for problem in problems if problem.file == unreadable]
        return
    beside = path if path.name.endswith(SAMPLES_SUFFIX) else path.with_name(f"{path.stem}{SAMPLES_SUFFIX}")
    if beside.is_file():
        yield beside.as_posix(), read_samples(beside.read_bytes(), beside.as_posix())


def _question_beside(file: SamplesFile) -> QuestionFile | None:
    path = Path(file.file.removesuffix(SAMPLES_SUFFIX) + SUFFIX)
    found = read_question(path.read_bytes(), path.as_posix()) if path.is_file() else None
    return found if isinstance(found, QuestionFile) else None


def _places(samples: Sequence[SamplesFile], known: dict[str, QuestionFile]) -> Iterator[FileProblem]:
    for file in samples:
        question = known.get(file.question)
        if question and file.file != question.file.removesuffix(SUFFIX) + SAMPLES_SUFFIX:
            yield file.problem("question", f"{question.id} is {question.file}; put this file beside it")

"""What sample answers must keep to be marked and compared: one answer of each level, a mark for every point
of the question's main rubric, quotes that stand in the answer, scores that lie apart.

Here: samples against the question files they belong to. Not here: keys and types (`samples_file`), whether a
mark is right, which a second grader judges.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from prepapp.bank.choices import MarkValue, SampleLevel
from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.bank.transfer.samples_file import SampleFile, SampleMarkFile, SamplesFile
from prepapp.bank.transfer.yaml_tree import FileProblem
from prepapp.common.markdown import MAX_CHARACTERS

# Points of ten between neighbours: closer ones differ by less than two graders do.
LEAST_STEP = 2


def sample_problems(
    samples: Sequence[SamplesFile], questions: Sequence[QuestionFile]
) -> Iterator[FileProblem]:
    """Everything that keeps these files away from these questions."""
    known = {question.id: question for question in questions}
    first: dict[str, SamplesFile] = {}
    for file in samples:
        if (other := first.setdefault(file.question, file)) is not file:
            yield file.problem("question", f"{file.question!r} already has sample answers in {other.file}")
        question = known.get(file.question)
        if question is None:
            yield file.problem("question", f"there is no question {file.question!r} beside this file")
            continue
        yield from _level_problems(file)
        for index, sample in enumerate(file.samples):
            yield from _answer_problems(file, f"samples[{index}]", sample, question)
        yield from _step_problems(file, question)


def _level_problems(file: SamplesFile) -> Iterator[FileProblem]:
    levels = [sample.level for sample in file.samples]
    if levels != SampleLevel.values:
        found = ", ".join(levels) or "none"
        wanted = ", ".join(SampleLevel.values)
        yield file.problem("samples", f"the levels are {found}; give one answer each: {wanted}")


def _answer_problems(
    file: SamplesFile, path: str, sample: SampleFile, question: QuestionFile
) -> Iterator[FileProblem]:
    if len(sample.answer) > MAX_CHARACTERS:
        message = f"is {len(sample.answer)} characters long; keep it to {MAX_CHARACTERS}"
        yield file.problem(f"{path}.answer", message)
    marked = [mark.point for mark in sample.marks]
    wanted = [point.id for point in question.rubric]
    if marked != wanted:
        found = ", ".join(marked) or "none"
        message = f"the points marked are {found}; mark those of {question.id}: {', '.join(wanted)}"
        yield file.problem(f"{path}.marks", message)
    for index, mark in enumerate(sample.marks):
        if message := _quote_fault(mark, sample.answer):
            yield file.problem(f"{path}.marks[{index}].quote", message)


def _quote_fault(mark: SampleMarkFile, answer: str) -> str:
    if mark.mark == "missed":
        return "a missed point has no words; write ''" if mark.quote else ""
    if not mark.quote:
        return f"quote the words of the answer that earn {mark.mark!r}"
    return "" if mark.quote in answer else "these words are not in the answer; copy them exactly"


def _step_problems(file: SamplesFile, question: QuestionFile) -> Iterator[FileProblem]:
    """Nothing while points or levels are wrong: the scores would mean nothing."""
    weights = {point.id: point.weight for point in question.rubric}
    rubric = [point.id for point in question.rubric]
    if [sample.level for sample in file.samples] != SampleLevel.values or not sum(weights.values()):
        return
    if any([mark.point for mark in sample.marks] != rubric for sample in file.samples):
        return
    scores = [_score(sample, weights) for sample in file.samples]
    for index in range(1, len(scores)):
        better, worse = file.samples[index - 1], file.samples[index]
        if scores[index - 1] - scores[index] < LEAST_STEP:
            message = (
                f"{worse.level} scores {float(scores[index]):g} and {better.level} "
                f"{float(scores[index - 1]):g}; keep them at least {LEAST_STEP} points apart"
            )
            yield file.problem(f"samples[{index}]", message)


def _score(sample: SampleFile, weights: dict[str, int]) -> Fraction:
    """Of ten, as an answer is scored."""
    earned = sum(weights[mark.point] * MarkValue[mark.mark.upper()] for mark in sample.marks)
    return Fraction(10 * earned, 2 * sum(weights.values()))

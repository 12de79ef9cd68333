"""Walks over the rubric points of a question with their dotted paths. Not here: any rule."""

from collections.abc import Iterator

from prepapp.bank.transfer.question_file import QuestionFile, RubricPointFile


def points(question: QuestionFile) -> Iterator[tuple[str, RubricPointFile]]:
    """(path, point) of the main rubric, then of each follow-up."""
    for index, point in enumerate(question.rubric):
        yield f"rubric[{index}]", point
    for outer, follow_up in enumerate(question.followups):
        for index, point in enumerate(follow_up.rubric):
            yield f"followups[{outer}].rubric[{index}]", point


def texts(question: QuestionFile) -> Iterator[tuple[str, str]]:
    """(path, text) of everything a reader reads as prose, titles aside."""
    yield "prompt", question.prompt
    yield "context", question.context
    yield "model_answer", question.model_answer
    yield "deeper", question.deeper
    for index, pitfall in enumerate(question.pitfalls):
        yield f"pitfalls[{index}]", pitfall
    for index, follow_up in enumerate(question.followups):
        yield f"followups[{index}].prompt", follow_up.prompt
        yield f"followups[{index}].answer", follow_up.answer
    for path, point in points(question):
        yield f"{path}.criterion", point.criterion
        yield f"{path}.met", point.met
        yield f"{path}.partial", point.partial

"""What the tables demand of question files beyond their shape.

Here: identities that must be unique, topics that must exist, rubrics a score can be computed from, texts
the Markdown pipeline takes. Not here: keys and types (`question_file`), how well a question is written
(`bank.lint`), what the database already holds (`bank.actions`).
"""

from collections.abc import Collection, Iterator, Sequence

from prepapp.bank.rendering import too_long
from prepapp.bank.transfer.question_file import QuestionFile, RubricPointFile
from prepapp.bank.transfer.yaml_tree import FileProblem
from prepapp.common.markdown import MAX_CHARACTERS

RUBRIC_TOTAL = 10


def problem(question: QuestionFile, field: str, message: str) -> FileProblem:
    """A problem at the line of that field."""
    return FileProblem(question.file, question.line_of(field), field, message)


def integrity_problems(questions: Sequence[QuestionFile], topics: Collection[str]) -> list[FileProblem]:
    """Everything that keeps these files together out of a bank with these topic codes."""
    found: list[FileProblem] = []
    ids: dict[str, QuestionFile] = {}
    slugs: dict[str, QuestionFile] = {}
    for question in questions:
        if (other := ids.setdefault(question.id, question)) is not question:
            found.append(problem(question, "id", f"{question.id!r} is already used by {other.file}"))
        if (other := slugs.setdefault(question.slug, question)) is not question:
            found.append(problem(question, "slug", f"{question.slug!r} is already used by {other.file}"))
        if question.topic not in topics:
            found.append(problem(question, "id", f"there is no topic {question.topic!r}"))
        found.extend(_rubric_problems(question))
        found.extend(_long_texts(question))
    return found


def _rubric_problems(question: QuestionFile) -> Iterator[FileProblem]:
    seen: set[str] = set()
    yield from _points(question, "rubric", question.rubric, seen)
    keys: set[str] = set()
    for index, follow_up in enumerate(question.followups):
        path = f"followups[{index}]"
        if follow_up.id in keys:
            yield problem(
                question, f"{path}.id", f"{follow_up.id!r} is used twice; give each part its own id"
            )
        keys.add(follow_up.id)
        yield from _points(question, f"{path}.rubric", follow_up.rubric, seen)


def _points(
    question: QuestionFile, path: str, points: Sequence[RubricPointFile], seen: set[str]
) -> Iterator[FileProblem]:
    total = sum(point.weight for point in points)
    if total != RUBRIC_TOTAL:
        yield problem(question, path, f"the weights sum to {total}; make them sum to {RUBRIC_TOTAL}")
    for index, point in enumerate(points):
        if point.id in seen:
            message = f"{point.id!r} is used twice; give each point of the question its own id"
            yield problem(question, f"{path}[{index}].id", message)
        seen.add(point.id)


def _long_texts(question: QuestionFile) -> Iterator[FileProblem]:
    texts = {
        name: getattr(question, name) for name in ("prompt", "context", "data", "model_answer", "deeper")
    }
    texts |= {f"pitfalls[{index}]": text for index, text in enumerate(question.pitfalls)}
    for index, follow_up in enumerate(question.followups):
        texts |= {
            f"followups[{index}].prompt": follow_up.prompt,
            f"followups[{index}].answer": follow_up.answer,
        }
    for name in too_long(texts):
        message = f"is {len(texts[name])} characters long; keep it to {MAX_CHARACTERS}"
        yield problem(question, name, message)

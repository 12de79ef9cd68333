"""L19: what a writer typed is what a reader sees. Markdown takes some signs of code for its own.

Not here: what Markdown becomes (`common.markdown`), and texts that are shown as they are: titles, rubric
points, difficulty notes.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from prepapp.bank.lint.finding import Finding, fail
from prepapp.bank.lint.words import without_code
from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.common.markdown import render

# A name between double underscores, or letters in angle brackets: bold and a tag to Markdown.
_AT_RISK = re.compile(r"[\w.:]*(?:__\w+__|<[A-Za-z/][\w:.]*>)(?:[.:]*\w+)*")


class _Words(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def check_markup(question: QuestionFile) -> Iterator[Finding]:
    """L19: signs that belong to code and are not between code ticks vanish from the page."""
    for field, text in _shown(question):
        names = dict.fromkeys(_AT_RISK.findall(without_code(text)))
        if not names:
            continue
        shown = _text_of(render(text))
        for name in names:
            if name not in shown:
                message = f"{name} loses its signs when shown; put it between code ticks: `{name}`"
                yield fail(question, "L19", field, message)


def _shown(question: QuestionFile) -> Iterator[tuple[str, str]]:
    """(field, text) of everything that is shown as Markdown."""
    for field in ("prompt", "context", "data", "model_answer", "deeper"):
        yield field, getattr(question, field)
    for index, pitfall in enumerate(question.pitfalls):
        yield f"pitfalls[{index}]", pitfall
    for index, follow_up in enumerate(question.followups):
        yield f"followups[{index}].prompt", follow_up.prompt
        yield f"followups[{index}].answer", follow_up.answer


def _text_of(html: str) -> str:
    words = _Words()
    words.feed(html)
    return "".join(words.found)

"""Which texts of a question become HTML, and under which name a page finds them.

Here: the shape of `QuestionVersion.rendered` and `FollowUp.rendered`. Not here: how Markdown becomes
safe HTML (`common.markdown`), and texts that stay plain: titles, rubric points, difficulty notes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from prepapp.common.markdown import MAX_CHARACTERS, render, render_code

# The check is Python whatever language the answer is in.
CHECK_LANGUAGE = "python"
TEXTS = ("prompt", "context", "data", "model_answer", "deeper")
FOLLOW_UP_TEXTS = ("prompt", "answer")


class HasTexts(Protocol):
    """A version: stored, or not yet."""

    prompt: str
    context: str
    data: str
    model_answer: str
    deeper: str
    pitfalls: Sequence[str]
    code: Mapping[str, Any] | None


class HasFollowUpTexts(Protocol):
    prompt: str
    answer: str


def render_version(version: HasTexts) -> dict[str, Any]:
    """HTML of each text by field name, '' where there is no text; `pitfalls` is a list. A question with
    code has `code_solution` and `code_check` as well."""
    html: dict[str, Any] = {name: _html(getattr(version, name)) for name in TEXTS}
    html["pitfalls"] = [_html(text) for text in version.pitfalls]
    if version.code:
        html["code_solution"] = render_code(version.code["solution"], version.code["language"])
        html["code_check"] = render_code(version.code["check"], CHECK_LANGUAGE)
    return html


def render_follow_up(follow_up: HasFollowUpTexts) -> dict[str, str]:
    """HTML of `prompt` and `answer`."""
    return {name: _html(getattr(follow_up, name)) for name in FOLLOW_UP_TEXTS}


def reference_link(address: str) -> str:
    """The address as a link may carry it: https, http or a DOI. Everything else is '' and stays text."""
    if address.lower().startswith("doi:"):
        return f"https://doi.org/{quote(address[4:].strip(), safe='/')}"
    return address if address.lower().startswith(("https://", "http://")) else ""


def too_long(texts: Mapping[str, str]) -> Iterator[str]:
    """The names of texts that are longer than the pipeline takes."""
    return (name for name, text in texts.items() if len(text) > MAX_CHARACTERS)


def _html(text: str) -> str:
    return render(text) if text else ""

"""Texts in the four formats Moodle knows, and its paths of categories.

Here: what Moodle XML and GIFT share. HTML becomes Markdown; Markdown and plain text stay as they are;
Moodle's own format is plain text unless it holds tags, as Moodle itself reads it.
"""

import re

from prepapp.bank.transfer.category_path import split_category
from prepapp.bank.transfer.html_text import Converted, to_markdown, to_plain_blocks, without_pictures
from prepapp.bank.transfer.rubric_text import paragraphs_of

HTML, MARKDOWN, PLAIN, AUTO = "html", "markdown", "plain_text", "moodle_auto_format"
_TAG = re.compile(
    r"</?(?:a|b|blockquote|br|code|div|em|h[1-6]|hr|i|img|li|ol|p|pre|span|strong|su[bp]|table|t[dhr]|tt|u|ul)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BLOCK_TAG = re.compile(r"<(?:blockquote|br|div|h[1-6]|li|ol|p|pre|table|ul)[\s/>]", re.IGNORECASE)


def convert(text: str, text_format: str) -> Converted:
    """The text as our Markdown."""
    if is_html(text, text_format):
        return to_markdown(_with_breaks(text, text_format))
    return without_pictures(text) if text_format in {MARKDOWN, AUTO} else Converted(text)


def paragraphs(text: str, text_format: str) -> tuple[list[str], tuple[str, ...]]:
    """The paragraphs of the text, without markup if it is HTML, and what is lost."""
    if is_html(text, text_format):
        return to_plain_blocks(_with_breaks(text, text_format))
    return paragraphs_of(text), ()


def is_html(text: str, text_format: str) -> bool:
    """Whether Moodle would take the text for HTML."""
    return text_format == HTML or (text_format == AUTO and bool(_TAG.search(text)))


def category_path(text: str) -> list[str]:
    """The parts of a path without the names of the context and of the topmost category, which say nothing."""
    parts = split_category(text)
    if parts and re.fullmatch(r"\$\w+\$", parts[0]):
        parts = parts[1:]
    return parts[1:] if parts and parts[0].casefold() == "top" else parts


def _with_breaks(text: str, text_format: str) -> str:
    """In Moodle's own format a line ends where it ends, unless tags say where."""
    if text_format == AUTO and not _BLOCK_TAG.search(text):
        return text.replace("\n", "<br>\n")
    return text

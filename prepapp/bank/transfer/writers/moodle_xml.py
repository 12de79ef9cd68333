"""Writes questions as Moodle XML: essay questions that Moodle and our own reader take.

Texts are written as Markdown, which Moodle renders, so that they come back as they were. Written: title,
prompt with context and data below it, model answer as general feedback, rubric as information for graders,
topic or category, tags, packs, level, kind and minutes as tags, reference as id number, retired as hidden.
Lost: what `LOST` names.
"""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from prepapp.bank.choices import Status
from prepapp.bank.taxonomy import TOPICS, TRACKS
from prepapp.bank.transfer.document import Document
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.rubric_text import lines_of
from prepapp.bank.transfer.tagged import tags_of

LOST = (
    "slug",
    "covers",
    "deeper",
    "code",
    "weights_note",
    "pitfalls",
    "followups",
    "references",
    "difficulty",
    "review",
)
_TRACK_TITLES = {track.code: track.title for track in TRACKS}
_HOMES = {topic.code: _TRACK_TITLES[topic.home] for topic in TOPICS}
# What XML 1.0 cannot hold, not even escaped.
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ANSWER_LINES = 15
_DEFAULT_GRADE = 10


def write_moodle_xml(entries: Sequence[Entry]) -> bytes:
    """A Moodle XML file of these questions, in their order, a category before each change of it."""
    root = Element("quiz")
    current: list[str] | None = None
    for entry in entries:
        path = _category(entry.document)
        if path != current:
            _add_category(root, path)
            current = path
        _add_question(root, entry)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _category(document: Document) -> list[str]:
    """The topic below its track, else the category the draft came with."""
    if code := document.get("topic"):
        return [_HOMES.get(code, code.partition(".")[0]), code]
    return [str(part) for part in document.get("category", [])]


def _add_category(root: Element, path: Sequence[str]) -> None:
    element = SubElement(root, "question", type="category")
    text = "/".join(["$course$", "top", *(part.replace("/", "//") for part in path)])
    _add_text(element, "category", text)


def _add_question(root: Element, entry: Entry) -> None:
    document = entry.document
    element = SubElement(root, "question", type="essay")
    _add_text(element, "name", document.get("title", ""))
    _add_text(element, "questiontext", _prompt(document), "markdown")
    _add_text(element, "generalfeedback", document.get("model_answer", ""), "markdown")
    rubric = document.get("rubric", [])
    grade = sum(point.get("weight", 0) for point in rubric) or _DEFAULT_GRADE
    values = {
        "defaultgrade": f"{grade:g}",
        "penalty": "0",
        "hidden": str(int(entry.status == Status.RETIRED)),
        "idnumber": entry.ref or str(document.get("slug") or ""),
        "responseformat": "editor",
        "responserequired": "1",
        "responsefieldlines": str(_ANSWER_LINES),
        "attachments": "0",
        "attachmentsrequired": "0",
    }
    for tag, value in values.items():
        SubElement(element, tag).text = value
    _add_text(element, "graderinfo", "\n".join(_rubric_line(point) for point in rubric), "plain_text")
    _add_text(element, "responsetemplate", "", "html")
    if tags := tags_of(document, "" if entry.status == Status.RETIRED else entry.status):
        parent = SubElement(element, "tags")
        for tag in tags:
            _add_text(parent, "tag", tag)


def _prompt(document: Document) -> str:
    below = [f"### {key.capitalize()}\n\n{document[key]}" for key in ("context", "data") if document.get(key)]
    return "\n\n".join([document.get("prompt", ""), *below])


def _rubric_line(point: Document) -> str:
    """A point as a line, what belongs to it indented below."""
    return "\n  ".join(lines_of(point))


def _add_text(parent: Element, tag: str, text: str, text_format: str = "") -> None:
    element = SubElement(parent, tag, {"format": text_format} if text_format else {})
    SubElement(element, "text").text = _UNFIT.sub("\ufffd", text)

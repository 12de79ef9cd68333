"""Reads questions that Moodle exported as XML.

Essay and short-answer questions become free text. What becomes of what: name → title, question text →
prompt, general feedback → model answer (of an essay) or going deeper (of a short answer), answers worth full
marks → model answer, other answers → pitfalls, information for graders → rubric, category → category or
topic, tags → tags, id number → reference, slug or a note on the source, hidden → retired. In Markdown a
heading `### Context` or `### Data` begins that text. Other types are listed as skipped with the reason.

A document type is refused with the whole file before anything of it is read: Moodle writes none, and
entities may point to files and hosts or grow without end. Nothing is ever resolved.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from prepapp.bank.choices import Status
from prepapp.bank.transfer.categories import place
from prepapp.bank.transfer.item import Item, Reading
from prepapp.bank.transfer.readers.free_text import Draft, complete, refused, too_large
from prepapp.bank.transfer.readers.moodle_text import AUTO, MARKDOWN, category_path, convert, paragraphs
from prepapp.bank.transfer.readers.short_answers import Answer, put_answers

# A question has about forty. An element takes some 300 bytes while its question is read.
MAX_ELEMENTS = 1_000_000
_NO_DTD = (
    "the file declares a document type or entities, which can point to files and hosts; Moodle writes none: "
    "remove everything from <!DOCTYPE to its closing > and use the text itself in place of each &name;"
)
# Types whose answer is not given in one's own words, by what they ask for instead.
_OTHER_TYPES = {
    "multichoice": "the answer is a choice",
    "multichoiceset": "the answer is a choice",
    "truefalse": "the answer is a choice",
    "matching": "the answer is a pairing",
    "match": "the answer is a pairing",
    "ordering": "the answer is an order",
    "numerical": "the answer is a number",
    "calculated": "the answer is a number",
    "calculatedsimple": "the answer is a number",
    "calculatedmulti": "the answer is a choice",
    "cloze": "the answers are words in gaps",
    "gapselect": "the answers are words in gaps",
    "ddwtos": "the answers are words in gaps",
    "description": "it is a text between questions",
    "random": "it stands for any question of its category",
}
_HEADINGS = re.compile(r"(?:^|\n)### (Context|Data)[ \t]*\n+")


def read_moodle_xml(data: bytes, name: str) -> Reading:
    """All questions of a Moodle XML file, in its order. Refused whole if it is no such file."""
    if reason := too_large(data):
        return _refused(reason)
    try:
        return complete("moodle-xml", "Moodle XML", _items(data))
    except DefusedXmlException:
        return _refused(_NO_DTD)
    except _NotMoodle as error:
        return _refused(str(error))
    except (ParseError, ValueError, LookupError) as error:
        return _refused(f"the XML cannot be read: {_first_line(error)}; export the file again")


class _NotMoodle(Exception):
    """`str()` says why."""


def _refused(message: str) -> Reading:
    return refused("moodle-xml", "Moodle XML", message)


def _items(data: bytes) -> Iterator[Item]:
    category: list[str] = []
    number = 0
    for element in _questions(data):
        if element.get("type") == "category":
            category = category_path(_text(element, "category"))
            continue
        number += 1
        draft = Draft(f"question {number}")
        draft.document |= place(category)
        yield _read(element, draft)


def _questions(data: bytes) -> Iterator[Element]:
    """The questions one after another; each is forgotten before the next is read."""
    open_elements: list[Element] = []
    for count, (event, element) in enumerate(
        iterparse(BytesIO(data), events=("start", "end"), forbid_dtd=True)
    ):
        if count >= 2 * MAX_ELEMENTS:
            raise _NotMoodle(f"the file has more than {MAX_ELEMENTS:,} elements; split it")
        if event == "start":
            if not open_elements and element.tag != "quiz":
                message = f"the outermost element is <{element.tag[:40]}>, not the <quiz> of a Moodle export"
                raise _NotMoodle(message)
            open_elements.append(element)
            continue
        open_elements.pop()
        if len(open_elements) == 1:
            if element.tag == "question":
                yield element
            open_elements[0].clear()


def _read(element: Element, draft: Draft) -> Item:
    kind = element.get("type", "")
    draft.put("title", _text(element, "name").strip())
    draft.identify("id number", _text(element, "idnumber", inner=""))
    _prompt(element, draft)
    if kind not in {"essay", "shortanswer"}:
        reason = _OTHER_TYPES.get(kind, "only essay and short-answer questions are taken")
        return draft.item(skipped=f"type not supported: {kind[:40] or 'none given'} ({reason})")
    draft.status = Status.RETIRED.value if _text(element, "hidden", inner="").strip() == "1" else ""
    draft.tag([_text(tag) for tag in element.findall("tags/tag")])
    if kind == "essay":
        _convert(element, "generalfeedback", "model_answer", draft)
        points, lost = paragraphs(_text(element, "graderinfo"), _format(element.find("graderinfo")))
        draft.rubric(points, "information for graders")
        draft.report("rubric", lost)
    else:
        _convert(element, "generalfeedback", "deeper", draft)
        put_answers(draft, _answers(element))
    _unused(element, draft)
    return draft.item()


def _prompt(element: Element, draft: Draft) -> None:
    """The question text; in Markdown with the context and the data that follow it below their headings."""
    text_format = _format(element.find("questiontext"))
    text = _text(element, "questiontext")
    parts = _HEADINGS.split(text) if text_format == MARKDOWN else [text]
    draft.convert("prompt", convert(parts[0] if len(parts) == 1 else parts[0].rstrip("\n"), text_format))
    for heading, part in zip(parts[1::2], parts[2::2], strict=True):
        draft.convert(heading.lower(), convert(part.strip("\n"), text_format))


def _convert(element: Element, tag: str, key: str, draft: Draft) -> None:
    draft.convert(key, convert(_text(element, tag), _format(element.find(tag))))


def _answers(element: Element) -> Iterator[Answer]:
    for answer in element.findall("answer"):
        feedback = convert(_text(answer, "feedback"), _format(answer.find("feedback"))).text
        yield Answer(_text(answer), _number(answer.get("fraction", "")), feedback)


def _unused(element: Element, draft: Draft) -> None:
    """Says what else the question had that has no place here."""
    said = " ".join(notice.message for notice in draft.sink.notices)
    files = [f'the file "{file.get("name", "")[:200]}"' for file in element.iter("file")]
    draft.report("", tuple(file for file in files if file.removeprefix("the file ") not in said))
    if _text(element, "responsetemplate").strip():
        draft.sink.note("", "the text the answer box began with (response template) is not kept")
    if _number(_text(element, "attachmentsrequired", inner="")) > 0:
        draft.sink.note("", "it asked for attached files; answers are text here")


def _text(element: Element, tag: str = "", *, inner: str = "text") -> str:
    """The text of a child, or of the `text` inside it; '' where there is none."""
    path = "/".join(part for part in (tag, inner) if part)
    found = element.find(path)
    return (found.text or "") if found is not None else ""


def _format(element: Element | None) -> str:
    return element.get("format", AUTO) if element is not None else AUTO


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", text.strip()) else 0.0


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0][:120]

"""Reads one question written as Markdown: its fields in YAML between two lines of `---`, its prompt below.

The prompt is kept character for character. Not here: how YAML values are taken (`yaml_values`).
"""

import re

from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.fields import canonical, read_item
from prepapp.bank.transfer.readers.shapes import Sink, below
from prepapp.bank.transfer.readers.text_files import decode
from prepapp.bank.transfer.readers.yaml_values import Budget, TooMuch, values_of
from prepapp.bank.transfer.yaml_tree import MAX_BYTES, FileProblem, compose_documents

_PARTS = re.compile(r"\s*---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)(.*)", re.DOTALL | re.MULTILINE)


def read_markdown_question(data: bytes, name: str) -> Reading:
    """One item, named by the file."""
    decoded = decode(data)
    if decoded is None:
        return _refused("the file is not UTF-8; save it with the encoding UTF-8")
    if len(data) > MAX_BYTES:
        return _refused(f"is {len(data):,} bytes long; keep a question below {MAX_BYTES:,}")
    parts = _PARTS.fullmatch(decoded.text)
    if parts is None:
        return _refused("has no fields; begin with a line ---, one key per line, and another line ---")
    nodes = compose_documents(parts.group(1), name)
    if isinstance(nodes, FileProblem):
        return _refused(f"line {nodes.line + 1}: {nodes.message}")
    if len(nodes) != 1:
        return _refused("has no fields between the two lines ---; write at least a title")
    sink = Sink()
    try:
        values = values_of(nodes[0], sink, Budget())
    except TooMuch:
        return _refused("its aliases add up to more than is taken; write the values out")
    place = below("", name) or "the file"
    detected = f"Markdown with fields, {decoded.encoding}"
    if values is None:
        return Reading("markdown", detected, (Item(place, faults=tuple(sink.faults)),))
    if parts.group(2).strip():
        if stated := next((key for key in values if canonical(key) == "prompt"), ""):
            sink.fault(stated, "stands among the fields and below them; keep one of the two")
        else:
            values["prompt"] = parts.group(2)
    return Reading("markdown", detected, (read_item(place, values, sink),))


def _refused(message: str) -> Reading:
    return Reading("markdown", "Markdown", refusals=(Notice("", message),))

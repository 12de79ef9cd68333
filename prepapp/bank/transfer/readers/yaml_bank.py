"""Reads question files: one or many in a YAML file, or a zip of such files.

A document that begins with `schema: 1` is a question file: strict, complete, read by the rules of the bank's
own files; it counts as published unless a key `status` says otherwise. A draft among them (`status: draft` or
`in_review`) may lack anything. Every other document is loose: one question, a list of questions, or
`questions:` with a list, its plain values taken as the text that is written. Not here: what is inside a zip
of another kind.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from zipfile import ZipFile, ZipInfo

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from prepapp.bank.choices import Status
from prepapp.bank.transfer.document import Document, document_of_file
from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.question_file import read_question_tree
from prepapp.bank.transfer.readers.archives import open_archive, read_member
from prepapp.bank.transfer.readers.fields import read_item
from prepapp.bank.transfer.readers.limits import MAX_ITEMS, MAX_TITLE, MAX_UNPACKED_YAML
from prepapp.bank.transfer.readers.markdown_question import read_markdown_question
from prepapp.bank.transfer.readers.shapes import CONTROL, Sink, below
from prepapp.bank.transfer.readers.text_files import decode
from prepapp.bank.transfer.readers.words import STATUSES, meaning
from prepapp.bank.transfer.readers.yaml_values import Budget, TooMuch, line_of_node, values_of
from prepapp.bank.transfer.yaml_tree import MAX_BYTES, FileProblem, compose_documents, tree_of_node

# Called with how many of how many files were read.
Told = Callable[[int, int], None]

SUFFIXES = (".yaml", ".yml")
_UNFINISHED = {Status.DRAFT.value, Status.IN_REVIEW.value}
_QUESTIONS = "questions"


def read_yaml_bank(data: bytes, name: str) -> Reading:
    """Every question of one YAML file as an item, named by its number and line."""
    decoded = decode(data)
    if decoded is None:
        return _refused("yaml", "the file is not UTF-8; save it with the encoding UTF-8")
    items = _items(decoded.text, "")
    if isinstance(items, Notice):
        return Reading("yaml", "YAML", refusals=(items,))
    if len(items) > MAX_ITEMS:
        return _refused("yaml", f"holds {len(items):,} questions; split it into files of {MAX_ITEMS:,}")
    return Reading("yaml", f"YAML, {decoded.encoding}", items)


def untold(done: int, total: int) -> None:
    """For whoever does not want to know how far a reader is."""


def read_yaml_zip(data: bytes, name: str, told: Told = untold) -> Reading:
    """Every question file of a zip as an item, named by its path; other files are skipped. `told` hears after
    each file how many of how many were read."""
    archive = open_archive(data, MAX_UNPACKED_YAML)
    if isinstance(archive, str):
        return _refused("yaml-zip", archive)
    items: list[Item] = []
    members = [member for member in archive.infolist() if not member.is_dir()]
    for number, member in enumerate(sorted(members, key=lambda member: member.filename), 1):
        if not _is_litter(member.filename):
            items += _members_items(archive, member)
        told(number, len(members))
    if len(items) > MAX_ITEMS:
        return _refused("yaml-zip", f"holds {len(items):,} questions; split it into files of {MAX_ITEMS:,}")
    return Reading("yaml-zip", f"zip of {len(members):,} files", tuple(items))


def _members_items(archive: ZipFile, member: ZipInfo) -> tuple[Item, ...]:
    place = below("", member.filename)
    lower = member.filename.casefold()
    if lower.endswith(".samples.yaml"):
        return (Item(place, skipped="sample answers, not a question"),)
    if not lower.endswith((*SUFFIXES, ".md")):
        return (Item(place, skipped="not a question file; those end in .yaml"),)
    content = read_member(archive, member, MAX_BYTES)
    if isinstance(content, str):
        return (Item(place, faults=(Notice("", content),)),)
    if lower.endswith(".md"):
        reading = read_markdown_question(content, place)
        return reading.items or (Item(place, faults=reading.refusals),)
    decoded = decode(content)
    if decoded is None:
        return (Item(place, faults=(Notice("", "is not UTF-8; save it with the encoding UTF-8"),)),)
    items = _items(decoded.text, place)
    if isinstance(items, Notice):
        return (Item(place, faults=(items,)),)
    return items or (Item(place, faults=(Notice("", "the file is empty"),)),)


def _items(text: str, member: str) -> tuple[Item, ...] | Notice:
    """The items of a YAML text, or why nothing of it can be taken."""
    nodes = compose_documents(text, member)
    if isinstance(nodes, FileProblem):
        return Notice("", f"line {nodes.line}: {nodes.message}")
    entries = [entry for node in nodes for entry in _entries(node)]
    budget = Budget()
    try:
        return tuple(
            _item(entry, _place(member, number, len(entries), entry), budget)
            for number, entry in enumerate(entries, 1)
        )
    except TooMuch:
        return Notice("", "its aliases add up to more than is taken; write the values out")


def _entries(node: Node) -> Iterator[Node]:
    """The questions of one document."""
    if isinstance(node, SequenceNode):
        yield from node.value
        return
    listed = _value_of(node, _QUESTIONS)
    if isinstance(listed, SequenceNode):
        yield from listed.value
    else:
        yield node


def _place(member: str, number: int, count: int, node: Node) -> str:
    item = f"item {number}, line {line_of_node(node)}"
    if not member:
        return item
    return member if count == 1 else f"{member}, {item}"


def _item(node: Node, place: str, budget: Budget) -> Item:
    status = _status_of_file(node)
    if status and isinstance(node, MappingNode) and status not in _UNFINISHED:
        return _strict_item(node, status, place)
    sink = Sink()
    values = values_of(node, sink, budget)
    if values is None:
        return Item(place, faults=tuple(sink.faults))
    item = read_item(place, values, sink)
    if status is not None and item.ref and "topic" not in item.document:
        return replace(item, document=item.document | {"topic": item.ref.rpartition("-")[0]})
    return item


def _status_of_file(node: Node) -> str | None:
    """The status of a question file, '' if it states none that we know; None for what is no question file."""
    schema, status = _value_of(node, "schema"), _value_of(node, "status")
    if not isinstance(schema, ScalarNode) or schema.value != "1":
        return None
    if status is None:
        return Status.PUBLISHED.value
    return meaning(status.value, STATUSES) if isinstance(status, ScalarNode) else ""


def _strict_item(node: MappingNode, status: str, place: str) -> Item:
    plain = MappingNode(
        node.tag,
        [(key, value) for key, value in node.value if getattr(key, "value", None) != "status"],
        node.start_mark,
        node.end_mark,
        flow_style=node.flow_style,
        anchor=node.anchor,
    )
    tree = tree_of_node(plain, place)
    question = tree if isinstance(tree, list) else read_question_tree(tree, place)
    if isinstance(question, list):
        faults = tuple(Notice(found.field, f"line {found.line}: {found.message}") for found in question)
        return Item(place, _named_by(node), faults=faults)
    return Item(place, document_of_file(question), ref=question.id, status=status)


def _named_by(node: MappingNode) -> Document:
    """What names a question that cannot be read, as far as it is sound."""
    named: Document = {}
    for key in ("slug", "title"):
        value = _value_of(node, key)
        if (
            isinstance(value, ScalarNode)
            and len(value.value) <= MAX_TITLE
            and not CONTROL.search(value.value)
        ):
            named[key] = value.value
    return named


def _value_of(node: Node, key: str) -> Node | None:
    """The value of a plain key of a block."""
    if not isinstance(node, MappingNode):
        return None
    return next((value for name, value in node.value if getattr(name, "value", None) == key), None)


def _is_litter(name: str) -> bool:
    """Whether an operating system put the file into the zip by itself."""
    parts = name.split("/")
    return "__MACOSX" in parts or parts[-1] in {".DS_Store", "Thumbs.db", "desktop.ini"}


def _refused(kind: str, message: str) -> Reading:
    return Reading(kind, "YAML" if kind == "yaml" else "zip", refusals=(Notice("", message),))

"""Turns the bytes of a YAML file into plain values that remember their lines.

Here: size, encoding, YAML 1.2 syntax, and the refusal of anchors, aliases, tags and duplicate
keys. Not here: which keys a question has (`question_file`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

MAX_BYTES = 200_000
MAX_DEPTH = 10
MAX_NUMBER = 40

TAG_PREFIX = "tag:yaml.org,2002:"
# Escapes in quoted text can spell what the file itself may not hold: a database refuses NUL, and
# half a surrogate pair cannot be written as UTF-8.
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
PLAIN_TAGS = frozenset({"str", "int", "float", "bool", "null", "timestamp", "map", "seq"})

# The time the parser takes for a tag grows with the square of its length.
_LONG_TAG = re.compile(r"(?:^|[\s\[{,])(!\S{1000})")


@dataclass(frozen=True)
class FileProblem:
    """Why a file cannot be read as a question. `line` counts from 1; `field` is a dotted path or ''."""

    file: str
    line: int
    field: str
    message: str


@dataclass(frozen=True)
class Tree:
    """Plain values of a document, and the line of every key and list item by dotted path."""

    value: dict[str, Any]
    lines: Mapping[str, int]


def read_tree(source: bytes | str, file: str) -> Tree | list[FileProblem]:
    """Parse one YAML document whose top level is a mapping, or say why that is impossible."""
    text = _decode(source, file)
    return [text] if isinstance(text, FileProblem) else _parse(text, file)


def line_of(lines: Mapping[str, int], path: str) -> int:
    """Line of a dotted path, or of the nearest enclosing path that is known; 1 when none is."""
    while path and path not in lines:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return lines.get(path, 1)


def _decode(source: bytes | str, file: str) -> str | FileProblem:
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    if len(data) > MAX_BYTES:
        return FileProblem(file, 1, "", f"is {len(data)} bytes long; keep a question file below {MAX_BYTES}")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return FileProblem(file, line, "", "holds a NUL character; delete it and save the file as text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return FileProblem(file, line, "", "is not UTF-8; save the file with the encoding UTF-8")


def compose_documents(text: str, file: str) -> list[Node] | FileProblem:
    """The nodes of every document of a text, empty ones left out, or where it stops being YAML."""
    if long := _LONG_TAG.search(text):
        line = text.count("\n", 0, long.start(1)) + 1
        return FileProblem(file, line, "", "a tag of many characters; put text that begins with ! in quotes")
    yaml = _parser()
    try:
        return [node for node in yaml.compose_all(text) if node is not None and node.value != ""]
    except MarkedYAMLError as error:
        return _marked_problem(error, file)
    except ReaderError as error:
        return _reader_problem(error, text, file)


def tree_of_node(node: Node, file: str) -> Tree | list[FileProblem]:
    """The plain values of one document, or why it has none."""
    if not isinstance(node, MappingNode):
        return [FileProblem(file, 1, "", "holds no keys; start with `schema: 1` and one key per line")]
    walk = _Walk(_parser().constructor, file)
    value = walk.any(node, "")
    return walk.problems or Tree(value, walk.lines)


def _parse(text: str, file: str) -> Tree | list[FileProblem]:
    try:
        node = _parser().compose(text)
    except MarkedYAMLError as error:
        return [_marked_problem(error, file)]
    except ReaderError as error:
        return [_reader_problem(error, text, file)]
    return tree_of_node(node, file)


def _parser() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    yaml.max_depth = MAX_DEPTH
    return yaml


def _marked_problem(error: MarkedYAMLError, file: str) -> FileProblem:
    mark = error.problem_mark or error.context_mark
    return FileProblem(file, mark.line + 1 if mark else 1, "", _yaml_message(error))


def _reader_problem(error: ReaderError, text: str, file: str) -> FileProblem:
    line = text.count("\n", 0, error.position) + 1
    return FileProblem(file, line, "", "holds a control character; delete it")


def _yaml_message(error: MarkedYAMLError) -> str:
    problem = " ".join(str(error.problem or error.context or "cannot be read").split())
    if "'\\t'" in problem:
        return "a tab is used for indentation; use spaces"
    if "undefined alias" in problem:
        return "aliases (*name) are not allowed; write the value out"
    if "another document" in problem:
        return "a second document starts here; keep one question per file and remove `---`"
    if "nesting" in problem or "depth" in problem:
        return f"is nested deeper than {MAX_DEPTH} levels; a question needs no more than five"
    if "mapping values are not allowed" in problem:
        return "a colon inside plain text; put the text in quotes or use a block (>-)"
    if problem.startswith("expected <block end>"):
        return "cannot be read from here on; check the indentation and the quotes of this and the lines above"
    return f"is not valid YAML: {problem}"


class _Walk:
    """Turns nodes into plain values, noting lines, duplicate keys, anchors and tags on the way."""

    def __init__(self, constructor: Any, file: str) -> None:
        self.constructor = constructor
        self.file = file
        self.lines: dict[str, int] = {}
        self.problems: list[FileProblem] = []

    def mapping(self, node: MappingNode, path: str) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode) or key_node.anchor or _UNFIT.search(key_node.value):
                self.refuse(
                    line, path, "a key must be plain text; remove brackets, anchors and control characters"
                )
                continue
            key = key_node.value
            child = f"{path}.{key}" if path else key
            if key in value:
                self.refuse(line, child, f"the key {key!r} appears twice; keep one of them")
                continue
            self.lines[child] = line
            value[key] = self.any(value_node, child)
        return value

    def any(self, node: Node, path: str) -> Any:
        line = node.start_mark.line + 1
        if node.anchor:
            # A shared node could be expanded again and again, so its inside is never visited.
            names = f"&{node.anchor}, *{node.anchor}"
            self.refuse(line, path, f"anchors and aliases ({names}) are not allowed; write the value out")
            return None
        tag = str(node.tag)
        if tag.removeprefix(TAG_PREFIX) not in PLAIN_TAGS:
            self.refuse(line, path, f"the tag {short_tag(tag)} is not allowed; write a plain value")
            return None
        if isinstance(node, MappingNode):
            return self.mapping(node, path)
        if isinstance(node, SequenceNode):
            return [self.item(item, f"{path}[{index}]") for index, item in enumerate(node.value)]
        if tag != f"{TAG_PREFIX}str" and len(node.value) > MAX_NUMBER:
            self.refuse(
                line, path, f"a number of {len(node.value)} characters; shorten it or put it in quotes"
            )
            return None
        if _UNFIT.search(node.value):
            self.refuse(line, path, "holds a control character or half a character pair; delete it")
            return None
        try:
            return self.constructor.construct_object(node)
        except (ValueError, MarkedYAMLError):
            message = f"{node.value!r} is no valid date or number; correct it or put it in quotes"
            self.refuse(line, path, message)
            return None

    def item(self, node: Node, path: str) -> Any:
        self.lines[path] = node.start_mark.line + 1
        return self.any(node, path)

    def refuse(self, line: int, path: str, message: str) -> None:
        self.problems.append(FileProblem(self.file, line, path, message))


def short_tag(tag: str) -> str:
    """A tag as it is written in a file."""
    return "!!" + tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else tag

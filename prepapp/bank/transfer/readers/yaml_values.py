"""YAML nodes as keys, lists and text, where every plain value stays the text that is written.

`no`, `0123`, `1.10` and `12:30` are text here: what a field wants decides, not how a value looks. Aliases
and merge keys (`<<`) are taken, within bounds on how much they may add up to. Tags are refused. Not here:
question files, whose values are typed (`yaml_tree`).
"""

from collections.abc import Iterator
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from prepapp.bank.transfer.readers.limits import MAX_EXPANDED, MAX_NODES
from prepapp.bank.transfer.readers.shapes import MISSING, Pairs, Sink, below, pairs, shown
from prepapp.bank.transfer.yaml_tree import MAX_DEPTH, PLAIN_TAGS, TAG_PREFIX, short_tag

_NULLS = {"null", "Null", "NULL", "~"}
_MERGE = "<<"
_MAX_MERGED = 50


class TooMuch(ValueError):
    """The aliases of a file add up to more than is taken."""


class Budget:
    """How much of a file may still be built, aliases written out."""

    def __init__(self) -> None:
        self.nodes = MAX_NODES
        self.characters = MAX_EXPANDED

    def spend(self, characters: int = 0) -> None:
        """Counts one value. TooMuch when the sum is passed."""
        self.nodes -= 1
        self.characters -= characters
        if self.nodes < 0 or self.characters < 0:
            raise TooMuch


def values_of(node: Node, sink: Sink, budget: Budget) -> Pairs | None:
    """The keys and values of a block; None with a fault if it is none."""
    found = _Values(sink, budget).any(node, "", 0)
    if isinstance(found, Pairs):
        return found
    if found is not MISSING:
        sink.fault("", f"is {shown(found)} where a question with one key per line is expected")
    return None


def line_of_node(node: Node) -> int:
    """The line a node begins at, from 1."""
    return int(node.start_mark.line) + 1


class _Values:
    def __init__(self, sink: Sink, budget: Budget) -> None:
        self.sink = sink
        self.budget = budget

    def any(self, node: Node, path: str, depth: int) -> Any:
        tag = str(node.tag)
        if depth > MAX_DEPTH:
            self.sink.fault(path, f"is nested deeper than {MAX_DEPTH} levels; a question needs five at most")
            return MISSING
        if tag.removeprefix(TAG_PREFIX) not in PLAIN_TAGS:
            self.sink.fault(path, f"the tag {shown(short_tag(tag))} is not allowed; write a plain value")
            return MISSING
        if isinstance(node, MappingNode):
            self.budget.spend()
            return self.block(node, path, depth)
        if isinstance(node, SequenceNode):
            self.budget.spend()
            entries = (self.entry(part, f"{path}[{n}]", depth + 1) for n, part in enumerate(node.value))
            return [entry for entry in entries if entry is not MISSING]
        self.budget.spend(len(node.value))
        return node.value

    def entry(self, node: Node, path: str, depth: int) -> Any:
        if is_null(node):
            self.sink.note(path, f"{shown(node.value)} is taken as text; put it in quotes to be sure")
        return self.any(node, path, depth)

    def block(self, node: MappingNode, path: str, depth: int) -> Pairs:
        own = [
            (key, value)
            for key, value in self.named(node, path)
            if not self.is_nothing(value, below(path, key))
        ]
        values = [(key, self.any(value, below(path, key), depth + 1)) for key, value in own]
        stated = pairs([(key, value) for key, value in values if value is not MISSING])
        merged = self.merged(node, path, depth)
        block = Pairs({**merged, **stated})
        block.repeated = stated.repeated
        return block

    def named(self, node: MappingNode, path: str) -> Iterator[tuple[str, Node]]:
        for key, value in node.value:
            if is_merge(key):
                continue
            if isinstance(key, ScalarNode):
                yield key.value, value
            else:
                self.sink.fault(path, "a key must be plain text; remove the brackets around it")

    def is_nothing(self, node: Node, path: str) -> bool:
        """Whether a key is given no value; it then counts as not stated."""
        if not is_null(node):
            return False
        if node.value:
            self.sink.note(path, f"{node.value} is taken as no value; put this value in quotes if it is text")
        return True

    def merged(self, node: MappingNode, path: str, depth: int) -> dict[str, Any]:
        """What merge keys bring in; the first of several blocks wins, as YAML has it."""
        brought: dict[str, Any] = {}
        for key, value in node.value:
            if not is_merge(key):
                continue
            sources = value.value if isinstance(value, SequenceNode) else [value]
            for source in sources[:_MAX_MERGED]:
                block = self.any(source, path, depth + 1)
                if not isinstance(block, Pairs):
                    self.sink.fault(path, "<< names something that is no block of keys; write the keys out")
                    continue
                brought = {**block, **brought}
        return brought


def is_merge(node: Node) -> bool:
    """Whether a key is `<<` written plainly."""
    return isinstance(node, ScalarNode) and node.value == _MERGE and node.style is None


def is_null(node: Node) -> bool:
    """Whether a value is nothing, `null` or `~`, written plainly."""
    plain = isinstance(node, ScalarNode) and node.style is None
    return plain and (node.value in _NULLS or not node.value)

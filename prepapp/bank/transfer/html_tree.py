"""HTML of foreign files as a small, tame tree.

Cleaned by a real HTML parser first (nh3), so that what is walked here is well-formed: no script, no style,
no handler, no address but http and https. Here: the tree. Not here: what becomes of it (`html_text`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import nh3

# Deeper elements are taken as if they were not there; their text stays.
MAX_DEPTH = 40

BLOCKS = frozenset(
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul".split()
)
_INLINE = frozenset("a b br code del em i img kbd q s samp span strike strong sub sup tt u var".split())
_VOID = frozenset({"br", "hr", "img"})
_ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "pre": {"class"},
    "code": {"class"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
# Dropped with all that is inside. The second half is reported as lost.
_REMOVED = frozenset({"script", "style", "template", "noscript", "title", "head"})
_EMBEDDED = ("iframe", "audio", "video", "object", "svg", "canvas", "math")
_EMBEDDED_TAG = re.compile(rf"<({'|'.join(_EMBEDDED)}|embed)\b", re.IGNORECASE)


@dataclass
class Node:
    """An element; the root has the tag ''."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)

    @property
    def has_blocks(self) -> bool:
        """Whether an element below it begins a new block."""
        return any(node.tag in BLOCKS for node in self.below())

    def below(self) -> "Iterator[Node]":
        """Every element inside it, in the order of the text."""
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.below()

    def text(self) -> str:
        """The text inside it, untouched; a line break for each `br`."""
        return "".join(
            child if isinstance(child, str) else "\n" if child.tag == "br" else child.text()
            for child in self.children
        )


def parse_html(html: str) -> Node:
    """The tree of a piece of HTML, however broken it is."""
    clean = nh3.clean(
        html,
        tags=set(BLOCKS | _INLINE),
        clean_content_tags=set(_REMOVED.union(_EMBEDDED)),
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https"},
        link_rel=None,
    )
    builder = _Builder()
    builder.feed(clean)
    builder.close()
    return builder.root


def embedded(html: str) -> list[str]:
    """The kinds of things inside this HTML that no text can hold, each once: ["video"]."""
    return list(dict.fromkeys(tag.lower() for tag in _EMBEDDED_TAG.findall(html)))


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self.open = [self.root]
        self.too_deep = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        if tag in _VOID:
            self.open[-1].children.append(node)
        elif len(self.open) > MAX_DEPTH:
            self.too_deep += 1
        else:
            self.open[-1].children.append(node)
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self.too_deep:
            self.too_deep -= 1
        elif len(self.open) > 1:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        children = self.open[-1].children
        if children and isinstance(children[-1], str):
            children[-1] += data
        else:
            children.append(data)

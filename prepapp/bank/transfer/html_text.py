"""HTML of foreign files as our Markdown, or as plain text where our field is plain.

Kept: paragraphs, line breaks, headings (third level and below, all that a page shows), lists, code with its
indentation, bold, italic, struck-out text, links to http and https, quotes, plain tables. Text comes
through character for character, escaped where it would be taken for markup. Pictures become their
alternative text in brackets and are named as lost; so are videos, frames and drawings. Here: structure.
Not here: cleaning (`html_tree`), escaping (`markdown_escape`).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from prepapp.bank.transfer.html_tree import BLOCKS, Node, embedded, parse_html
from prepapp.bank.transfer.markdown_escape import escape_line, escape_text, fenced
from prepapp.bank.transfer.markdown_spans import Span, join_spans

# White space that HTML shows as one blank; a no-break space is a sign like any other.
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_RAISED = {"sup": "^", "sub": "_"}
_WEB = re.compile(r"https?://", re.IGNORECASE)
_LANGUAGE = re.compile(r"\b(?:language|lang)-([A-Za-z0-9+#.-]{1,30})")
# Code is taken first, so that what looks like a picture in it stays. Nothing is tried in more than one way:
# text made for it would take minutes.
_MARKDOWN_PICTURE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.{0,20000}?^ {0,3}(?P=fence)"
    r"|(?<!`)(?P<ticks>`++)[^`].{0,1000}?(?<!`)(?P=ticks)(?!`)"
    r"|!\[(?P<alternative>[^\]\n]{0,500}+)\]\((?P<address>[^)\s]{0,2000}+)(?:[^\S\n][^)\n]{0,500}+)?\)",
    re.DOTALL | re.MULTILINE,
)
_PLUGIN_FILE = "@@PLUGINFILE@@/"
_INLINE_DATA = re.compile(r"data:[\w/+.-]*;base64,[A-Za-z0-9+/=%\r\n]*", re.IGNORECASE)
# Ten times the longest text of a question, and more tags than that has room for. Beyond either HTML is not
# parsed, which takes the square of the depth: its text would be refused anyway.
MAX_HTML = 200_000
MAX_TAGS = 10_000


@dataclass(frozen=True)
class Converted:
    """Text, and what was in the source that no text can hold: ('the picture "arrows.png"', 'a video')."""

    text: str
    lost: tuple[str, ...] = ()


def to_markdown(html: str) -> Converted:
    """A piece of HTML as Markdown. Too much of it (`MAX_HTML`, `MAX_TAGS`, pictures inside it aside) stays as
    it is."""
    html = _INLINE_DATA.sub("data:", html)
    if _is_too_much(html):
        return Converted(html)
    reader = _Reader(plain=False)
    text = "\n\n".join(reader.blocks(parse_html(html)))
    return Converted(text, (*reader.lost, *map(_with_article, embedded(html))))


def to_plain_blocks(html: str) -> tuple[list[str], tuple[str, ...]]:
    """The paragraphs, list items and table rows of a piece of HTML as plain text, and what is lost.

    Whatever is nested inside an item follows it on lines of its own. Too much HTML is one block as it is.
    """
    html = _INLINE_DATA.sub("data:", html)
    if _is_too_much(html):
        return [html], ()
    reader = _Reader(plain=True)
    return reader.blocks(parse_html(html)), tuple(reader.lost)


def without_pictures(markdown: str) -> Converted:
    """Markdown with each picture replaced by its alternative text in brackets, or by a link to it. Too much
    of it (`MAX_HTML`, pictures inside it aside) stays as it is."""
    lost: list[str] = []
    markdown = _INLINE_DATA.sub("data:", markdown)
    if len(markdown) > MAX_HTML:
        return Converted(markdown)

    def replace(match: re.Match[str]) -> str:
        alternative, address = match["alternative"], match["address"]
        if address is None:
            return match[0]
        lost.append(_picture_name(address))
        if _WEB.match(address):
            return f"[{alternative or 'picture'}]({address})"
        return f"\\[{alternative}\\]" if alternative else ""

    text = _MARKDOWN_PICTURE.sub(replace, markdown)
    return Converted(text, tuple(lost))


def _is_too_much(html: str) -> bool:
    return len(html) > MAX_HTML or len(re.findall("<[a-zA-Z]", html)) > MAX_TAGS


def _picture_name(address: str) -> str:
    if not address or address.startswith("data:"):
        return "a picture inside the text"
    return f'the picture "{unquote(address.removeprefix(_PLUGIN_FILE))}"'


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


@dataclass
class _Reader:
    plain: bool
    lost: list[str] = field(default_factory=list)

    def blocks(self, node: Node) -> list[str]:
        """The blocks inside an element, none of them blank."""
        found: list[str] = []
        run: list[Node | str] = []
        for child in node.children:
            if isinstance(child, Node) and (child.tag in BLOCKS or child.has_blocks):
                found += [*self.paragraphs(run), *self.block(child)]
                run = []
            else:
                run.append(child)
        return found + self.paragraphs(run)

    def block(self, node: Node) -> list[str]:
        if node.tag in {"ul", "ol"}:
            return self.plain_items(node) if self.plain else self.listed(node)
        if node.tag == "pre":
            return self.pre(node)
        if node.tag == "table":
            return self.table(node)
        if node.tag == "hr":
            return [] if self.plain else ["---"]
        inner = self.blocks(node)
        if self.plain or not inner:
            return inner
        if node.tag == "blockquote":
            return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(inner).split("\n"))]
        if re.fullmatch("h[1-6]", node.tag) and len(inner) == 1:
            return [_heading(int(node.tag[1]), inner[0])]
        return inner

    def pre(self, node: Node) -> list[str]:
        code = node.text().removesuffix("\n")
        if not code.strip():
            return []
        classes = " ".join(element.attributes.get("class", "") for element in (node, *node.below()))
        language = _LANGUAGE.search(classes)
        return [code if self.plain else fenced(code, language[1] if language else "")]

    def listed(self, node: Node) -> list[str]:
        start = node.attributes.get("start", "1")
        number = int(start) if start.isdecimal() and len(start) < 9 else 1
        lines: list[str] = []
        for child in _items(node):
            inner = self.blocks(child)
            if not inner:
                continue
            mark = f"{number}. " if node.tag == "ol" else "- "
            number += 1
            lines.append(_item(mark, inner))
        return ["\n".join(lines)] if lines else []

    def plain_items(self, node: Node) -> list[str]:
        return ["\n".join(inner) for child in _items(node) if (inner := self.blocks(child))]

    def table(self, node: Node) -> list[str]:
        rows = [[cell for cell in row.children if isinstance(cell, Node)] for row in _rows(node)]
        cells = [cell for row in rows for cell in row]
        caption = [
            block
            for child in node.children
            if isinstance(child, Node) and child.tag == "caption"
            for block in self.blocks(child)
        ]
        if self.plain:
            texts = [[" ".join(self.blocks(cell)) for cell in row] for row in rows]
            return caption + [" | ".join(filter(None, row)) for row in texts if any(row)]
        width = len(rows[0]) if rows else 0
        if (
            width < 2
            or len(rows) < 2
            or any(len(row) != width for row in rows)
            or not all(map(_is_simple, cells))
        ):
            return caption + [block for cell in cells for block in self.blocks(cell)]
        lines = [[self.cell(cell) for cell in row] for row in rows]
        head = lines.pop(0) if all(cell.tag == "th" for cell in rows[0]) else [""] * width
        return [*caption, "\n".join(map(_table_line, [head, ["---"] * width, *lines]))]

    def cell(self, node: Node) -> str:
        return " ".join(self.paragraphs(node.children)).replace("|", "\\|")

    def paragraphs(self, run: Iterable[Node | str]) -> list[str]:
        """Inline content as paragraphs: two line breaks in a row part them."""
        lines = [line.strip(" ") for line in re.sub(" +", " ", self.inline(run)).split("\n")]
        paragraphs: list[list[str]] = [[]]
        for line in lines:
            if line:
                paragraphs[-1].append(line if self.plain else escape_line(line))
            else:
                paragraphs.append([])
        joint = "\n" if self.plain else "\\\n"
        return [joint.join(lines) for lines in paragraphs if lines]

    def inline(self, run: Iterable[Node | str], *, within: str = "") -> str:
        """One line of text for each `br`, blanks collapsed. `within`: the markup it will stand in."""
        return join_spans([span for node in run for span in self.spans(node, within)])

    def spans(self, node: Node | str, within: str) -> list[Span]:
        if isinstance(node, str):
            text = _BLANKS.sub(" ", node)
            return [Span(text if self.plain else escape_text(text))]
        if node.tag == "br":
            return [Span("\n")]
        if node.tag == "img":
            return [Span(self.picture(node))]
        if node.tag in _CODE and not self.plain:
            return [Span(_BLANKS.sub(" ", node.text()), code=True)]
        if node.tag in _RAISED:
            return [Span(self.raised(node, within))]
        if node.tag == "a" and _WEB.match(node.attributes.get("href", "")):
            return [Span(self.link(node, within))]
        mark = "" if self.plain or within else _MARKS.get(node.tag, "")
        if mark:
            return [Span(self.inline(node.children, within=mark), mark)]
        return [span for child in node.children for span in self.spans(child, within)]

    def raised(self, node: Node, within: str) -> str:
        """2 to the power of 10 must not become 210."""
        inner = self.inline(node.children, within=within).strip()
        sign = _RAISED[node.tag] if self.plain else escape_text(_RAISED[node.tag])
        if not inner:
            return ""
        return f"{sign}{inner}" if inner.isalnum() else f"{sign}({inner})"

    def link(self, node: Node, within: str) -> str:
        inner = self.inline(node.children, within=within or "link").strip()
        address = node.attributes["href"]
        if self.plain:
            return inner if inner in {address, ""} else f"{inner} ({address})"
        target = re.sub(r"[\s<>\\]", lambda match: f"%{ord(match[0]):02X}", address)
        brackets = re.sub(r"(?<!\\)[\[\]]", r"\\\g<0>", inner)
        return f"[{brackets}]({f'<{target}>' if re.search('[()]', target) else target})" if inner else ""

    def picture(self, node: Node) -> str:
        address, alternative = node.attributes.get("src", ""), node.attributes.get("alt", "").strip()
        self.lost.append(_picture_name(address))
        if _WEB.match(address):
            return self.link(Node("a", {"href": address}, [alternative or "picture"]), "")
        if not alternative:
            return ""
        return f"[{alternative}]" if self.plain else f"\\[{escape_text(alternative)}\\]"


def _items(node: Node) -> list[Node]:
    """The items of a list; what stands between them is an item, too."""
    found: list[Node] = []
    for child in node.children:
        item = child if isinstance(child, Node) and child.tag == "li" else Node("li", {}, [child])
        if isinstance(child, Node) and child.tag in {"ul", "ol"} and found:
            found[-1] = Node("li", {}, [*found[-1].children, child])
        else:
            found.append(item)
    return [item for item in found if item.children]


def _item(mark: str, blocks: Sequence[str]) -> str:
    tight = all(re.match(r"- |\d+\. ", block) for block in blocks[1:])
    lines = ("\n" if tight else "\n\n").join(blocks).split("\n")
    indent = " " * len(mark)
    return mark + "\n".join([lines[0], *(indent + line if line else "" for line in lines[1:])])


def _rows(node: Node) -> list[Node]:
    rows: list[Node] = []
    for child in node.children:
        if isinstance(child, Node):
            rows += [child] if child.tag == "tr" else [] if child.tag == "caption" else _rows(child)
    return rows


def _is_simple(cell: Node) -> bool:
    spans = {cell.attributes.get("colspan", "1"), cell.attributes.get("rowspan", "1")}
    return spans == {"1"} and not any(node.tag == "br" or node.tag in BLOCKS for node in cell.below())


def _table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _heading(level: int, text: str) -> str:
    line = text.replace("\\\n", " ")
    line = line[:-1] + "\\#" if line.endswith("#") and not line.endswith("\\#") else line
    return f"{'#' * min(max(level, 3), 6)} {line}"

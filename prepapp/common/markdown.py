"""Markdown to HTML that may stand on a page: parsed without raw HTML, highlighted, then sanitised.

`render` is for text that curators write. What candidates write is plain text everywhere.
"""

import re
from html import escape

import nh3
from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# Raised whenever the same source would give other HTML: stored renderings are then made anew.
PIPELINE_VERSION = 1
MAX_CHARACTERS = 20_000

_TAGS = {
    *("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span"),
    *("table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_PYGMENTS_CLASS = re.compile(r"^(hl|hl-[a-z0-9]+|align-(left|right|center))$")
_ALIGN_STYLE = re.compile(r'style="text-align:(left|right|center)"')


def _highlight(code: str, language: str, _attributes: str) -> str:
    """A highlighted block, or escaped text where the language is unknown."""
    try:
        lexer = get_lexer_by_name(language) if language else None
    except ClassNotFound:
        lexer = None
    if lexer is None:
        return f'<pre class="hl"><code>{escape(code)}</code></pre>\n'
    marked = highlight(code, lexer, HtmlFormatter(classprefix="hl-", nowrap=True))
    return f'<pre class="hl"><code>{marked}</code></pre>\n'


_parser = MarkdownIt("commonmark", {"html": False, "highlight": _highlight})
_parser.enable(["table", "strikethrough"])


def _keep_class(_tag: str, attribute: str, value: str) -> str | None:
    if attribute != "class":
        return value
    kept = [name for name in value.split() if _PYGMENTS_CLASS.match(name)]
    return " ".join(kept) or None


def render(source: str) -> str:
    """Safe HTML of a Markdown text. ValueError above 20,000 characters."""
    if len(source) > MAX_CHARACTERS:
        raise ValueError(f"Text of {len(source)} characters; {MAX_CHARACTERS} at most.")
    html = _ALIGN_STYLE.sub(r'class="align-\1"', _parser.render(source))
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={**_ATTRIBUTES, **{tag: {"class"} for tag in ("pre", "span", "th", "td")}},
        attribute_filter=_keep_class,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


def render_code(code: str, language: str) -> str:
    """Safe HTML of one code block."""
    return nh3.clean(
        _highlight(code, language, ""),
        tags={"pre", "code", "span"},
        attributes={"pre": {"class"}, "span": {"class"}},
        attribute_filter=_keep_class,
    )

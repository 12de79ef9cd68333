"""HTML of foreign files: every word comes through, nothing that acts does."""

import re
from html import escape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.html_text import Converted, to_markdown, to_plain_blocks, without_pictures
from prepapp.bank.transfer.html_tree import parse_html
from prepapp.common.markdown import render

# What a page shows, not the layout of it; control characters no reader lets through.
WORDS = st.text(
    st.one_of(
        st.sampled_from("ab1 *_`[]()<>#+-=~|!\\&;:.\"'/@{}^$%"),
        st.characters(exclude_categories=["Cs", "Cc"], max_codepoint=0x2FFF),
    ),
    max_size=40,
)
INLINE_TAGS = ("b", "i", "em", "strong", "del", "code", "span", "q", "u")
BLOCK_TAGS = ("p", "div", "blockquote", "h2", "li")
INLINE = st.recursive(
    WORDS.map(escape),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(st.sampled_from(INLINE_TAGS), inner).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"),
    ),
    max_leaves=6,
)
BLOCKS = st.lists(
    st.tuples(st.sampled_from(BLOCK_TAGS), INLINE).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"),
    max_size=4,
).map("".join)


def shown(html: str) -> str:
    """The text of a page without any blanks: where a line ends is layout."""
    return re.sub(r"\s", "", parse_html(html).text())


@settings(deadline=None)
@given(WORDS)
@example("C:\\notes and \\* and \\")
@example("[a](http://example.test) [b]: http://example.test")
@example("&amp; &#42; &")
@example("<http://example.test> <a@example.test>")
@example("a | b\n--- | ---\n1 | 2")
@example("1. one 2) two")
@example("`a` ``b``")
@example(">a")
def test_any_text_of_a_paragraph_is_shown_as_it_was(text: str) -> None:
    html = f"<p>{escape(text)}</p>"

    assert shown(render(to_markdown(html).text)) == shown(html)


@settings(deadline=None)
@given(st.one_of(INLINE, BLOCKS))
@example("<p>a <b>C:\\ </b> b</p>")
@example("<p>a <b> * b * </b> c</p>")
@example("<p>a <i>b \\* </i> c</p>")
@example("<b>(a)</b>b <i>a</i><i>b</i> <b>x<b>y</b></b> <code>`</code><code>a</code>")
def test_markup_never_costs_a_word(html: str) -> None:
    assert shown(render(to_markdown(html).text)) == shown(html)


@settings(deadline=None)
@given(st.text(max_size=2000))
@example("<div>" * 5000 + "x")
@example("<b>" * 600)
@example("<table><tr>" * 100 + "x")
@example("<ul><li>" * 200 + "x")
def test_no_html_is_too_broken(html: str) -> None:
    to_markdown(html)
    to_plain_blocks(html)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>One</p>\n<p>Two<br>three</p>", "One\n\nTwo\\\nthree"),
        ("One<br><br>Two", "One\n\nTwo"),
        ("<b>Bold </b>and <i>slanted</i>, <del>gone</del>", "**Bold** and *slanted*, ~~gone~~"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ('<ol start="3"><li><p>a</p><p>b</p></li><li>c</li></ol>', "3. a\n\n   b\n4. c"),
        ("<pre>\nif x:\n    y()\n</pre>", "```\nif x:\n    y()\n```"),
        ('<pre><code class="language-sql">SELECT 1</code></pre>', "```sql\nSELECT 1\n```"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        ("<h1>Title</h1><p>text</p>", "### Title\n\ntext"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("2<sup>10</sup> and x<sub>i+1</sub>", "2^10 and x\\_(i+1)"),
        ('<a href="https://example.test/a_(b)">a [b]</a>', "[a \\[b\\]](<https://example.test/a_(b)>)"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
        ),
        (
            "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
            "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |",
        ),
        ("<table><tr><td><p>one cell</p></td></tr></table>", "one cell"),
        ("use snake_case * 2 & C:\\notes", "use snake_case * 2 & C:\\notes"),
        ("<p> </p><b></b>", ""),
        ("", ""),
    ],
)
def test_what_is_kept(html: str, markdown: str) -> None:
    assert to_markdown(html).text == markdown


@pytest.mark.parametrize(
    "html",
    [
        "<p>Ask<script>alert(1)</script></p>",
        "<p onclick=\"alert(1)\" style='x'>Ask</p>",
        '<a href="javascript:alert(1)">Ask</a>',
        '<a href=" jAvA\tscript:alert(1)">Ask</a>',
        '<a href="data:text/html,x">Ask</a>',
        "<style>p{}</style>Ask<!-- comment -->",
        "<template>x</template><noscript>y</noscript>Ask",
        '<div hx-get="/x" data-hx-post="/y">Ask</div>',
        "<form action=x><input name=password>Ask</form>",
    ],
)
def test_what_acts_is_dropped(html: str) -> None:
    assert to_markdown(html).text == "Ask"


@pytest.mark.parametrize(
    ("html", "text", "lost"),
    [
        (
            '<img src="@@PLUGINFILE@@/two%20hosts.png" alt="two hosts">',
            "\\[two hosts\\]",
            ('the picture "two hosts.png"',),
        ),
        ('<img src="data:image/png;base64,iVBORw0KGgo=">', "", ("a picture inside the text",)),
        (
            '<img src="https://example.test/a.png">',
            "[picture](https://example.test/a.png)",
            ('the picture "https://example.test/a.png"',),
        ),
        ("a<video src=x>old browser</video><iframe src=y></iframe>b", "ab", ("a video", "an iframe")),
    ],
)
def test_what_no_text_can_hold_is_named(html: str, text: str, lost: tuple[str, ...]) -> None:
    converted = to_markdown(html)

    assert (converted.text, converted.lost) == (text, lost)


def test_pictures_in_markdown_are_named_too() -> None:
    source = "See ![arrows](@@PLUGINFILE@@/a.png) ![](data:image/png;base64,iVBORw0KGgo=) ![b](https://example.test/b.png)"

    converted = without_pictures(source)

    assert converted.text == "See \\[arrows\\]  [b](https://example.test/b.png)"
    assert converted.lost == (
        'the picture "a.png"',
        "a picture inside the text",
        'the picture "https://example.test/b.png"',
    )


@pytest.mark.parametrize(
    "source",
    [
        "```rust\nvec![1](x)\n```\n",
        "~~~\n![q](r)\n~~~\n",
        "Say `vec![1](x)` or ``a`![1](x)``.",
        # Two minutes of work, if every part of an address were tried as part of a title, too.
        "![a](" * 40_000,
    ],
)
def test_what_only_looks_like_a_picture_stays(source: str) -> None:
    assert without_pictures(source) == Converted(source)


def test_plain_blocks_are_items_rows_and_paragraphs_without_markup() -> None:
    html = (
        "<p>Rubric &amp; <b>points</b>:</p><ul><li>1 point: *SYN*<ul><li>said aloud</li></ul></li><li>ACK<br>why</li>"
        "</ul><table><tr><td>2</td><td>doubling</td></tr></table>"
    )

    assert to_plain_blocks(html)[0] == [
        "Rubric & points:",
        "1 point: *SYN*\nsaid aloud",
        "ACK\nwhy",
        "2 | doubling",
    ]

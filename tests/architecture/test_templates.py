"""What no template may hold: the content policy would block it in silence, or it would let text act.

htmx runs with eval switched off. Then `hx-on`, `js:` values and trigger filters do nothing, and a
filtered trigger fires unfiltered, so they are banned rather than left to be found out.
"""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parents[2]

# What may be marked safe by hand, and why.
SAFE = {
    # Question texts: made from Markdown and cleaned when the bank is loaded.
    "rendered question text": re.compile(r"[\w.]+\.rendered\.\w+\|safe"),
    # The same, as the bank hands it out for the room.
    "text of a question that is asked": re.compile(r"question\.(prompt|context|data|follow_up)\|safe"),
    # Written in our forms and in Django's, never by a person using the site.
    "help of a form field": re.compile(r"field\.help_text\|safe"),
}
# The same question texts, one by one: `{% for pitfall in version.rendered.pitfalls %}`.
RENDERED_LOOP = re.compile(r"\{%\s*for (\w+) in [\w.]+\.rendered\.\w+\s*%\}")

BANNED = {
    "hx-on": re.compile(r"\bhx-on\b"),
    "js: value": re.compile(r"""\bhx-(?:vals|vars|headers)\s*=\s*["']\s*(?:js|javascript):|\bhx-vars\b"""),
    "trigger filter": re.compile(r"""\bhx-trigger\s*=\s*(?:"[^"{]*\[|'[^'{]*\[)"""),
    "inline style": re.compile(r"""\sstyle\s*=\s*["']"""),
    "style element": re.compile(r"<style\b"),
    # A script with a source or with data (JSON) is not code in the page.
    "inline script": re.compile(
        r"""<script\b(?![^>]*\bsrc\s*=)(?![^>]*\btype\s*=\s*["']application/json["'])[^>]*>"""
    ),
    "event attribute": re.compile(r"""\son[a-z]+\s*=\s*["']"""),
    "javascript: address": re.compile(r"""=\s*["']\s*javascript:"""),
}
UNSAFE = re.compile(r"\{\{-?\s*(?P<filtered>[^}]*\|\s*safe(?:seq)?\b[^}]*)\}\}|\{%\s*autoescape\s+off\s*%\}")
COMMENT = re.compile(r"\{#.*?#\}|\{% comment.*?endcomment %\}", re.DOTALL)


def unescaped(text: str) -> list[str]:
    return [(match["filtered"] or "autoescape off").strip() for match in UNSAFE.finditer(text)]


def faults(text: str) -> list[str]:
    """The names of what is banned and present."""
    text = COMMENT.sub("", text)
    found = [name for name, pattern in BANNED.items() if pattern.search(text)]
    safe = {f"{name}|safe" for name in RENDERED_LOOP.findall(text)}
    found += [
        f"unescaped: {value}"
        for value in unescaped(text)
        if value not in safe and not any(pattern.fullmatch(value) for pattern in SAFE.values())
    ]
    return found


def templates() -> list[Path]:
    folders = [ROOT / "templates", *(ROOT / "prepapp").glob("*/templates")]
    # Plain-text mail is not markup and is rightly not escaped.
    return sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix in {".html", ".svg"}
    )


def test_no_template_holds_what_is_banned() -> None:
    found = templates()
    assert len(found) > 5
    faulty = [
        (path.relative_to(ROOT).as_posix(), fault) for path in found for fault in faults(path.read_text())
    ]
    # A mail carries its looks itself: it is never shown under our content policy.
    mails = {("templates/emails/weekly/body.html", "inline style")}
    assert set(faulty) == mails


def test_every_exception_is_still_needed() -> None:
    values = [value for path in templates() for value in unescaped(path.read_text())]
    unused = [name for name, pattern in SAFE.items() if not any(pattern.fullmatch(value) for value in values)]
    assert unused == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<button hx-on:click="x()">', "hx-on"),
        ('<button hx-on::after-request="x()">', "hx-on"),
        ("<form hx-vals='js:{a: b}'>", "js: value"),
        ('<form hx-headers="js:x">', "js: value"),
        ('<div hx-trigger="click[ctrlKey]">', "trigger filter"),
        ('<div hx-trigger="keyup delay:1s, click[a && b] once">', "trigger filter"),
        ('<p style="color: red">', "inline style"),
        ("<style>p {}</style>", "style element"),
        ("<script>go()</script>", "inline script"),
        ('<script type="module">go()</script>', "inline script"),
        ('<a onclick="go()">', "event attribute"),
        ("<img\nonerror='go()'>", "event attribute"),
        ('<a href="javascript:go()">', "javascript: address"),
        ("{{ text|safe }}", "unescaped: text|safe"),
        ("{{ text | default:'x' | safe }}", "unescaped: text | default:'x' | safe"),
        ("{{ response.answer.rendered|safe }}", "unescaped: response.answer.rendered|safe"),
        ("{% autoescape off %}", "unescaped: autoescape off"),
    ],
)
def test_each_ban_finds_its_case(text: str, fault: str) -> None:
    assert faults(text) == [fault]


@pytest.mark.parametrize(
    "text",
    [
        '<script src="{% static \'js/room.js\' %}" type="module"></script>',
        '<script type="application/json" id="data">{}</script>',
        '<div hx-trigger="change delay:300ms from:#filters">',
        '<input hx-vals=\'{"a": 1}\' class="button" data-style="x">',
        "{{ version.rendered.prompt|safe }}",
        "{% for pitfall in version.rendered.pitfalls %}{{ pitfall|safe }}{% endfor %}",
        "{{ text|escape }} {{ unsafe }} {{ text|safe_markdown }}",
        '{# never style="x" here #}',
        "<p>hold on, json and style are words</p>",
    ],
)
def test_what_is_allowed_passes(text: str) -> None:
    assert faults(text) == []

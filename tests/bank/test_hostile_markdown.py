"""Text of a curator who means harm: what the pipeline makes of it, and every page that shows it.

Raw HTML is never HTML here, also where it would be harmless: it is shown as the text it is.
"""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from prepapp.bank.models import FollowUp, QuestionVersion, RubricPoint
from prepapp.bank.rendering import render_follow_up, render_version
from prepapp.common.markdown import render
from tests.factories.bank import QuestionFactory

SOURCE = (Path(__file__).parent.parent / "data" / "f18_hostile.md").read_text(encoding="utf-8")
BODY = SOURCE.split("---\n", 2)[2]
TITLE = "Links <b>and</b> images"
CRITERION = "<img src=nowhere onerror=document.title='pwned'> names one danger"


class Seen(HTMLParser):
    """The elements, attributes and visible text a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def values(self, *names: str) -> set[str]:
        return {str(attrs[name]) for _, attrs in self.elements for name in names if name in attrs}


@pytest.fixture(scope="module")
def seen() -> Seen:
    return Seen(render(BODY))


def test_only_plain_elements_and_attributes_are_left(seen: Seen) -> None:
    assert seen.tags == {"p", "strong", "code", "pre", "span"}
    assert {name for _, attrs in seen.elements for name in attrs} == {"class"}
    assert all(value == "hl" or value.startswith("hl-") for value in seen.values("class"))


def test_bold_and_code_still_work(seen: Seen) -> None:
    assert "<strong>Bold</strong> and <code>code</code> must still work." in render(BODY)


def test_a_code_block_keeps_its_text(seen: Seen) -> None:
    assert '<script>alert("this stays visible as text")</script>' in seen.text


@pytest.mark.parametrize("line", [line for line in BODY.splitlines() if line.startswith("<")])
def test_raw_html_is_shown_as_text(line: str, seen: Seen) -> None:
    assert line in seen.text


@pytest.mark.parametrize(
    "source",
    [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](&#106;avascript:alert(1))",
        "[a](java\tscript:alert(1))",
        "[a](vbscript:x)",
        "[a](data:text/html,x)",
        "[a](file:///etc/passwd)",
        "<javascript:alert(1)>",
        "[a][r]\n\n[r]: javascript:alert(1)",
        "![a](https://example.test/x.png)",
    ],
)
def test_no_other_address_is_followed(source: str) -> None:
    seen = Seen(render(source))
    assert "img" not in seen.tags
    assert seen.values("href", "src") == set()


def test_a_markdown_link_stays_a_link() -> None:
    assert Seen(render("[a](https://example.test/ok)")).elements[1] == (
        "a",
        {"href": "https://example.test/ok", "rel": "noopener noreferrer nofollow"},
    )


@pytest.mark.django_db
def test_every_page_of_the_browser_shows_it_safely() -> None:
    question = QuestionFactory(slug="one", version__title=TITLE, version__context=BODY, version__data=BODY)
    version = QuestionVersion.objects.get(question=question)
    for name in ("prompt", "model_answer", "deeper", "weights_note"):
        setattr(version, name, BODY)
    version.pitfalls = [BODY]
    version.difficulty = dict.fromkeys(("rationale", "easier", "harder"), BODY)
    version.code = {"language": "python", "solution": BODY, "check": BODY}
    version.rendered = render_version(version)
    version.save()
    follow_up = FollowUp(prompt=BODY, answer=BODY)
    version.follow_ups.update(rendered=render_follow_up(follow_up))
    RubricPoint.objects.update(criterion=CRITERION, met=CRITERION, partial=CRITERION)
    client = Client()
    pages = [
        client.get("/questions/"),
        client.get("/questions/", {"q": "<script>"}),
        client.get("/questions/one/"),
        client.post("/questions/one/answer/", {"text": BODY}),
    ]
    for response in pages:
        assert "script-src 'self'" in response.headers["Content-Security-Policy"]
        seen = Seen(response.content.decode())
        assert TITLE in seen.text
        assert not seen.tags & {"svg", "img", "iframe", "style"}
        assert all(address.startswith("/static/") for address in seen.values("src"))
        assert not {
            name for _, attrs in seen.elements for name in attrs if name.startswith(("on", "data-hx", "_"))
        }
        assert "/hx-canary" not in seen.values("hx-get", "hx-post", "action", "href")
        assert not any("pwned" in value for value in seen.values("href", "title", "alt", "srcdoc"))
        assert "password" not in seen.values("name")
    assert CRITERION in Seen(pages[-1].content.decode()).text

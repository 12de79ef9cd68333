"""How tests of the history read a page."""

import re
from html import unescape


def text_of(html: str) -> str:
    """What is read of the main part, with single spaces."""
    main = html.partition('<main id="main"')[2] or html
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main.partition("</main>")[0])).split())

"""What a browser fetches before the room stands: the page, and from the same server its styles, scripts
and the modules those import."""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from benchmarks.client import Browser, Reply, Unexpected, assets_of

# What every browser takes, and what one takes on https.
_ENCODINGS = ("gzip", "gzip, deflate, br")
_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""")
_CSS_URL = re.compile(r"""(?:url\(|@import\s)\s*["']?([^"')]+)""")


def fetch_all(browser: Browser, page: Reply) -> list[Reply]:
    """The page and everything it loads, each once. Unexpected when something is missing or foreign."""
    found = {page.path: page}
    waiting = assets_of(page)
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        plain, reply = (
            browser.get(path, **{"Accept": "*/*", "Accept-Encoding": kind}) for kind in _ENCODINGS
        )
        if reply.status != 200:
            raise Unexpected(f"{path} answered {reply.status}")
        found[path] = replace(reply, gzip_bytes=plain.body_bytes)
        waiting += _loaded_by(reply)
    return list(found.values())


def _loaded_by(reply: Reply) -> Iterator[str]:
    kind = reply.headers.get_content_type()
    pattern = _IMPORT if "javascript" in kind else _CSS_URL if kind == "text/css" else None
    for target in pattern.findall(reply.text) if pattern else ():
        if target.startswith("data:"):
            continue
        if kind != "text/css" and not target.startswith((".", "/")):
            continue  # a word in a text, not a module
        path = urljoin(reply.path, target)
        if urlsplit(path).netloc:
            raise Unexpected(f"{reply.path} loads from elsewhere: {path}")
        yield path

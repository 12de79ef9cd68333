"""Addresses of static files name their content, in debug mode they do not, and a missing file is an error."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from prepapp.common.storage import StaticStorage, without_remarks

ROOT = Path(__file__).resolve().parents[2]


def test_addresses_of_files(tmp_path: Path, settings: Any) -> None:
    (tmp_path / "a.css").write_text("b { color: red }")
    storage = StaticStorage(location=tmp_path, base_url="/static/")
    list(storage.post_process({"a.css": (storage, "a.css")}))
    hashed = {path.name for path in tmp_path.glob("a.*.css")}
    assert len(hashed) == 1
    for _ in range(2):
        assert storage.url("a.css") == f"/static/{next(iter(hashed))}"
        with pytest.raises(ValueError, match="Missing staticfiles manifest entry"):
            storage.url("b.css")
        settings.DEBUG = True
        assert storage.url("a.css") == "/static/a.css"
        settings.DEBUG = False


@pytest.mark.parametrize(
    ("name", "source", "served"),
    [
        ("js/a.js", b"// why\nlet a = 1; // one\n  // more\nlet b;\n", b"let a = 1; // one\nlet b;\n"),
        ("js/a.js", b'const a = "https://x";\n', b'const a = "https://x";\n'),
        ("css/a.css", b"/* why */\na { b: c } /* one */\n", b"a { b: c } /* one */\n"),
        ("css/a.css", b"// no comment here\n", b"// no comment here\n"),
        ("django_htmx/htmx-2.min.js", b"// a licence\nx\n", b"// a licence\nx\n"),
        ("img/icon.svg", b"<!-- x -->\n", b"<!-- x -->\n"),
    ],
)
def test_comment_lines_of_ours_are_not_served(
    tmp_path: Path, name: str, source: bytes, served: bytes
) -> None:
    StaticStorage(location=tmp_path, base_url="/static/").save(name, ContentFile(source))
    assert (tmp_path / name).read_bytes() == served


def test_no_text_of_a_script_of_ours_looks_like_a_comment_line() -> None:
    """A text over several lines could hold a line that begins so; there is none."""
    scripts = sorted((ROOT / "static" / "js").glob("*.js"))
    assert len(scripts) > 5
    for script in scripts:
        code = without_remarks(f"js/{script.name}", script.read_bytes()).decode()
        assert all(line.count("`") % 2 == 0 for line in code.splitlines()), script.name
        assert "/*" not in code.replace("/**", ""), script.name

"""Addresses of static files name their content, in debug mode they do not, and a missing file is an error."""

from pathlib import Path
from typing import Any

import pytest

from prepapp.common.storage import StaticStorage


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

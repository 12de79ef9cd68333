"""A path of categories as one text: `Interview/Networks/TCP//IP`.

Here: how parts are joined and split. Not here: where a path belongs among our topics (`categories`).
"""

import re
from collections.abc import Sequence


def split_category(text: str) -> list[str]:
    """The parts: `/` stands between them, `//` is a slash in a part; blanks around a part do not count."""
    parts = [""]
    for piece in re.findall(r"//|/|[^/]+", text):
        if piece == "/":
            parts.append("")
        else:
            parts[-1] += "/" if piece == "//" else piece
    return [part.strip() for part in parts if part.strip()]


def join_category(parts: Sequence[str]) -> str:
    """The text `split_category` reads these parts from, if none of them begins or ends with a blank."""
    between = " / " if any("/" in part for part in parts) else "/"
    return between.join(part.replace("/", "//") for part in parts)

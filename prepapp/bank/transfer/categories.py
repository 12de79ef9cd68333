"""Where a path of categories in a foreign file belongs among our topics.

Here: exact names only; a guess is the curator's to make. Not here: how a format writes its paths.
"""

from collections import Counter
from collections.abc import Sequence

from prepapp.bank.taxonomy import TOPICS
from prepapp.bank.transfer.document import Document

_TITLES = Counter(topic.title.casefold() for topic in TOPICS)
# A title that two topics share names neither.
_CODES = {topic.code: topic.code for topic in TOPICS} | {
    topic.title.casefold(): topic.code for topic in TOPICS if _TITLES[topic.title.casefold()] == 1
}


def place(path: Sequence[str]) -> Document:
    """What a document says of this path, outermost part first.

    `{"topic": code}` if the last part, or the parts joined by a slash, are the code of a topic or a title
    that one topic alone has, capitals aside; else `{"category": [...]}` with the parts as they are; `{}`
    for a path without parts. Blank parts do not count.
    """
    parts = [part for part in path if part.strip()]
    if not parts:
        return {}
    for name in (parts[-1], "/".join(parts)):
        if code := _CODES.get(name.strip().casefold()):
            return {"topic": code}
    return {"category": parts}

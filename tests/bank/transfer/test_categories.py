"""A path of categories becomes a topic only when it names one."""

from collections import Counter

import pytest

from prepapp.bank.taxonomy import TOPICS
from prepapp.bank.transfer.categories import place


@pytest.mark.parametrize(
    ("path", "document"),
    [
        (["gpu.memory"], {"topic": "gpu.memory"}),
        (["Bank", "gpu.memory"], {"topic": "gpu.memory"}),
        (["Interview", "memory HIERARCHY "], {"topic": "gpu.memory"}),
        (["gpu.memory", "Extra"], {"category": ["gpu.memory", "Extra"]}),
        (["Interview", "Shell"], {"category": ["Interview", "Shell"]}),
        (["Interview", "TCP/IP", " Congestion"], {"category": ["Interview", "TCP/IP", " Congestion"]}),
        (["", " ", "Shell"], {"category": ["Shell"]}),
        (["memory"], {"category": ["memory"]}),
        ([], {}),
        ([" "], {}),
    ],
)
def test_a_path_is_placed_by_exact_names(path: list[str], document: dict) -> None:
    assert place(path) == document


def test_every_topic_is_found_by_its_code_and_by_a_title_of_its_own() -> None:
    titles = Counter(topic.title.casefold() for topic in TOPICS)

    found = {topic.code: (place([topic.code]), place(["x", topic.title.upper()])) for topic in TOPICS}

    def expected(code: str, title: str) -> dict:
        alone = titles[title.casefold()] == 1
        return {"topic": code} if alone else {"category": ["x", title.upper()]}

    assert found == {
        topic.code: ({"topic": topic.code}, expected(topic.code, topic.title)) for topic in TOPICS
    }

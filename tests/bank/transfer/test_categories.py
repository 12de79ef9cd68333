"""A path of categories becomes a topic only when it names one."""

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


def test_every_topic_is_found_by_code_and_by_title() -> None:
    found = {topic.code: (place([topic.code]), place(["x", topic.title.upper()])) for topic in TOPICS}

    assert found == {topic.code: ({"topic": topic.code}, {"topic": topic.code}) for topic in TOPICS}

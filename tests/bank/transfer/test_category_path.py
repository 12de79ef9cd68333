"""A path of categories as one text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.bank.transfer.category_path import join_category, split_category

pytestmark = pytest.mark.embedded


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Interview/Networks/TCP//IP/Congestion", ["Interview", "Networks", "TCP/IP", "Congestion"]),
        (" Interview / Round / Café & Co ", ["Interview", "Round", "Café & Co"]),
        ("/a//", ["a/"]),
        ("a / //b", ["a", "/b"]),
        ("a// / b", ["a/", "b"]),
        (" / ", []),
        ("", []),
    ],
)
def test_a_path_is_split_where_one_slash_stands(text: str, parts: list[str]) -> None:
    assert split_category(text) == parts


@given(st.lists(st.text("ab/ ", min_size=1).map(str.strip).filter(bool), max_size=4))
def test_any_parts_come_back(parts: list[str]) -> None:
    assert split_category(join_category(parts)) == parts

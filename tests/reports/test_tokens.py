"""The secret of an unsubscribe address."""

import re
from uuid import uuid4

import pytest

from prepapp.reports.tokens import read_unsubscribe_token, unsubscribe_token

pytestmark = pytest.mark.embedded


def test_it_says_who_and_is_the_same_every_time() -> None:
    user_id = uuid4()
    token = unsubscribe_token(user_id)
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", token)
    assert token == unsubscribe_token(user_id)
    assert read_unsubscribe_token(token) == user_id


def test_one_of_another_person_or_purpose_or_changed_by_a_sign_is_none(settings) -> None:
    token = unsubscribe_token(uuid4())
    other = uuid4().hex
    changed = [
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        other + token[32:],
        token.partition(".")[0],
        "",
        ".",
        "x" * 2000,
    ]
    assert [read_unsubscribe_token(text) for text in changed] == [None] * len(changed)
    settings.SECRET_KEY = "another key, as after a leak"
    assert read_unsubscribe_token(token) is None


def test_it_outlives_a_change_of_key(settings) -> None:
    user_id = uuid4()
    token = unsubscribe_token(user_id)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the new key"
    assert read_unsubscribe_token(token) == user_id

"""What a question file leads to, by what the question already has."""

import pytest

from prepapp.bank.rules import LoadStep, VersionMark, load_step

FILE_1, FILE_2 = VersionMark(1, "file", "one"), VersionMark(2, "file", "two")
APP_2, APP_3 = VersionMark(2, "app", "mine"), VersionMark(3, "app", "mine")


@pytest.mark.parametrize(
    ("file_hash", "current", "last_file", "step"),
    [
        pytest.param("one", None, None, LoadStep.NEW_VERSION, id="no version yet"),
        pytest.param("one", FILE_1, FILE_1, LoadStep.SAME, id="same text"),
        pytest.param("two", FILE_1, FILE_1, LoadStep.NEW_VERSION, id="changed file"),
        pytest.param("two", APP_2, FILE_1, LoadStep.KEPT, id="changed file under a newer edit"),
        pytest.param("one", APP_2, FILE_1, LoadStep.KEPT, id="same file under a newer edit"),
        pytest.param("mine", APP_2, FILE_1, LoadStep.SAME, id="the file took the edit over"),
        pytest.param("one", VersionMark(1, "app", "mine"), None, LoadStep.KEPT, id="made in the app only"),
        pytest.param("two", FILE_1, FILE_2, LoadStep.KEPT, id="somebody went back to an older version"),
        pytest.param("three", FILE_1, FILE_2, LoadStep.NEW_VERSION, id="went back, but the file moved on"),
        pytest.param(
            "three", VersionMark(1, "app", "x"), FILE_2, LoadStep.NEW_VERSION, id="older edit, newer file"
        ),
        pytest.param("three", APP_3, FILE_2, LoadStep.KEPT, id="newest is an edit"),
    ],
)
def test_load_step(
    file_hash: str, current: VersionMark | None, last_file: VersionMark | None, step: LoadStep
) -> None:
    assert load_step(file_hash, current, last_file) is step

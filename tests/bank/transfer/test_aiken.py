"""Aiken is recognised and refused with the reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.readers.aiken import read_aiken

TWO = b"Which?\r\nA. one\r\nB. two\r\nANSWER: B\r\n\r\nAnd?\r\nA) x\r\nB) y\r\nANSWER: A\r\n"


@pytest.mark.parametrize(
    ("data", "counted"),
    [(TWO, "its 2 questions"), (TWO[:40], "its 1 question"), (b"\xff", "the file")],
)
def test_an_aiken_file_is_refused_with_the_reason(data: bytes, counted: str) -> None:
    reading = read_aiken(data, "quiz.txt")

    assert (reading.format, reading.detected, reading.items) == ("aiken", "Aiken", ())
    assert [refusal.message for refusal in reading.refusals] == [
        f"an Aiken file holds multiple choice only, so {counted} cannot be answered in one's own words; write the "
        "questions as essays, in GIFT with an empty {}"
    ]


@settings(deadline=None)
@given(st.binary(max_size=2000))
def test_no_file_stops_the_reader(data: bytes) -> None:
    read_aiken(data, "x.txt")

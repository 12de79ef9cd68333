"""Which words are underlined as hints: cases a reader would agree with, and properties of any text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.interviews.evidence import MAX_SENTENCES, Piece, cut, find_evidence


def hinted(text: str, *points: str) -> list[list[str]]:
    return [[text[start:end] for start, end in spans] for spans in find_evidence(text, points)]


@pytest.mark.parametrize(
    ("text", "point", "words"),
    [
        # the forms of one word meet
        ("The warps are moving whole sectors.", "A warp moves sectors.", ["warps are moving whole sectors"]),
        ("Queries hit the cached pages.", "A query hits the cache.", ["Queries hit the cached"]),
        ("We padded and batched it.", "Pads batches", ["padded and batched"]),
        # numbers, however written
        ("That is 12.5% of it.", "The useful share is one eighth (12.5 %).", ["12.5"]),
        ("That is 12.50 % of it.", "Useful share: 12.5%", ["12.50"]),
        ("It moves 1,024 bytes.", "1024 bytes moved", ["moves 1,024 bytes"]),
        ("It takes sixteen of them.", "Computes 16 passes.", ["sixteen"]),
        ("Release 1.2.3 is out.", "Pin 1.2.3", ["1.2.3"]),
        # a small number alone is no hint
        ("There are 2 of them.", "Names 2 causes.", []),
        # a long word stands for itself, a short one does not
        ("Padding helps.", "padding", ["Padding"]),
        ("The row is full.", "Pads the row.", []),
        # three words lie between, so the two hits stay apart
        ("Each thread reads its own bank.", "thread and bank differ", ["thread", "bank"]),
        # filler never counts
        ("This is what you should say about it.", "States what you should say about it.", []),
        ("", "anything", []),
        ("Nothing in common.", "", []),
    ],
)
def test_hints_of_one_point(text: str, point: str, words: list[str]) -> None:
    assert hinted(text, point) == [words]


def test_two_short_words_must_share_a_sentence() -> None:
    assert hinted("The row is long. The bank is full.", "row and bank") == [[]]
    assert hinted("The row shares a bank.", "row and bank") == [["row shares a bank"]]


def test_a_dot_inside_a_name_ends_no_sentence() -> None:
    assert hinted("Call row.bank there.", "row and bank") == [["row.bank"]]


def test_words_that_most_points_use_tell_nothing() -> None:
    text = "Shared memory is small."
    points = ["shared memory size", "shared memory banks", "shared memory padding"]
    assert hinted(text, *points) == [[], [], []]


def test_a_long_word_of_two_points_needs_company() -> None:
    text = "Occupancy is low. Occupancy falls when registers rise."
    assert hinted(text, "occupancy and registers", "occupancy and latency") == [
        ["Occupancy falls when registers"],
        [],
    ]


def test_only_the_strongest_sentences_are_kept() -> None:
    text = "Padding. " * 20 + "Padding of the swizzle."
    spans = find_evidence(text, ["padding, swizzle"])[0]
    assert len(spans) == MAX_SENTENCES
    assert text[slice(*spans[-1])] == "Padding of the swizzle"


def test_pieces_name_all_points_that_cover_them() -> None:
    pieces = cut("abcdef", [[(0, 2), (2, 3)], [(1, 4)]])
    assert pieces == [
        Piece("a", (0,)),
        Piece("b", (0, 1)),
        Piece("c", (0, 1)),
        Piece("d", (1,)),
        Piece("ef"),
    ]
    assert cut("plain", [[], []]) == [Piece("plain")]
    assert cut("", []) == []


WORDS = st.sampled_from("the memory banks 32 1,024 12.5% padded Ärger row. Row\n pad ; ü’s 日本 ".split(" "))
TEXTS = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=300)


@given(TEXTS, st.lists(TEXTS, max_size=5))
def test_spans_are_sorted_apart_and_inside_the_text(text: str, points: list[str]) -> None:
    found = find_evidence(text, points)
    assert len(found) == len(points)
    for spans in found:
        flat = [offset for span in spans for offset in span]
        assert flat == sorted(set(flat))
        assert all(0 <= offset <= len(text) for offset in flat)
    assert "".join(piece.text for piece in cut(text, found)) == text


POINTS = [f"Bank {n} conflict padding swizzle {n}7 sectors of word{n}" for n in range(8)]


@pytest.mark.parametrize(
    "unit",
    ["a", "1", "1,", "1.", ".", "' ", ".'", "a'", "bank ", "bank padding 17 ", "word1. ", "日", "\n", "-a1"],
)
def test_work_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    """Sixteen times the text may cost about sixteen times as much; a square would cost 256 times. In work of
    this thread alone, so that a busy machine changes nothing."""

    def work(length: int) -> float:
        text = (unit * length)[:length]
        best = []
        for _ in range(3):
            begun = time.thread_time()
            find_evidence(text, POINTS)
            best.append(time.thread_time() - begun)
        return min(best)

    assert work(64_000) < 100 * max(work(4_000), 0.001)


def test_text_without_full_stops_is_cut_as_well() -> None:
    text = "padding " * 3000
    assert sum(end - start for start, end in find_evidence(text, ["padding"])[0]) < 5 * 60 * len("padding ")

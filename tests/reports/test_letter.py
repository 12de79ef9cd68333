"""What a report says, in words."""

from dataclasses import replace
from datetime import date

import pytest

from prepapp.reports.figures import (
    Figures,
    MissedPoint,
    PlannedSession,
    Practice,
    TopicFigure,
    WeakArea,
    from_json,
    to_json,
)
from prepapp.reports.letter import duration, percent, write_letter

pytestmark = pytest.mark.embedded


def topic(name: str = "Memory", **values) -> TopicFigure:
    fields = {"mean": 0.413, "low": 0.312, "high": 0.515, "p_weak": 0.97, "answers": 6, "standing": "weak"}
    return TopicFigure(f"gpu.{name.lower()}", name, **{**fields, "need": 0.9, **values})


def point(number: int = 1, **values) -> MissedPoint:
    fields = {"is_must": False, "missed": 4, "times": 6, "attempt": "a", "position": number}
    return MissedPoint(f"Criterion {number}", **{**fields, "answered_on": date(2026, 11, 28), **values})


PRACTICE = Practice(mocks=3, minutes=110, answers=11, points=84, met=52, partly=9, shown=47)
EMPTY = Figures("2026-W48", Practice(), [], [], [], [])


def test_a_full_week_is_summed_up() -> None:
    rose = topic("Training", standing="unsure", standing_before="weak", mean=0.62, before=0.5)
    figures = replace(
        EMPTY,
        practice=PRACTICE,
        topics=[topic(before=0.40), rose],
        weak=[WeakArea(topic(), [point()])],
        unmeasured=["Tensor cores", "Kernels", *"abcdefghi"],
        days_left=11,
    )
    letter = write_letter(figures)
    assert letter.subject == "Your week 48: 3 mocks, 1 h 50"
    assert letter.days == "23–29 November"
    assert letter.headline == (
        "You practised 1\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}50, and your estimates got better. Memory still costs you the most."
    )
    assert letter.summary == [
        "Three mocks, eleven answers, 52 of 84 points met, 47 of them with the words to show for it.",
        "Training moved from weak to not enough yet.",
    ]
    assert [(moved.title, moved.is_better) for moved in letter.moved] == [("Training", True)]
    assert letter.weak[0].basis == "41 %, 80 % sure between 31 and 52 · 6 answers"
    assert [(row.criterion, row.times, row.day) for row in letter.weak[0].points] == [
        ("Criterion 1", "Not fully met in 4 of 6 answers", "28 Nov")
    ]
    assert letter.countdown == "11 days to your interview."
    assert letter.unmeasured == "Not measured yet: Tensor cores, Kernels and 9 more."
    assert (letter.waiting, letter.too_few, letter.more_weak) == ("", "", "")


@pytest.mark.parametrize(
    ("practice", "subject", "summary"),
    [
        (
            Practice(mocks=1, minutes=1, answers=1, points=1, met=1, shown=1),
            "1 mock, 1 minute",
            "One mock, one answer, 1 of 1 point met, with the words to show for it.",
        ),
        (
            Practice(mocks=1, minutes=60, answers=2, points=9, met=1),
            "1 mock, 1 h",
            "One mock, two answers, 1 of 9 points met, without words to show for it.",
        ),
        (
            Practice(mocks=2, minutes=25, answers=4, points=12, met=3, shown=3),
            "2 mocks, 25 minutes",
            "Two mocks, four answers, 3 of 12 points met, all of them with the words to show for it.",
        ),
        (
            Practice(mocks=1, minutes=15, answers=3, points=12),
            "1 mock, 15 minutes",
            "One mock, three answers, 0 of 12 points met.",
        ),
        (
            Practice(mocks=13, practices=1, minutes=605, answers=40, points=200, met=100, shown=0),
            "13 mocks and 1 practice session, 10 h 05",
            "13 mocks and one practice session, 40 answers, 100 of 200 points met, none of them with the words"
            " to show for it.",
        ),
        (
            Practice(practices=2, minutes=0),
            "2 practice sessions, less than a minute",
            "Two practice sessions.",
        ),
    ],
)
def test_counts_agree_with_their_nouns(practice: Practice, subject: str, summary: str) -> None:
    letter = write_letter(replace(EMPTY, practice=practice))
    assert letter.subject == f"Your week 48: {subject}"
    assert letter.summary == [summary]


TOPICS = [topic(standing="unsure", answers=6)]


@pytest.mark.parametrize(
    ("figures", "subject", "headline", "summary"),
    [
        # Somebody new.
        (
            EMPTY,
            "a plan to begin with",
            "Nothing this week. One short session is enough to pick it up.",
            "Nothing is measured yet. The first mock you mark gives you a first estimate.",
        ),
        # Sat, not graded.
        (
            replace(EMPTY, practice=Practice(to_grade=1)),
            "waiting for your marks",
            "Nothing graded this week, but the hard part is done.",
            "An interview counts from the week you finish marking it.",
        ),
        # Idle, with and without anything measured, and with an old interview that waits.
        (
            replace(EMPTY, topics=TOPICS, idle_weeks=1),
            "a plan for the next one",
            "Nothing this week. One short session is enough to pick it up.",
            "Your estimates keep; they only grow less sure with time.",
        ),
        (
            replace(EMPTY, idle_weeks=2, practice=Practice(to_grade=2)),
            "a plan to begin with",
            "Nothing this week. One short session is enough to pick it up.",
            "Nothing is measured yet. The first mock you mark gives you a first estimate.",
        ),
        # The last one before the pause.
        (
            replace(EMPTY, topics=TOPICS, idle_weeks=3, pauses=True),
            "these letters pause",
            "Nothing for three weeks, so these letters pause.",
            "They start again by themselves in the week after you practise. Nothing is lost until then.",
        ),
    ],
)
def test_an_empty_week_is_short_and_has_no_numbers(
    figures: Figures, subject: str, headline: str, summary: str
) -> None:
    letter = write_letter(figures)
    assert (letter.subject, letter.headline, letter.summary) == (
        f"Your week 48: {subject}",
        headline,
        [summary],
    )
    text = " ".join([letter.headline, *letter.summary, letter.waiting, letter.too_few, letter.unmeasured])
    assert [word for word in ("NaN", "nan", "%", "0 of", "None") if word in text] == []


def test_an_empty_week_names_the_neediest_area_and_nothing_that_only_grew_old() -> None:
    weak = [topic(title) for title in ("Memory", "Training", "Kernels", "Graphs")]
    older = topic("Pipelines", standing="unsure", standing_before="strong", answers=2)
    figures = replace(
        EMPTY,
        topics=[*weak, older],
        weak=[WeakArea(figure, [point(), point(2)]) for figure in weak],
        idle_weeks=1,
    )
    letter = write_letter(figures)
    assert [(area.title, len(area.points)) for area in letter.weak] == [("Memory", 2)]
    assert letter.more_weak == "Also very probably below the bar: Training, Kernels and Graphs."
    assert (letter.moved, letter.too_few) == ([], "")
    full = write_letter(replace(figures, practice=PRACTICE))
    assert (len(full.weak), len(full.moved), bool(full.too_few)) == (3, 1, True)


@pytest.mark.parametrize(
    ("to_grade", "words"),
    [(0, ""), (1, "One interview waits for your marks."), (2, "Two interviews wait for your marks.")],
)
def test_what_waits_for_its_marks(to_grade: int, words: str) -> None:
    assert write_letter(replace(EMPTY, practice=Practice(to_grade=to_grade))).waiting == words


@pytest.mark.parametrize(
    ("days_left", "words"),
    [
        (None, ""),
        (0, "Your interview is today."),
        (1, "Your interview is tomorrow."),
        (2, "2 days to your interview."),
    ],
)
def test_days_to_the_interview(days_left: int | None, words: str) -> None:
    assert write_letter(replace(EMPTY, days_left=days_left)).countdown == words


@pytest.mark.parametrize(
    ("titles", "words"),
    [
        ([], ""),
        (["A"], "Not measured yet: A."),
        (["A", "B"], "Not measured yet: A and B."),
        (["A", "B", "C"], "Not measured yet: A, B and C."),
        (["A", "B", "C", "D"], "Not measured yet: A, B and 2 more."),
    ],
)
def test_titles_in_a_row(titles: list[str], words: str) -> None:
    assert write_letter(replace(EMPTY, unmeasured=titles)).unmeasured == words


@pytest.mark.parametrize(
    ("change", "words"),
    [(0.02, ", and your estimates got better."), (-0.02, ", and your estimates went down a little."), (0.005, "."), (-0.005, ".")],
)  # fmt: skip
def test_the_trend_is_that_of_the_estimates(change: float, words: str) -> None:
    figures = replace(
        EMPTY, practice=PRACTICE, topics=[topic(before=0.413 - change), topic("New", standing="unsure")]
    )
    assert write_letter(figures).headline == f"You practised 1\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}50{words}"


def test_a_topic_of_one_answer_is_named_as_too_few() -> None:
    topics = [topic("Graphs", standing="unsure", answers=1), topic("Heaps", standing="unsure", answers=3)]
    letter = write_letter(replace(EMPTY, practice=PRACTICE, topics=topics))
    assert letter.too_few == "Too few answers to judge: Graphs (1 answer)."


def test_three_areas_are_shown_and_the_others_named() -> None:
    weak = [WeakArea(topic(name)) for name in ("A", "B", "C", "D", "E")]
    letter = write_letter(replace(EMPTY, practice=PRACTICE, weak=weak))
    assert [area.title for area in letter.weak] == ["A", "B", "C"]
    assert letter.more_weak == "Also very probably below the bar: D and E."


def test_points_that_a_running_mock_asks_for_are_left_out_and_counted() -> None:
    area = WeakArea(topic(), [point(1), point(2), point(3)])
    letter = write_letter(
        replace(EMPTY, practice=PRACTICE, weak=[area]), held_back={("a", 2)}, gone={("a", 3)}
    )
    assert [(row.position, row.has_answer) for row in letter.weak[0].points] == [(1, True), (3, False)]
    assert letter.weak[0].held_back == 1


def test_text_of_the_bank_comes_in_one_line_and_not_into_the_subject() -> None:
    hostile = topic("Memory\r\nBcc: spy@example.test")
    area = WeakArea(hostile, [replace(point(), criterion="Says\r\nBcc: spy@example.test  twice")])
    letter = write_letter(replace(EMPTY, practice=PRACTICE, topics=[hostile], weak=[area]))
    assert letter.subject == "Your week 48: 3 mocks, 1 h 50"
    assert letter.weak[0].points[0].criterion == "Says Bcc: spy@example.test twice"
    assert "\n" not in letter.headline
    assert "\r" not in letter.headline


def test_the_plan_has_its_days() -> None:
    session = PlannedSession(date(2026, 12, 1), "Memory drill", 20, "", "gpu", "senior", "gpu.memory", "Why.")
    found = write_letter(replace(EMPTY, plan=[session])).plan[0]
    assert (found.day, found.title, found.minutes, found.is_drill, found.reason) == (
        "Tue 1 Dec", "Memory drill", 20, True, "Why.",
    )  # fmt: skip
    assert not write_letter(replace(EMPTY, plan=[replace(session, blueprint="screen")])).plan[0].is_drill


def test_figures_read_back_say_the_same() -> None:
    session = PlannedSession(date(2026, 12, 1), "Memory drill", 20, "", "gpu", "senior", "gpu.memory", "Why.")
    figures = replace(
        EMPTY,
        practice=PRACTICE,
        topics=[topic(before=0.4)],
        weak=[WeakArea(topic(), [point()])],
        plan=[session],
        interview_on=date(2026, 12, 9),
        days_left=9,
    )
    assert from_json(to_json(figures)) == figures
    assert write_letter(from_json(to_json(figures))) == write_letter(figures)


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "less than a minute"),
        (1, "1 minute"),
        (59, "59 minutes"),
        (60, "1 h"),
        (61, "1 h 01"),
        (120, "2 h"),
    ],
)
def test_a_duration(minutes: int, words: str) -> None:
    assert duration(minutes) == words


@pytest.mark.parametrize(("share", "whole"), [(0.0, 0), (0.005, 1), (0.4049, 40), (0.405, 41), (1.0, 100)])
def test_a_percentage_is_rounded_half_up(share: float, whole: int) -> None:
    assert percent(share) == whole

"""The writing rules: one question that passes, and for each rule the change that breaks it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.lint import Finding, check_place, lint_bank, lint_code, lint_question, words
from prepapp.bank.lint.similarity import Likeness, alike
from prepapp.bank.lint.source_rules import add_months
from prepapp.bank.transfer.question_file import CodeFile, QuestionFile, ReferenceFile, read_bank

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "bank"
TODAY = date(2026, 6, 1)

Change = Callable[[QuestionFile], QuestionFile]
Expected = tuple[str, str, int, str, str]


def load() -> dict[str, QuestionFile]:
    questions, problems = read_bank(DATA / "good")
    assert problems == []
    return {question.kind: question for question in questions}


GOOD = load()
CONCEPT = GOOD["concept"]
CODING = GOOD["coding"]
SQL = GOOD["sql"]


def found(findings: list[Finding]) -> list[Expected]:
    return [(item.severity, item.check, item.line, item.field, item.message) for item in findings]


def having(**fields: Any) -> Change:
    return lambda question: replace(question, **fields)


def point(index: int, **fields: Any) -> Change:
    def change(question: QuestionFile) -> QuestionFile:
        rubric = list(question.rubric)
        rubric[index] = replace(rubric[index], **fields)
        return replace(question, rubric=tuple(rubric))

    return change


def follow_up(**fields: Any) -> Change:
    return lambda question: replace(question, followups=(replace(question.followups[0], **fields),))


def follow_up_point(index: int, **fields: Any) -> Change:
    def change(question: QuestionFile) -> QuestionFile:
        rubric = list(question.followups[0].rubric)
        rubric[index] = replace(rubric[index], **fields)
        return follow_up(rubric=tuple(rubric))(question)

    return change


def reviewed(day: date, months: int = 24) -> Change:
    return lambda question: replace(
        question, review=replace(question.review, reviewed=day, recheck_months=months)
    )


def both(*changes: Change) -> Change:
    def change(question: QuestionFile) -> QuestionFile:
        for one in changes:
            question = one(question)
        return question

    return change


def text_of(length: int) -> str:
    return " ".join(["Rows sit on pages."] * (length // 4) + ["Here."] * (length % 4))


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_the_sample_questions_pass(kind: str) -> None:
    assert lint_question(GOOD[kind], TODAY) == []


RATHER_HARD = "The crew waited for a week. Several engineers examined replacement machinery before Monday. "
VERB_LIST = (
    "Adds, Chooses, Compares, Computes, Derives, Gives, Handles, Names, Passes, Proposes, Rejects, States"
)

REFUSED: dict[str, tuple[Change, list[Expected]]] = {
    "L1 topic": (
        having(id="dbe.planning-901"),
        [("F", "L1", 2, "id", "the topic 'dbe.planning' is not in the taxonomy; use one that is")],
    ),
    "L1 level": (
        having(level="easy"),
        [
            (
                "F",
                "L1",
                5,
                "level",
                "'easy' is not a level; use one of foundation, intermediate, advanced, senior",
            )
        ],
    ),
    "L1 part id": (
        follow_up_point(0, id="r1"),
        [
            (
                "F",
                "L1",
                65,
                "followups[0].rubric[0].id",
                "the id 'r1' is used twice in this file; number it anew",
            )
        ],
    ),
    "L2 too few points": (
        lambda question: replace(
            question, rubric=tuple(replace(item, weight=3) for item in question.rubric[:3])
        ),
        [
            ("F", "L2", 23, "rubric", "has 3 points; write 4 to 7"),
            ("F", "L2", 23, "rubric", "the weights sum to 9; make them sum to 10"),
        ],
    ),
    "L2 weights sum": (
        both(point(2, weight=3), having(weights_note="The sum is the point.")),
        [("F", "L2", 23, "rubric", "the weights sum to 11; make them sum to 10")],
    ),
    "L2 heavy point": (
        both(point(2, weight=4), point(3, weight=1), point(4, weight=1), having(weights_note="One sum.")),
        [("F", "L2", 37, "rubric[2].weight", "is 4; use 1, 2 or 3")],
    ),
    "L2 no note": (
        both(point(2, weight=3), point(3, weight=1)),
        [("F", "L2", 23, "rubric", "the weights differ; say why in weights_note")],
    ),
    "L2 light must": (
        both(point(0, weight=1), point(2, weight=3), having(weights_note="One sum.")),
        [("F", "L2", 25, "rubric[0].weight", "a must point weighs at least 2; raise it to 2 or 3")],
    ),
    "L2 no must": (
        both(point(0, must=False), point(1, must=False)),
        [("F", "L2", 23, "rubric", "has 0 must points; mark 1 to 3")],
    ),
    "L2 four must": (
        both(point(2, must=True), point(3, must=True)),
        [("F", "L2", 23, "rubric", "has 4 must points; mark 1 to 3")],
    ),
    "L2 follow-up sum": (
        follow_up_point(0, weight=5),
        [("F", "L2", 64, "followups[0].rubric", "the weights sum to 9; make them sum to 10")],
    ),
    "L2 follow-up points": (
        lambda question: follow_up(rubric=(replace(question.followups[0].rubric[0], weight=10),))(
            replace(question, references=(replace(question.references[0], supports=()),))
        ),
        [("F", "L2", 64, "followups[0].rubric", "has 1 points; write 2 or 3")],
    ),
    "L3 short": (
        point(2, criterion="Computes one scan only."),
        [("F", "L3", 39, "rubric[2].criterion", "has 4 words; write 5 to 24")],
    ),
    "L3 long": (
        point(2, criterion="Computes " + "very " * 24 + "much."),
        [("F", "L3", 39, "rubric[2].criterion", "has 26 words; write 5 to 24")],
    ),
    "L3 verb": (
        point(2, criterion="Explains how much data a scan reads."),
        [("F", "L3", 39, "rubric[2].criterion", f"opens with 'Explains'; open with one of {VERB_LIST}")],
    ),
    "L3 banned": (
        point(2, criterion="States that a good scan is cheap."),
        [
            (
                "F",
                "L3",
                39,
                "rubric[2].criterion",
                "'good' cannot be observed; say what the candidate does",
            )
        ],
    ),
    "L3 joined": (
        point(2, criterion="Computes the bytes and names the time."),
        [("W", "L3", 39, "rubric[2].criterion", "'and' may join two acts; keep one act per point")],
    ),
    "L3 slash": (
        follow_up_point(1, criterion="Names statistics/histograms as what is refreshed."),
        [
            (
                "W",
                "L3",
                74,
                "followups[0].rubric[1].criterion",
                "'/' may join two acts; keep one act per point",
            )
        ],
    ),
    "L4 short": (
        point(2, met="Computed."),
        [("F", "L4", 40, "rubric[2].met", "has 1 words; write 2 to 20")],
    ),
    "L4 long": (
        point(2, partial="one " * 21),
        [("F", "L4", 41, "rubric[2].partial", "has 21 words; write 2 to 20")],
    ),
    "L4 same": (
        point(2, partial="Ten million times 100 bytes: is a gigabyte"),
        [("F", "L4", 41, "rubric[2].partial", "repeats met; write the commonest near miss")],
    ),
    "L4 criterion": (
        point(2, met="computes how much data one scan reads"),
        [("F", "L4", 40, "rubric[2].met", "repeats the criterion; write what one would hear")],
    ),
    "L4 less detail": (
        point(2, partial="The answer is less detailed."),
        [("W", "L4", 41, "rubric[2].partial", "says only that something is missing; name the near miss")],
    ),
    "L5 short prompt": (
        having(prompt=text_of(19)),
        [("F", "L5", 11, "prompt", "has 19 words; write at least 20")],
    ),
    "L5 long prompt": (having(prompt=text_of(91)), [("F", "L5", 11, "prompt", "has 91 words; cut it to 90")]),
    "L5 context": (having(context=text_of(81)), [("F", "L5", 15, "context", "has 81 words; cut it to 80")]),
    "L5 deeper": (having(deeper=text_of(251)), [("F", "L5", 1, "deeper", "has 251 words; cut it to 250")]),
    "L5 one pitfall": (
        lambda question: replace(question, pitfalls=question.pitfalls[:1]),
        [("F", "L5", 54, "pitfalls", "has 1 entries; write 2 to 4")],
    ),
    "L5 long pitfall": (
        lambda question: replace(question, pitfalls=(question.pitfalls[0], text_of(26))),
        [("F", "L5", 56, "pitfalls[1]", "has 26 words; cut it to 25")],
    ),
    "L5 no follow-up": (
        both(
            lambda question: replace(
                question, references=(replace(question.references[0], supports=("r1",)),)
            ),
            having(followups=()),
        ),
        [("F", "L5", 57, "followups", "has 0 entries; write 1 to 3")],
    ),
    "L5 follow-up answer": (
        follow_up(answer=text_of(19)),
        [("F", "L5", 61, "followups[0].answer", "has 19 words; write at least 20")],
    ),
    "L5 data": (
        having(data="status  rows\npaid    9"),
        [
            (
                "F",
                "L5",
                1,
                "data",
                "plain lines run together when shown; fence the excerpt with ``` or write a Markdown table",
            )
        ],
    ),
    "L6 minutes": (
        having(minutes=7),
        [("F", "L6", 7, "minutes", "is 7; a concept question takes 4-6 minutes")],
    ),
    "L6 design minutes": (
        having(minutes=20, kind="design", model_answer=text_of(200)),
        [("F", "L6", 7, "minutes", "is 20; a design question takes 8-12 or 50 minutes")],
    ),
    "L6 short answer": (
        having(model_answer=text_of(49)),
        [("F", "L6", 16, "model_answer", "has 49 words; write at least 50")],
    ),
    "L6 long answer": (
        having(model_answer=text_of(126)),
        [("F", "L6", 16, "model_answer", "has 126 words; cut it to 125")],
    ),
    "L6 pace": (
        both(
            having(minutes=4, model_answer=text_of(60), weights_note="Two acts matter more."),
            lambda question: replace(
                question,
                rubric=(
                    *(replace(item, weight=2) for item in question.rubric[:3]),
                    *(
                        replace(item, id=f"x{index}", weight=1, must=False)
                        for index, item in enumerate((*question.rubric[2:5], question.rubric[4]))
                    ),
                ),
            ),
        ),
        [("F", "L6", 23, "rubric", "7 points do not fit 4 minutes; allow 0.6 minutes a point")],
    ),
    "L6 follow-up pace": (
        follow_up(minutes=1),
        [("F", "L6", 64, "followups[0].rubric", "2 points do not fit 1 minutes; allow 0.6 minutes a point")],
    ),
    "L7 sentence": (
        having(context="It is " + "very " * 27 + "old."),
        [
            (
                "W",
                "L7",
                15,
                "context",
                "a sentence has 30 words ('It is very very very very very very very'…); split it",
            )
        ],
    ),
    "L7 hard": (
        having(context="Organisational considerations necessitate extraordinary complications. " * 9),
        [("F", "L7", 15, "context", "reads at grade 43; shorten sentences and words")],
    ),
    "L7 rather hard": (
        having(context=RATHER_HARD * 4),
        [("W", "L7", 15, "context", "reads at grade 12; shorten sentences and words")],
    ),
    "L12 giveaway": (
        point(0, criterion="States that the planner leaves the index alone."),
        [
            (
                "W",
                "L12",
                27,
                "rubric[0].criterion",
                "4 of 4 content words stand in the prompt or context; give less away",
            )
        ],
    ),
    "L14 figure": (
        lambda question: replace(
            question,
            model_answer=question.model_answer + " The disk reads 2 GB/s here.",
            references=(replace(question.references[0], supports=()),),
        ),
        [
            (
                "W",
                "L14",
                16,
                "model_answer",
                "'2 GB/s' comes from nowhere; let a reference support the point that uses it",
            )
        ],
    ),
    "L15 none": (
        having(references=()),
        [("F", "L15", 77, "references", "is empty; name at least one primary source")],
    ),
    "L15 http": (
        having(references=(ReferenceFile("A page", "http://example.org/a", ()),)),
        [
            (
                "F",
                "L15",
                79,
                "references[0].url",
                "'http://example.org/a' is neither an https address nor a doi; correct it",
            )
        ],
    ),
    "L15 supports": (
        having(references=(ReferenceFile("A page", "https://example.org/a", ("r1", "r9")),)),
        [
            (
                "F",
                "L15",
                80,
                "references[0].supports[1]",
                "no rubric point has the id 'r9'; name one that exists",
            )
        ],
    ),
    "L16 future": (
        reviewed(date(2026, 6, 2)),
        [("F", "L16", 86, "review.reviewed", "2026-06-02 is in the future; write the day of the review")],
    ),
    "L16 stale": (
        reviewed(date(2025, 11, 30), months=6),
        [("F", "L16", 86, "review.reviewed", "the recheck was due on 2026-05-30; review the question again")],
    ),
    "L16 months": (
        reviewed(date(2026, 3, 1), months=25),
        [
            (
                "F",
                "L16",
                87,
                "review.recheck_months",
                "is 25; every question must be rechecked within 24 months",
            )
        ],
    ),
    "L16 fast track": (
        having(id="gpu.memory-901"),
        [
            (
                "F",
                "L16",
                87,
                "review.recheck_months",
                "is 24; the track gpu must be rechecked within 12 months",
            )
        ],
    ),
    "L16 part figure": (
        having(context="An H100 SXM reads 3.35 TB/s from memory."),
        [
            (
                "F",
                "L16",
                87,
                "review.recheck_months",
                "is 24; a figure of a named part must be rechecked within 6 months",
            )
        ],
    ),
    "L19 a name in underscores": (
        having(context="Its __eq__ reads one field, `__hash__` two."),
        [
            (
                "F",
                "L19",
                15,
                "context",
                "__eq__ loses its signs when shown; put it between code ticks: `__eq__`",
            )
        ],
    ),
    "L19 a type in brackets": (
        having(context="It appends each line to a std::vector<std::string>."),
        [
            (
                "F",
                "L19",
                15,
                "context",
                "std::vector<std::string> loses its signs when shown; put it between code ticks: "
                "`std::vector<std::string>`",
            )
        ],
    ),
    "L18 cells": (
        having(covers=("S1-01a", "S1-01b", "S1-02a")),
        [("F", "L18", 10, "covers", "claims 3 S1 cells; claim at most 2")],
    ),
    "L18 many": (
        having(covers=("S0-1", "S0-2", "S4-Q1", "S4-T1")),
        [("W", "L18", 10, "covers", "claims 4 checklist items; more than 3 is doubtful")],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_that_breaks_one_rule_is_found_once(name: str) -> None:
    change, expected = REFUSED[name]

    assert found(lint_question(change(CONCEPT), TODAY)) == expected


ACCEPTED: dict[str, Change] = {
    "L2 unequal with a note": both(point(2, weight=3), point(3, weight=1), having(weights_note="One sum.")),
    "L3 brackets": point(2, criterion="Computes the bytes (or pages) one scan reads."),
    "L3 code": point(2, criterion="Computes `a and b` before the scan."),
    "L3 rate": point(2, criterion="Computes the scan at 2 GB/s at most."),
    "L5 bounds": having(prompt=text_of(20), context=text_of(80), deeper=text_of(250)),
    "L5 empty context": having(context=""),
    "L5 code block is not prose": having(context="```\n" + "x\n" * 100 + "```"),
    "L5 table": having(data="| a | b |\n|---|---|\n| 1 | 2 |"),
    "L5 fenced": having(data="```\na  b\n1  2\n```"),
    "L6 low": having(model_answer=text_of(50)),
    "L6 high": having(model_answer=text_of(125)),
    "L6 long design": having(kind="design", minutes=50, model_answer=text_of(500)),
    "L7 code and names": having(
        context="`" + "organisational" * 9 + "` " + "FlashAttention2 " * 20 + "reads. Yes."
    ),
    "L14 given": lambda question: replace(
        question,
        context="The disk reads 2 GB/s.",
        model_answer=question.model_answer + " At 2 GB/s it is quick.",
        references=(replace(question.references[0], supports=()),),
    ),
    "L15 doi": having(references=(ReferenceFile("Paper", "doi:10.1145/1498765.1498785", ()),)),
    "L15 doi address": having(references=(ReferenceFile("Paper", "https://doi.org/10.1145/1498765", ()),)),
    "L15 behavioural": having(kind="behavioural", minutes=8, references=()),
    "L16 today": reviewed(TODAY),
    "L16 last day": reviewed(date(2024, 6, 1)),
    "L16 fast track": both(having(id="llm.rag-901"), reviewed(date(2026, 5, 1), months=12)),
    "L16 part figure": both(having(context="An H100 reads 3.35 TB/s."), reviewed(date(2026, 5, 1), months=6)),
    "L16 part and figure apart": having(context="An H100 is used. The disk reads 2 GB/s."),
    "L19 in code ticks and fences": having(
        context="A `std::vector<int>` and `__eq__`.", data="```\n__shared__ a<b>c\n```"
    ),
    "L19 signs that stay": having(context="A job_name_of_ours is kept while a < b and c > d hold."),
    "L18 bounds": having(covers=("S1-01a", "S1-01b", "S0-1")),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_change_within_the_rules_is_accepted(name: str) -> None:
    assert found(lint_question(ACCEPTED[name](CONCEPT), TODAY)) == []


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("bank/dbe/plans/an-index-nobody-uses.yaml", []),
        (
            "bank/dbe/sql/an-index-nobody-uses.yaml",
            [("F", "L1", 2, "id", "dbe.plans-901 belongs in the folder dbe/plans; move the file")],
        ),
        (
            "dbe/plans/index.yaml",
            [
                (
                    "F",
                    "L1",
                    3,
                    "slug",
                    "the file name must be an-index-nobody-uses.yaml; rename the file or change the slug",
                )
            ],
        ),
    ],
)
def test_a_file_stands_where_its_id_says(location: str, expected: list[Expected]) -> None:
    assert found(list(check_place(CONCEPT, location))) == expected


def code(**fields: Any) -> QuestionFile:
    assert CODING.code is not None
    return replace(CODING, code=replace(CODING.code, **fields))


@pytest.mark.parametrize("question", [CONCEPT, CODING, SQL], ids=lambda question: question.kind)
def test_checks_of_the_sample_questions_hold(question: QuestionFile) -> None:
    assert lint_code(question) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"solution": "def longest(values):\n    return 1\n"},
            [
                (
                    "F",
                    "L13",
                    24,
                    "code.solution",
                    "fails its own check (AssertionError); correct one of the two",
                )
            ],
        ),
        (
            {"solution": "while True: pass\n", "timeout_s": 1},
            [
                (
                    "F",
                    "L13",
                    24,
                    "code.solution",
                    "does not finish its check within 1 s; make it faster or raise timeout_s",
                )
            ],
        ),
        (
            {"check": "from solution import longest\nassert longest([1, -1]) == 1\n"},
            [
                ("F", "L13", 45, "code.wrong[0]", "is accepted by the check; make the check stricter"),
                ("F", "L13", 48, "code.wrong[1]", "is accepted by the check; make the check stricter"),
            ],
        ),
        (
            {"wrong": ("def longest(values):\n    return 1\n", "def shortest(values):\n    return 1\n")},
            [
                (
                    "W",
                    "L13",
                    48,
                    "code.wrong[1]",
                    "is rejected before it runs (ImportError: cannot import name 'longest' from 'solution' "
                    "(solution.py)); write a mistake that runs",
                )
            ],
        ),
        (
            {"wrong": ("x = 1",)},
            [("F", "L13", 44, "code.wrong", "has 1 answers; write at least 2")],
        ),
        (
            {"wrong": ("x = 1", "x = 1\n")},
            [("F", "L13", 48, "code.wrong[1]", "appears twice; write another mistake")],
        ),
        (
            {"wrong": ("x = 1", "def longest(:")},
            [
                (
                    "F",
                    "L13",
                    48,
                    "code.wrong[1]",
                    "is not valid Python (invalid syntax (<unknown>, line 1)); correct it",
                )
            ],
        ),
        (
            {"check": "import random\nrng = random.Random()\n"},
            [("F", "L13", 33, "code.check", "Random() has no seed; pass a fixed number")],
        ),
        (
            {"check": "import random\nprint(random.random())\n"},
            [
                (
                    "F",
                    "L13",
                    33,
                    "code.check",
                    "random.random() runs unseeded; use random.Random with a number",
                )
            ],
        ),
        (
            {"check": "import os\nprint(os.urandom(3))\n"},
            [
                (
                    "F",
                    "L13",
                    33,
                    "code.check",
                    "urandom() differs in every run; use random.Random with a number",
                )
            ],
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_a_code_check_must_do(fields: dict[str, Any], expected: list[Expected]) -> None:
    assert found(lint_code(code(**fields))) == expected


def test_a_wrong_answer_equal_to_the_solution_is_no_wrong_answer() -> None:
    assert isinstance(CODING.code, CodeFile)

    findings = lint_code(code(wrong=(CODING.code.solution, "x = 1")))

    assert found(findings) == [
        ("F", "L13", 45, "code.wrong[0]", "equals the solution; write a plausible mistake")
    ]


def test_a_seeded_module_is_enough() -> None:
    check = "import random\nfrom solution import longest\nrandom.seed(3)\nassert longest([]) == random.randint(0, 0)\n"

    findings = lint_code(
        code(check=check, wrong=("def longest(v):\n    return 1", "def longest(v):\n    return 2"))
    )

    assert findings == []


def test_questions_that_differ_pass_together() -> None:
    assert lint_bank([CONCEPT, CODING, SQL]) == []


OTHER_TEXT = {
    "id": "dbe.plans-902",
    "slug": "another",
    "file": "other.yaml",
    "prompt": "Reports about parcels took longer each week although nobody touched the machines or the code. "
    "Find a cause that fits and a test that would refute it.",
    "context": "",
    "model_answer": "Growth is my first suspect. I would plot run time against row count.",
    "pitfalls": ("Buying hardware first.",),
}


def other(**fields: Any) -> QuestionFile:
    changed = replace(CONCEPT, **{**OTHER_TEXT, "rubric": (), "followups": (), **fields})
    assert isinstance(changed, QuestionFile)
    return changed


def test_another_text_passes_beside_the_sample() -> None:
    assert lint_bank([CONCEPT, other()]) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"id": "dbe.plans-901"},
            [
                (
                    "F",
                    "L1",
                    2,
                    "id",
                    "'dbe.plans-901' is already used by dbe/plans/an-index-nobody-uses.yaml; choose another",
                )
            ],
        ),
        (
            {"slug": "an-index-nobody-uses"},
            [
                (
                    "F",
                    "L1",
                    3,
                    "slug",
                    "'an-index-nobody-uses' is already used by dbe/plans/an-index-nobody-uses.yaml; choose another",
                )
            ],
        ),
        (
            {"model_answer": CONCEPT.model_answer},
            [
                (
                    "F",
                    "L8",
                    11,
                    "prompt",
                    "the prompt with its answer is like prompt of dbe.plans-901 "
                    "(cosine 0.63, shared word triples 0.58); tell them further apart",
                ),
            ],
        ),
        (
            {"prompt": "A nightly report filters parcels."},
            [
                (
                    "F",
                    "L9",
                    11,
                    "prompt",
                    "2 of 2 prompts in dbe open with 'a nightly report filters'; open differently",
                )
            ],
        ),
        (
            {"context": "Rows are about 100 bytes wide, and sit on disk in order of arrival!"},
            [
                (
                    "F",
                    "L10",
                    15,
                    "context",
                    "shares the sentence 'Rows are about 100 bytes wide, and sit on disk in order of a' "
                    "with dbe.plans-901; write it anew",
                )
            ],
        ),
    ],
    ids=["id", "slug", "L8", "L9 opening", "L10"],
)
def test_what_two_questions_must_not_share(fields: dict[str, Any], expected: list[Expected]) -> None:
    findings = [
        item for item in lint_bank([CONCEPT, other(**fields)]) if expected[0][1] != "L8" or item.check == "L8"
    ]

    assert found(findings) == expected


def test_a_prompt_may_not_be_another_one_with_its_topic_words_changed() -> None:
    frame = "The {} queue holds {} rows of work for each shard of this shop"
    first = other(prompt=frame.format("mail", 40), tags=("mail",))
    second = other(
        id="sre.linux-901",
        slug="b",
        prompt=frame.format("invoice batch", 7),
        tags=("invoice", "batch"),
        model_answer="No.",
    )

    findings = [item for item in lint_bank([first, second]) if item.check == "L9"]

    assert found(findings) == [
        ("F", "L9", 11, "prompt", "equals the prompt of dbe.plans-902 but for topic words; write it anew")
    ]


def test_likeness_is_measured_exactly() -> None:
    same = "locks queue writers behind readers"

    pairs = list(alike([same, "caches forget entries sooner", same], cosine=0.01, jaccard=0.01))

    assert pairs == [Likeness(0, 2, pytest.approx(1.0), 1.0)]


def test_shared_triples_are_counted_against_all_triples() -> None:
    (pair,) = alike(["a b c d", "b c d e f"], cosine=2.0, jaccard=0.1)

    assert pair.jaccard == 1 / 4


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from("red blue green lime teal pink".split()), max_size=8).map(" ".join),
        max_size=6,
    ),
    st.sampled_from([0.1, 0.3, 0.6, 0.9]),
)
def test_a_limit_only_drops_pairs_below_it(texts: list[str], limit: float) -> None:
    everything = list(alike(texts, cosine=0.0, jaccard=0.0))

    assert list(alike(texts, cosine=limit, jaccard=2.0)) == [
        pair for pair in everything if pair.cosine >= limit
    ]
    assert list(alike(texts, cosine=2.0, jaccard=limit)) == [
        pair for pair in everything if pair.jaccard >= limit
    ]


@settings(deadline=None)
@given(st.lists(st.text(alphabet="abc ", max_size=30), max_size=6))
def test_measures_stay_between_nothing_and_all(texts: list[str]) -> None:
    for pair in alike(texts, cosine=0.0, jaccard=0.0):
        assert 0 <= pair.left < pair.right < len(texts)
        assert 0 <= pair.cosine <= 1 + 1e-9
        assert 0 <= pair.jaccard <= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It is 3.5 GB e.g. here. Next.", ["It is 3.5 GB e.g. here.", "Next."]),
        ("He said (so). 'Yes.' No", ["He said (so).", "'Yes.'", "No"]),
        ("A\n\nB", ["A", "B"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert words.sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "terms", "grade"),
    [
        ("The cat sat on the mat. " * 8, set(), -1.45),
        ("The cat sat on the mat. " * 6, set(), 0.0),
        ("The cat sat on the table. " * 8, set(), 0.52),
        ("The cat sat on the table. " * 8, {"table-top"}, -1.45),
        ("The cat sat on the `operation`. " * 8, set(), -1.45),
        ("The cat sat on the FlashAttention. " * 8, set(), -1.45),
    ],
)
def test_reading_grade(text: str, terms: set[str], grade: float) -> None:
    assert words.reading_grade(text, frozenset(terms)) == pytest.approx(grade, abs=0.01)


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2026, 1, 15), 0, date(2026, 1, 15)),
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2024, 1, 31), 1, date(2024, 2, 29)),
        (date(2026, 11, 30), 14, date(2028, 1, 30)),
        (date(2025, 12, 1), 1, date(2026, 1, 1)),
        (date(2025, 12, 31), 12, date(2026, 12, 31)),
    ],
)
def test_months_are_added_by_the_calendar(day: date, months: int, expected: date) -> None:
    assert add_months(day, months) == expected

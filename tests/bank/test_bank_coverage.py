"""The gate of the first milestone: each demand met by a bank that is just enough, and missed by a spoilt one."""

from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from prepapp.bank.coverage import Demand, demands, tables
from prepapp.bank.transfer.question_file import QuestionFile
from tests.bank.conftest import Folder
from tests.bank.whole_bank import full_bank

BANK = full_bank()
CODE = """\
code: {language: python, timeout_s: 1, solution: "a = 1", check: "import solution", wrong: ["a = 0", "a = 2"]}
"""

Spoil = Callable[[QuestionFile], QuestionFile | None]


def short(bank: list[QuestionFile]) -> list[Demand]:
    return [demand for demand in demands(bank) if not demand.met]


def spoilt(change: Spoil) -> list[QuestionFile]:
    return [kept for question in BANK if (kept := change(question)) is not None]


def without(item: str) -> Spoil:
    return lambda question: replace(question, covers=tuple(set(question.covers) - {item}))


def kinds(kind: str, *, of: str) -> Spoil:
    return lambda question: replace(question, kind=kind) if question.id.startswith(of) else question


def test_a_bank_that_is_just_enough_meets_every_demand() -> None:
    met = {demand.name: (demand.has, demand.wanted) for demand in demands(BANK)}

    assert short(BANK) == []
    assert met.pop("kind tells level, Cramér's V")[1] == "at most 0.40"
    assert met.pop("concept questions in a track")[1] == "at most 40%"
    assert (
        met.pop("debugging, estimation or design in each of mle, gpu, llm, sre, dbe, de")[1] == "at least 40%"
    )
    assert int(met.pop("coding or SQL questions with a check")[0]) >= 20
    likeness = {name: met.pop(name) for name in list(met) if name.startswith("most alike")}
    assert [(name, wanted) for name, (_, wanted) in likeness.items()] == [
        ("most alike, prompt with answer, cosine", "below 0.50"),
        ("most alike, prompt with answer, shared word triples", "below 0.20"),
        ("most alike, prompt alone, cosine", "below 0.80"),
        ("most alike, prompt alone, shared word triples", "below 0.50"),
    ]
    assert met == {
        "S0 items covered": ("40", "all 40"),
        "S4 items covered": ("32", "all 32"),
        "S1 cells covered": ("60", "at least 60"),
        "questions": ("200", "at least 200"),
        "questions in mle": ("38", "at least 38"),
        "questions in gpu": ("34", "at least 34"),
        "questions in llm": ("26", "at least 26"),
        "questions in ds": ("14", "at least 14"),
        "questions in swe": ("18", "at least 18"),
        "questions in sys": ("12", "at least 12"),
        "questions in sre": ("16", "at least 16"),
        "questions in dbe": ("10", "at least 10"),
        "questions in de": ("8", "at least 8"),
        "questions in beh": ("18", "at least 18"),
        "questions in rai": ("6", "at least 6"),
        "topics with their count": ("92", "all 92"),
        "levels in proportion": ("everywhere", "within 5 points in the bank, 8 in a track"),
        "coding or SQL in each of swe.arrays, swe.trees, swe.dp, dbe.sql, ds.wrangle": (
            "100% in swe.arrays",
            "at least 80%",
        ),
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without("S0-3f"), [("S0 items covered", "39, without S0-3f")]),
        (without("S4-X2"), [("S4 items covered", "31, without S4-X2")]),
        (without("S1-07b"), [("S1 cells covered", "59")]),
        (
            lambda question: question if question.id != "sre.k8s-002" else None,
            [
                ("questions", "199"),
                ("questions in sre", "15"),
                ("topics with their count", "91, without sre.k8s 2/3"),
            ],
        ),
        (
            lambda question: (
                replace(question, id="de.batch-009") if question.id == "de.cdc-001" else question
            ),
            [("topics with their count", "91, without de.cdc 0/1")],
        ),
        (
            lambda question: (
                replace(question, level="advanced")
                if question.id in {"sys.product-001", "sys.product-002"}
                else question
            ),
            [("levels in proportion", "sys advanced 58.3% for 40.0%, sys senior 8.3% for 24.3%")],
        ),
        (
            kinds("concept", of="sys."),
            [("concept questions in a track", "100% in sys")],
        ),
        (
            kinds("sql", of="de."),
            [("debugging, estimation or design in each of mle, gpu, llm, sre, dbe, de", "0% in de")],
        ),
        (
            kinds("design", of="swe.dp-001"),
            [
                (
                    "coding or SQL in each of swe.arrays, swe.trees, swe.dp, dbe.sql, ds.wrangle",
                    "50% in swe.dp",
                )
            ],
        ),
        (
            lambda question: replace(question, code=None),
            [("coding or SQL questions with a check", "0")],
        ),
        (
            lambda question: (
                replace(question, model_answer=BANK[0].model_answer, prompt=f"{BANK[0].prompt} today")
                if question.id == "rai.fair-001"
                else question
            ),
            [
                ("most alike, prompt with answer, cosine", "0.80 of mle.framing-001 and rai.fair-001"),
                (
                    "most alike, prompt with answer, shared word triples",
                    "0.29 of mle.framing-001 and rai.fair-001",
                ),
                ("most alike, prompt alone, shared word triples", "0.50 of mle.framing-001 and rai.fair-001"),
            ],
        ),
        (
            lambda question: (
                replace(question, prompt=BANK[0].prompt) if question.id == "rai.fair-001" else question
            ),
            [
                ("most alike, prompt alone, cosine", "1.00 of mle.framing-001 and rai.fair-001"),
                ("most alike, prompt alone, shared word triples", "1.00 of mle.framing-001 and rai.fair-001"),
            ],
        ),
    ],
    ids=[
        "idea",
        "role item",
        "cell",
        "count",
        "topic",
        "levels",
        "concept",
        "applied",
        "code topic",
        "no code",
        "alike",
        "same prompt",
    ],
)
def test_a_spoilt_bank_misses_what_was_spoilt(change: Spoil, expected: list[tuple[str, str]]) -> None:
    assert [(demand.name, demand.has) for demand in short(spoilt(change))] == expected


def test_a_kind_that_gives_the_level_away_is_said() -> None:
    fixed = {
        "foundation": "debugging",
        "intermediate": "estimation",
        "advanced": "design",
        "senior": "coding",
    }
    bank = [replace(question, kind=fixed[question.level]) for question in BANK]

    found = {demand.name: demand for demand in demands(bank)}["kind tells level, Cramér's V"]

    assert found == Demand("kind tells level, Cramér's V", "1.00", "at most 0.40", False)


def test_nothing_meets_next_to_nothing() -> None:
    assert {demand.name for demand in demands([]) if demand.met} == {
        "levels in proportion",
        "kind tells level, Cramér's V",
        "concept questions in a track",
        "most alike, prompt with answer, cosine",
        "most alike, prompt with answer, shared word triples",
        "most alike, prompt alone, cosine",
        "most alike, prompt alone, shared word triples",
    }


def test_tables_count_what_is_there() -> None:
    lines = list(tables(BANK))

    assert max(map(len, lines)) <= 110
    assert lines[0] == "Questions by track and topic, has/M1"
    assert (
        "  rai    6/6: rai.fair 2/2, rai.interp 1/1, rai.privacy 1/1, rai.appsec 1/1, rai.mlsec 1/1" in lines
    )
    start = lines.index(
        "Levels, percent has/target      foundation    intermediate        advanced          senior"
    )
    assert lines[start + 1 : start + 3] == [
        "  bank  200                      21.0/20.7       35.5/36.4       28.0/28.0       15.5/14.9",
        "  mle    38                      21.1/21.9       36.8/36.9       26.3/26.9       15.8/14.4",
    ]
    kinds_at = next(index for index, line in enumerate(lines) if line.startswith("Kinds by level"))
    counted = [line.split() for line in lines[kinds_at + 1 : kinds_at + 8]]
    assert sum(int(row[1]) for row in counted) == 200
    assert counted[-1] == ["behavioural", "18", "5", "6", "4", "3"]
    open_cells = "S1-13a, S1-13b, S1-13c, S1-13d, S1-13e"
    assert f"S1 cells no question covers (40): {open_cells}" in "\n".join(lines)
    assert lines[-1] == "Packs:"


def run(path: Path) -> tuple[list[str], str]:
    """The lines the command prints, and its last word if it refuses."""
    out = StringIO()
    try:
        call_command("bank_coverage", path, stdout=out, stderr=out)
    except CommandError as error:
        return out.getvalue().splitlines(), f"{error.returncode} {error}"
    return out.getvalue().splitlines(), ""


def test_the_command_passes_a_bank_that_is_enough(tmp_path: Path) -> None:
    for index, question in enumerate(BANK):
        Folder(tmp_path).write(
            question.slug,
            question.id,
            level=question.level,
            kind=question.kind,
            covers=", ".join(question.covers),
            prompt=" ".join(f"word{index}x{number}" for number in range(12)),
            more=CODE if question.code else "",
        )

    lines, refusal = run(tmp_path)

    assert refusal == ""
    assert lines[-1] == "Gate M1 is met: all 26 demands."
    assert [line for line in lines if line.startswith("  SHORT")] == []


def test_the_command_fails_a_bank_that_is_not(folder: Folder) -> None:
    lines, refusal = run(folder.path)

    missed = [line for line in lines if line.startswith("  SHORT")]
    assert refusal == f"1 Gate M1 is not met: {len(missed)} of 26 demands are short."
    assert "  SHORT  questions in gpu: 2 (at least 34)" in missed
    assert "Packs: nvidia 2" in lines


def test_the_command_counts_nothing_it_cannot_read(folder: Folder) -> None:
    (folder.path / "broken.yaml").write_text("a: *b\n")

    assert run(folder.path) == (
        ["broken.yaml:1: aliases (*name) are not allowed; write the value out"],
        "2 Files that cannot be read cannot be counted; mend them first.",
    )
    assert run(folder.path / "nowhere") == (
        [],
        f"2 {folder.path / 'nowhere'} cannot be read: it is not a folder.",
    )

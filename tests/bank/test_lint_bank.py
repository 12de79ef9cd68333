"""The command that judges question files: its forms of output, its exit codes, what it is told to leave out."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from prepapp.bank.lint import Finding, lint_balance, lint_questions
from prepapp.bank.lint.printing import Outcome, as_github
from prepapp.bank.lint.resemblance import Pair, prompt_pairs, whole_pairs
from prepapp.bank.management.commands import lint_bank
from prepapp.bank.transfer.question_file import QuestionFile
from tests.bank.test_lint import CODING, CONCEPT, DATA, ROOT, SQL, TODAY, VERB_LIST

GOOD = DATA / "good"
NO_SOURCES = "Originality (L11) was not judged: no source texts were named."
NO_BANK = "Balance and coverage (L17, L18) were not judged: these files are not taken for a whole bank."
NO_CODE = "Code checks (L13) were not run, as asked."


def lint(*paths: Path | str, today: str = "2026-06-01", **options: object) -> tuple[int, list[str]]:
    """The exit code and the lines the command prints."""
    out = StringIO()
    arguments = [str(path) for path in paths]
    for name, value in {"today": today, **options}.items():
        option = f"--{name.replace('_', '-')}"
        arguments += [option] if value is True else [option, str(value)]
    try:
        call_command("lint_bank", *arguments, stdout=out)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


@pytest.fixture
def spoilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder seen from its parent: a question with one banned word, one with a doubtful `and`, no question."""
    folder = tmp_path / "dbe" / "plans"
    folder.mkdir(parents=True)
    text = (GOOD / CONCEPT.file).read_text("utf-8")
    text = text.replace("criterion: Names the extra lookup", "criterion: Knows the extra lookup")
    (folder / "an-index-nobody-uses.yaml").write_text(text)
    (folder / "broken.yaml").write_text("a: *b\n")
    monkeypatch.chdir(tmp_path)
    return "dbe"


def test_findings_are_printed_and_fail(spoilt: str) -> None:
    assert lint(spoilt) == (
        1,
        [
            "dbe/plans/an-index-nobody-uses.yaml:33: F L3 rubric[1].criterion: "
            "'knows' cannot be observed; say what the candidate does",
            "dbe/plans/an-index-nobody-uses.yaml:33: F L3 rubric[1].criterion: "
            f"opens with 'Knows'; open with one of {VERB_LIST}",
            "dbe/plans/broken.yaml:1: F L1: aliases (*name) are not allowed; write the value out",
            NO_BANK,
            NO_SOURCES,
            "1 questions read, 1 files unreadable: 3 failures (F), 0 warnings (W)",
        ],
    )


def test_warnings_alone_do_not_fail(tmp_path: Path) -> None:
    folder = tmp_path / "dbe" / "plans"
    folder.mkdir(parents=True)
    text = (GOOD / CONCEPT.file).read_text("utf-8")
    text = text.replace("covers: [S4-T2]", "covers: [S0-1, S0-2, S4-Q1, S4-T2]")
    (folder / "an-index-nobody-uses.yaml").write_text(text)

    code, lines = lint(tmp_path)

    assert (code, lines[-1]) == (0, "1 questions read, 0 files unreadable: 0 failures (F), 1 warnings (W)")


def test_json_says_the_same(spoilt: str) -> None:
    code, lines = lint(spoilt, format="json", milestone="M1", no_code=True)
    said = json.loads("\n".join(lines))

    assert code == 1
    assert {name: value for name, value in said.items() if name != "findings"} == {
        "questions": 1,
        "unreadable": 1,
        "milestone": "M1",
        "sources": 0,
        "code_run": False,
        "samples": 0,
        "packs": 0,
        "pairs": {},
        "failures": len(said["findings"]),
        "warnings": 0,
    }
    assert [item for item in said["findings"] if item["check"] == "L1"] == [
        {
            "file": "dbe/plans/broken.yaml",
            "line": 1,
            "check": "L1",
            "severity": "F",
            "field": "",
            "message": "aliases (*name) are not allowed; write the value out",
        }
    ]
    assert next(item for item in said["findings"] if item["field"] == "mle.framing") == {
        "file": None,
        "line": None,
        "check": "L17",
        "severity": "F",
        "field": "mle.framing",
        "message": "has 0 of the 2 questions M1 wants; write the others",
    }


def test_annotations_are_workflow_commands(spoilt: str) -> None:
    assert lint(spoilt, format="github") == (
        1,
        [
            "::error file=dbe/plans/an-index-nobody-uses.yaml,line=33,title=L3 rubric[1].criterion::"
            "'knows' cannot be observed; say what the candidate does",
            "::error file=dbe/plans/an-index-nobody-uses.yaml,line=33,title=L3 rubric[1].criterion::"
            f"opens with 'Knows'; open with one of {VERB_LIST}",
            "::error file=dbe/plans/broken.yaml,line=1,title=L1::aliases (*name) are not allowed; write the value out",
            "1 questions read, 1 files unreadable: 3 failures (F), 0 warnings (W)",
        ],
    )


def test_an_annotation_ends_where_it_should() -> None:
    """Line ends would end the command, a comma or colon the property, and per cent is their sign."""
    findings = [
        Finding("a,b:c%.yaml", 7, "L8", "W", "prompt", "50% alike:\r\none, two"),
        Finding("", 0, "L18", "F", "S0-1", "no question covers it"),
    ]

    lines = list(as_github(Outcome(2, 0, "M1", 0, True, findings)))

    assert lines == [
        "::warning file=a%2Cb%3Ac%25.yaml,line=7,title=L8 prompt::50%25 alike:%0D%0Aone, two",
        "::error title=L18 S0-1::no question covers it",
        "2 questions read, 0 files unreadable: 1 failures (F), 1 warnings (W)",
    ]


def test_a_single_file_seen_from_its_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOOD / "dbe" / "plans")

    assert lint("an-index-nobody-uses.yaml") == (
        0,
        [NO_BANK, NO_SOURCES, "1 questions read, 0 files unreadable: 0 failures (F), 0 warnings (W)"],
    )


def test_a_file_reached_twice_is_no_duplicate() -> None:
    assert lint(GOOD, GOOD / CONCEPT.file, no_code=True) == (
        0,
        [
            NO_CODE,
            NO_BANK,
            NO_SOURCES,
            "3 questions read, 0 files unreadable: 0 failures (F), 0 warnings (W)",
        ],
    )


def test_a_finding_about_the_whole_bank_says_so() -> None:
    assert str(Finding("", 0, "L18", "F", "S0-1", "is open")) == "whole bank: F L18 S0-1: is open"
    assert str(Finding("a.yaml", 3, "L6", "W", "", "is long")) == "a.yaml:3: W L6: is long"


def test_the_shipped_bank_is_judged_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_bank, "SHIPPED", GOOD)

    code, lines = lint(no_code=True)
    by_name = lint(f"{GOOD.parent}/bad/../good", no_code=True)
    left_out = lint(no_code=True, milestone="none")

    assert code == 1
    assert lines == [
        *map(str, sorted(lint_balance([CONCEPT, SQL, CODING], "M1"))),
        NO_CODE,
        NO_SOURCES,
        lines[-1],
    ]
    assert by_name == (code, lines)
    assert (left_out[0], left_out[1][1]) == (0, NO_BANK)
    assert lint(GOOD, GOOD / CONCEPT.file, no_code=True) == left_out


def test_sources_are_compared_with(tmp_path: Path) -> None:
    words = " ".join(CONCEPT.model_answer.split()[:9])
    (tmp_path / "page.txt").write_text(words, encoding="utf-8")

    code, lines = lint(GOOD / CONCEPT.file, sources=tmp_path)

    line = CONCEPT.line_of("model_answer")
    assert code == 1
    assert [text.split(" words with page.txt (")[0] for text in lines] == [
        f"{GOOD / CONCEPT.file}:{line}: F L11 model_answer: shares 9",
        NO_BANK,
        "1 questions read, 0 files unreadable: 1 failures (F), 0 warnings (W)",
    ]


def test_the_pairs_most_alike_are_shown_when_asked_for() -> None:
    whole, prompts = whole_pairs([CONCEPT, SQL, CODING]), prompt_pairs([CONCEPT, SQL, CODING])

    code, lines = lint(GOOD, no_code=True, pairs=1)

    def shown(pair: Pair) -> str:
        return f"  {pair.cosine:.2f}  {pair.jaccard:.2f}  {pair.left}  {pair.right}"

    assert code == 0
    assert lines[:4] == [
        "Most alike, prompt with answer: cosine, shared word triples, questions",
        shown(whole[0]),
        "Most alike, prompt alone: cosine, shared word triples, questions",
        shown(prompts[0]),
    ]
    assert json.loads("\n".join(lint(GOOD, no_code=True, pairs=1, format="json")[1]))["pairs"] == {
        "prompt with answer": [vars(whole[0])],
        "prompt alone": [vars(prompts[0])],
    }


def test_pairs_are_ranked_by_likeness_and_name_their_follow_ups() -> None:
    def made(number: int, prompt: str, then: str) -> QuestionFile:
        parts = (replace(CONCEPT.followups[0], prompt=then),)
        return replace(CONCEPT, id=f"dbe.plans-{number}", prompt=prompt, model_answer="", followups=parts)

    questions = [made(1, "red blue green", "lime"), made(2, "red blue teal", "pink"), made(3, "pink", "sand")]

    assert whole_pairs(questions) == [Pair("dbe.plans-1", "dbe.plans-2", pytest.approx(0.6, abs=0.2), 0.0)]
    assert [(pair.left, pair.right) for pair in prompt_pairs(questions)] == [
        ("dbe.plans-3", "dbe.plans-2:f1"),
        ("dbe.plans-1", "dbe.plans-2"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "There is no file or folder nowhere."),
        ([str(GOOD), "--sources", str(GOOD)], "Nothing to compare with: there is no text below"),
        ([str(GOOD), "--pairs", "0"], "'0' is not a number above 0"),
        ([str(GOOD), "--today", "soon"], "argument --today"),
        ([str(GOOD), "--format", "xml"], "argument --format"),
        ([str(GOOD), "--milestone", "M4"], "argument --milestone"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("lint_bank", *arguments)


@pytest.mark.parametrize(
    ("path", "code"), [("good", 0), ("bad", 1), ("nowhere", 2)], ids=["clean", "failures", "usage"]
)
def test_the_exit_code_tells_without_a_database(tmp_path: Path, path: str, code: int) -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "lint_bank", str(DATA / path), "--today", "2026-06-01"],
        cwd=ROOT,
        env={"PREPAPP_DATA_DIR": str(tmp_path), "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == code, result.stderr
    last = [line for line in (result.stdout + result.stderr).splitlines() if line][-1]
    if code == 2:
        assert last == f"CommandError: There is no file or folder {DATA / path}."
    else:
        assert last.endswith(" warnings (W)")


MEETING = """\
import pathlib
from solution import here
assert here
own = pathlib.Path.cwd()
def others(name):
    return [path for path in own.parent.glob(f"check-*/{name}") if path.parent != own]
(own / "come").touch()
while not (met := others("come")):
    pass
(own / "seen").touch()
while not others("seen") and met[0].parent.exists():
    pass
"""


def meeting(number: int) -> QuestionFile:
    """A question whose check holds only while that of another such question runs."""
    assert CODING.code is not None
    wrong = ("here = 0\n", "here = ''\n")
    code = replace(CODING.code, solution="here = 1\n", check=MEETING, wrong=wrong, timeout_s=5)
    return replace(CODING, id=f"{CODING.topic}-{number}", code=code)


def checks(questions: list[QuestionFile]) -> list[tuple[str, str]]:
    findings = lint_questions(questions, TODAY, run_code=True)
    return [(item.field, item.message) for item in findings if item.check == "L13"]


def test_checks_run_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))

    assert checks([meeting(1), meeting(2)]) == []


def test_a_check_that_waits_for_another_ends_when_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same check alone finds nobody."""
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    alone = meeting(1)
    assert alone.code is not None
    alone = replace(alone, code=replace(alone.code, timeout_s=1))

    assert checks([alone]) == [
        (
            "code.solution",
            "does not finish its check within 1 s; make it faster or raise timeout_s",
        )
    ]

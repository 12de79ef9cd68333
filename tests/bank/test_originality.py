"""Rule L11: eight words in a row that stand in a source text, and what may be shared all the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from prepapp.bank.lint import Finding, check_originality, read_sources
from prepapp.bank.transfer.question_file import CodeFile, QuestionFile, ReferenceFile
from tests.bank.test_lint import CODING, CONCEPT, Change, follow_up, having, point

SEVEN = "seven grey herons waited beside the frozen"
EIGHT = f"{SEVEN} canal"
CODE = "total = 0\nfor row in rows:\n    total += row.price * row.count - row.rebate\n"
SIGNATURE = "def settle(rows, price, count, rebate, total, limit, day):"


def lint(question: QuestionFile, folder: Path) -> list[tuple[str, str, str, str]]:
    findings: list[Finding] = list(check_originality(question, read_sources(folder)))
    return [(item.severity, item.check, item.field, item.message) for item in findings]


def write(folder: Path, text: str, name: str = "birds.txt") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def code(**fields: object) -> QuestionFile:
    assert isinstance(CODING.code, CodeFile)
    made = replace(CODING, code=replace(CODING.code, **fields))  # type: ignore[arg-type]
    assert isinstance(made, QuestionFile)
    return made


FOUND = ("F", "L11", "context", f"shares 8 words with birds.txt ('{EIGHT}'); write it anew")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"In March {EIGHT} again.", [FOUND]),
        ("SEVEN grey-herons;\nwaited beside “the frozen” Canal", [FOUND]),
        (f"In March {SEVEN} lake.", []),
        ("Seven grey herons waited. Beside the canal, frozen.", []),
        (
            f"{EIGHT} for fish.",
            [
                (
                    "F",
                    "L11",
                    "context",
                    f"shares 10 words with birds.txt ('{EIGHT} for fish'); write it anew",
                )
            ],
        ),
        (f"{EIGHT}. Nobody came. {EIGHT}!", [FOUND, FOUND]),
    ],
    ids=["shared", "other signs", "seven words", "other order", "longer", "twice"],
)
def test_eight_words_in_a_row(tmp_path: Path, text: str, expected: list[tuple[str, ...]]) -> None:
    write(tmp_path, f"That winter {EIGHT} for fish that never came.")

    assert lint(replace(CONCEPT, context=text), tmp_path) == expected


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("prompt", having(prompt=EIGHT)),
        ("data", having(data=EIGHT)),
        ("model_answer", having(model_answer=EIGHT)),
        ("deeper", having(deeper=EIGHT)),
        ("weights_note", having(weights_note=EIGHT)),
        ("pitfalls[0]", having(pitfalls=(EIGHT,))),
        ("followups[0].answer", follow_up(answer=EIGHT)),
        ("rubric[1].partial", point(1, partial=EIGHT)),
        ("difficulty.harder", lambda item: replace(item, difficulty=replace(item.difficulty, harder=EIGHT))),
    ],
)
def test_wherever_a_text_stands(tmp_path: Path, field: str, change: Change) -> None:
    write(tmp_path, EIGHT)

    assert [item[2] for item in lint(change(CONCEPT), tmp_path)] == [field]


def test_a_title_may_be_quoted_where_it_is_referred_to(tmp_path: Path) -> None:
    write(tmp_path, EIGHT)
    question = replace(CONCEPT, context=EIGHT)

    assert lint(question, tmp_path) == [FOUND]
    referred = (ReferenceFile(EIGHT.title(), "https://example.org/a", ()),)
    assert lint(replace(question, references=referred), tmp_path) == []


def test_lines_of_code_are_compared_and_signatures_are_not(tmp_path: Path) -> None:
    write(tmp_path, f"{SIGNATURE}\n    {CODE}", "desk.py")
    words = "total 0 for row in rows total row price row count row rebate"
    copied = f"shares 13 words with desk.py ({words[:60]!r}); write it anew"

    findings = lint(code(solution=f"{SIGNATURE}\n    {CODE}", wrong=(CODE, "x = 1")), tmp_path)

    assert findings == [
        ("F", "L11", "code.solution", copied),
        ("F", "L11", "code.wrong[0]", copied),
    ]
    spread = SIGNATURE.replace(", ", ",\n    ")
    imports = "from settle import price, count, rebate, total, limit, day\n"
    write(tmp_path, imports + SIGNATURE, "desk.py")
    assert lint(code(solution=f"{imports}async {spread}\n    return 0\n"), tmp_path) == []
    fenced = f"```python\n{SIGNATURE}\n    return 0\n```"
    assert lint(replace(CONCEPT, data=fenced), tmp_path) == []
    # Outside a code block the same words are a sentence.
    assert [item[2] for item in lint(replace(CONCEPT, data=SIGNATURE), tmp_path)] == ["data"]


def test_pages_are_read_as_their_words(tmp_path: Path) -> None:
    page = "<p class='seven grey'>Seven grey <b>herons</b> waited<br>beside the&nbsp;frozen canal</p>"
    write(tmp_path, page, "in/birds.HTML")
    question = replace(CONCEPT, context=EIGHT)

    assert [item[3] for item in lint(question, tmp_path)] == [FOUND[3].replace("birds.txt", "in/birds.HTML")]


def test_texts_are_counted_and_other_files_are_none(tmp_path: Path) -> None:
    write(tmp_path, EIGHT, "a.txt")
    write(tmp_path, EIGHT, "b/c.md")
    write(tmp_path, EIGHT, "b/picture.png")

    assert read_sources(tmp_path).texts == 2


def test_a_folder_without_a_text_is_no_source(tmp_path: Path) -> None:
    write(tmp_path, EIGHT, "picture.png")

    with pytest.raises(ValueError, match="there is no text below"):
        read_sources(tmp_path)

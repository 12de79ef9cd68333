"""Lints whatever a command line names: files, folders, or a whole bank.

Here: reading paths and applying the rules in turn. Not here: rules, arguments, printing.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path

from prepapp.bank.lint.balance_rules import lint_balance
from prepapp.bank.lint.bank_rules import lint_bank
from prepapp.bank.lint.code_rules import lint_code
from prepapp.bank.lint.finding import Finding
from prepapp.bank.lint.originality import Sources, check_originality
from prepapp.bank.lint.question_rules import check_place, lint_question
from prepapp.bank.transfer.question_file import (
    SAMPLES_SUFFIX,
    QuestionFile,
    read_bank,
    read_question,
)
from prepapp.bank.transfer.yaml_tree import FileProblem


def read_paths(paths: Sequence[Path]) -> tuple[list[QuestionFile], list[FileProblem]]:
    """Read files and folders; a file reached twice is read once. Names are shown as given. Sample answers are
    left to `samples`."""
    questions: dict[str, QuestionFile] = {}
    problems: dict[str, list[FileProblem]] = {}
    for path in paths:
        if path.is_dir():
            found, failed = read_bank(path)
            for question in found:
                name = (path / question.file).as_posix()
                questions[name] = replace(question, file=name)
            for problem in failed:
                name = (path / problem.file).as_posix()
                item = replace(problem, file=name)
                if item not in problems.setdefault(name, []):
                    problems[name].append(item)
            continue
        if path.name.endswith(SAMPLES_SUFFIX):
            continue
        result = read_question(path.read_bytes(), path.as_posix())
        if isinstance(result, list):
            problems[path.as_posix()] = result
        else:
            questions[path.as_posix()] = result
    return list(questions.values()), [problem for items in problems.values() for problem in items]


def lint_questions(
    questions: Sequence[QuestionFile],
    today: date,
    *,
    run_code: bool,
    milestone: str | None = None,
    sources: Sources | None = None,
) -> list[Finding]:
    """Apply every rule that the number of questions allows; `file` of each must be a path to it.

    With a milestone the questions are judged as a whole bank, with sources for their originality. Code
    checks, which are processes of their own, run beside each other and beside the other rules.
    """
    findings: list[Finding] = []
    # At least two, so that one check that hangs until its time is up does not hold up every other.
    runners = ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1))
    try:
        checked = [
            runners.submit(lint_code, question) for question in questions if run_code and question.code
        ]
        for question in questions:
            findings += check_place(question, Path(question.file).resolve().as_posix())
            findings += lint_question(question, today)
            findings += check_originality(question, sources) if sources else []
        findings += lint_bank(questions) if len(questions) > 1 else []
        findings += lint_balance(questions, milestone) if milestone else []
        for outcome in checked:
            findings += outcome.result()
    finally:
        runners.shutdown(cancel_futures=True)
    return findings

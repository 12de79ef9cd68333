"""Lints whatever a command line names: files, folders, or a whole bank.

Here: reading paths and applying the rules in turn. Not here: rules, arguments, printing.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from prepapp.bank.lint.bank_rules import lint_bank
from prepapp.bank.lint.code_rules import lint_code
from prepapp.bank.lint.finding import Finding
from prepapp.bank.lint.question_rules import check_place, lint_question
from prepapp.bank.transfer.question_file import QuestionFile, read_bank, read_question
from prepapp.bank.transfer.yaml_tree import FileProblem


def read_paths(paths: Sequence[Path]) -> tuple[list[QuestionFile], list[FileProblem]]:
    """Read files and folders; a file reached twice is read once. Names are shown as given."""
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
        result = read_question(path.read_bytes(), path.as_posix())
        if isinstance(result, list):
            problems[path.as_posix()] = result
        else:
            questions[path.as_posix()] = result
    return list(questions.values()), [problem for items in problems.values() for problem in items]


def lint_questions(questions: Sequence[QuestionFile], today: date, *, run_code: bool) -> list[Finding]:
    """Apply every rule that the number of questions allows; `file` of each must be a path to it."""
    findings: list[Finding] = []
    for question in questions:
        findings += check_place(question, Path(question.file).resolve().as_posix())
        findings += lint_question(question, today)
        findings += lint_code(question) if run_code else []
    return findings + (lint_bank(questions) if len(questions) > 1 else [])

"""The command line of the lint. Here: arguments, reading paths, printing. Not here: any rule."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from prepapp.bank.lint import FAIL, Finding, check_place, from_problem, lint_bank, lint_code, lint_question
from prepapp.bank.transfer.question_file import FileProblem, QuestionFile, read_bank, read_question


def main(arguments: Sequence[str] | None = None) -> int:
    """Print findings; return 1 when one of them fails, else 0. Wrong usage exits with 2."""
    parser = argparse.ArgumentParser(
        prog="python -m prepapp.bank.lint", description="Check question files against the writing rules."
    )
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", type=Path, help="a question file or a folder of them"
    )
    parser.add_argument("--no-code", action="store_true", help="do not run code checks (L13)")
    parser.add_argument(
        "--today",
        type=date.fromisoformat,
        default=None,
        metavar="YYYY-MM-DD",
        help="judge dates as of this day",
    )
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.paths if not path.exists()]
    if missing:
        parser.error(f"no such file or folder: {', '.join(missing)}")
    questions, problems = read_paths(options.paths)
    today = options.today or date.today()
    findings = lint(questions, today, run_code=not options.no_code) + [
        from_problem(item) for item in problems
    ]
    for finding in sorted(findings):
        print(finding)
    failed = sum(finding.severity == FAIL for finding in findings)
    unreadable = len({problem.file for problem in problems})
    print(
        f"{len(questions)} questions read, {unreadable} files unreadable: "
        f"{failed} failures (F), {len(findings) - failed} warnings (W)"
    )
    return 1 if failed else 0


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


def lint(questions: Sequence[QuestionFile], today: date, *, run_code: bool) -> list[Finding]:
    """Apply every rule that the number of questions allows."""
    findings: list[Finding] = []
    for question in questions:
        findings += check_place(question, Path(question.file).resolve().as_posix())
        findings += lint_question(question, today)
        findings += lint_code(question) if run_code else []
    return findings + (lint_bank(questions) if len(questions) > 1 else [])


if __name__ == "__main__":
    sys.exit(main())

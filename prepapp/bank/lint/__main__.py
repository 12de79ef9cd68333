"""The command line of the lint. Here: arguments and printing. Not here: any rule."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from prepapp.bank.lint import FAIL, from_problem, lint_questions, read_paths


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
    findings = lint_questions(questions, today, run_code=not options.no_code) + [
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


if __name__ == "__main__":
    sys.exit(main())

"""Judges question files by the writing rules of the bank.

Here: pure rules over `QuestionFile` values; `python -m prepapp.bank.lint PATH` prints what they
find. Not here: reading files (`bank.transfer`), models, the database.
"""

from prepapp.bank.lint.bank_rules import lint_bank
from prepapp.bank.lint.code_rules import lint_code
from prepapp.bank.lint.finding import FAIL, WARN, Finding, from_problem
from prepapp.bank.lint.question_rules import check_place, lint_question
from prepapp.bank.lint.run import lint_questions, read_paths

__all__ = [
    "FAIL",
    "WARN",
    "Finding",
    "check_place",
    "from_problem",
    "lint_bank",
    "lint_code",
    "lint_question",
    "lint_questions",
    "read_paths",
]

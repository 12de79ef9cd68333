"""Judges question files by the writing rules of the bank.

Here: pure rules over `QuestionFile` and `PackFile` values, and the forms their findings are printed in;
`manage.py lint_bank` prints them. Not here: the form of a question file (`bank.transfer`), models,
the database.
"""

from prepapp.bank.lint.balance_rules import lint_balance
from prepapp.bank.lint.bank_rules import lint_bank
from prepapp.bank.lint.code_rules import lint_code
from prepapp.bank.lint.finding import FAIL, WARN, Finding, from_problem
from prepapp.bank.lint.originality import Sources, check_originality, read_sources
from prepapp.bank.lint.packs import lint_packs, read_pack_paths, split_paths
from prepapp.bank.lint.question_rules import check_place, lint_question
from prepapp.bank.lint.run import lint_questions, read_paths
from prepapp.bank.lint.samples import lint_samples, read_sample_paths

__all__ = [
    "FAIL",
    "WARN",
    "Finding",
    "Sources",
    "check_originality",
    "check_place",
    "from_problem",
    "lint_balance",
    "lint_bank",
    "lint_code",
    "lint_packs",
    "lint_question",
    "lint_questions",
    "lint_samples",
    "read_pack_paths",
    "read_paths",
    "read_sample_paths",
    "read_sources",
    "split_paths",
]

"""The result of a lint rule. Not here: any rule."""

from dataclasses import dataclass

from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.bank.transfer.yaml_tree import FileProblem

FAIL = "F"
WARN = "W"
WHOLE_BANK = "whole bank"


@dataclass(frozen=True, order=True)
class Finding:
    """One thing to change. `severity` is F (fail) or W (warn); `line` counts from 1.

    What no single file is to blame for has the file '' and the line 0.
    """

    file: str
    line: int
    check: str
    severity: str
    field: str
    message: str

    def __str__(self) -> str:
        place = f" {self.field}" if self.field else ""
        where = f"{self.file}:{self.line}" if self.file else WHOLE_BANK
        return f"{where}: {self.severity} {self.check}{place}: {self.message}"


def fail(question: QuestionFile, check: str, field: str, message: str) -> Finding:
    """A finding that keeps the question out of the bank."""
    return Finding(question.file, question.line_of(field), check, FAIL, field, message)


def warn(question: QuestionFile, check: str, field: str, message: str) -> Finding:
    """A finding for a person to weigh."""
    return Finding(question.file, question.line_of(field), check, WARN, field, message)


def from_problem(problem: FileProblem) -> Finding:
    """An unreadable file fails L1."""
    return Finding(problem.file, problem.line, "L1", FAIL, problem.field, problem.message)

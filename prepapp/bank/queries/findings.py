"""What the writing rules say of a draft, as the shipped files are judged by them."""

from datetime import datetime

from prepapp.bank.lint.finding import FAIL, Finding, from_problem
from prepapp.bank.lint.question_rules import lint_question
from prepapp.bank.models import Question
from prepapp.bank.rules import PROVISIONAL_NUMBER
from prepapp.bank.taxonomy import TOPICS
from prepapp.bank.transfer.document import Document, read_document
from prepapp.bank.transfer.integrity import integrity_problems


def draft_findings(question: Question | None, document: Document, now: datetime) -> list[Finding]:
    """Every finding on a draft, failing ones included; empty if it may be published. No query.

    What is missing or of the wrong kind comes alone: the rules need a whole question. Fields are dotted paths
    of the document. Code is not run: that is left to `manage.py lint_bank` on an export.
    """
    topic = str(document.get("topic") or "")
    if not topic:
        missing = Finding("", 1, "L1", FAIL, "topic", "no topic is chosen; choose where the question belongs")
        return [missing, *_findings(question, {**document, "topic": TOPICS[0].code}, now)]
    return _findings(question, document, now)


def _findings(question: Question | None, document: Document, now: datetime) -> list[Finding]:
    read = read_document(document, ref=_ref(question, document), today=now.date())
    if isinstance(read, list):
        return [from_problem(problem) for problem in read]
    found = [from_problem(problem) for problem in integrity_problems([read], {read.topic})]
    known = {(finding.field, finding.check) for finding in found}
    return found + [f for f in lint_question(read, now.date()) if (f.field, f.check) not in known]


def _ref(question: Question | None, document: Document) -> str:
    """The reference, or one of the right form while there is none."""
    if question and question.current_version_id:
        return question.ref
    return f"{document.get('topic')}-{PROVISIONAL_NUMBER}"

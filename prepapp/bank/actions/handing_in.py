"""A draft is handed in only if it does not repeat what the bank asks already, or somebody says why it may.

Not here: everything else a draft must be (`drafts.submit_draft`).
"""

from datetime import datetime

from django.db import transaction

from prepapp.accounts.models import User
from prepapp.bank.actions.drafts import submit_draft
from prepapp.bank.lint.finding import FAIL
from prepapp.bank.models import Draft
from prepapp.bank.queries.duplicates import find_alike
from prepapp.bank.refusals import NearDuplicate


def hand_in_draft(*, question_id: int, revision: int, reason: str, by: User, now: datetime) -> Draft:
    """Submits the draft. NearDuplicate if another question is so like it that the lint would fail and no
    `reason` is given; the reason is kept in the log. Otherwise as `submit_draft`, whose refusals come first.

    The bank is compared outside of the transaction: it may take a second, and no lock waits for it.
    """
    document = Draft.objects.filter(question=question_id).values_list("document", flat=True).first()
    alike = [pair for pair in find_alike(document or {}, question_id) if pair.severity == FAIL]
    with transaction.atomic():
        draft = submit_draft(
            question_id=question_id, revision=revision, by=by, now=now, note=reason if alike else ""
        )
        if alike and not reason.strip():
            raise NearDuplicate(alike)
    return draft

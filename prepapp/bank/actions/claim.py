"""A guest signs in: the flags they raised become the account's. Called through `GUEST_WORK_CLAIMS`."""

from datetime import datetime

from prepapp.accounts.models import User
from prepapp.bank.models import Flag


def claim_flags(*, guest: User, user: User, now: datetime) -> None:
    """Moves every flag of the guest to `user`. The caller holds a transaction and the guest's row.

    Where both have one open on the same question for the same reason, what the guest wrote is added to the
    account's: two statements more for each.
    """
    own = {(flag.question_id, flag.reason): flag for flag in Flag.objects.filter(user=user, settled_at=None)}
    for flag in Flag.objects.filter(user=guest, settled_at=None):
        if kept := own.get((flag.question_id, flag.reason)):
            kept.text = "\n\n".join(text for text in (kept.text, flag.text) if text)
            kept.save(update_fields=["text"])
            flag.delete()
    Flag.objects.filter(user=guest).update(user=user)

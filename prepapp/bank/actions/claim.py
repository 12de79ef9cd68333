"""A guest signs in: the flags they raised become the account's. Called through `GUEST_WORK_CLAIMS`."""

from datetime import datetime

from prepapp.accounts.models import User
from prepapp.bank.models import Flag


def claim_flags(*, guest: User, user: User, now: datetime) -> None:
    """Moves every flag of the guest to `user`. The caller holds a transaction and the guest's row.

    Where both have one open on the same question for the same reason, what the guest wrote is added to the
    account's: two statements more for each. Open flags of both are locked by their numbers, as by whoever
    answers them, so that no words join a flag that is answered at this moment.
    """
    open_flags = Flag.objects.filter(user__in=[guest, user], settled_at=None)
    found = list(open_flags.select_for_update().order_by("pk"))
    own = {(flag.question_id, flag.reason): flag for flag in found if flag.user_id == user.pk}
    for flag in found:
        if flag.user_id == user.pk:
            continue
        if kept := own.get((flag.question_id, flag.reason)):
            kept.text = "\n\n".join(text for text in (kept.text, flag.text) if text)
            kept.save(update_fields=["text"])
            flag.delete()
    Flag.objects.filter(user=guest).update(user=user)

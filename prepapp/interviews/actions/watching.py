"""Telling the apps above that graded work came, went or changed hands, by the names in
`GRADED_WORK_WATCHERS`, since interviews may not know them. Called inside the transaction that does it.

Lock contract: the owner's row comes before the attempt's, as it does when a guest's work is claimed.
"""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from prepapp.accounts.models import User


def lock_owner(user_id: UUID) -> None:
    """Two gradings of one person are closed one after the other, so that the second counts the first. A
    person who is gone by now, because a guest's work was claimed, is no error."""
    list(User.objects.select_for_update(no_key=True).filter(pk=user_id).order_by().values_list("pk"))


def tell_watchers(
    user_id: UUID, *, started_at: datetime | None = None, finished_at: datetime | None = None
) -> None:
    """The attempt that ran from `started_at` to `finished_at` was graded, regraded or deleted; without the
    instants, any of the person's work may have changed."""
    for name in settings.GRADED_WORK_WATCHERS:
        import_string(name)(user_id=user_id, started_at=started_at, finished_at=finished_at)

"""What the races share."""

from contextlib import nullcontext

import pytest
from django.db import transaction
from django.db.models import QuerySet

from prepapp.common.statements import Kept


@pytest.fixture
def without_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **kwargs: self)
    # Put together anew while the locks are off, and not remembered.
    monkeypatch.setattr(Kept, "_compiled", Kept._compile)
    monkeypatch.setattr(transaction, "atomic", lambda *args, **kwargs: nullcontext())

"""What the races share."""

from contextlib import nullcontext

import pytest
from django.db import transaction
from django.db.models import QuerySet


@pytest.fixture
def without_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **kwargs: self)
    monkeypatch.setattr(transaction, "atomic", lambda *args, **kwargs: nullcontext())

"""Sessions in the database, as Django keeps them. Only what every request does, reading one, is a kept
statement."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField

from prepapp.common.clock import read_clock
from prepapp.common.statements import Kept

_DATA = Kept(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now).values_list("session_data"),
    key=CharField(),
    now=DateTimeField(),
)


class SessionStore(db.SessionStore):
    def load(self) -> dict[str, Any]:
        found = _DATA.rows(key=self.session_key, now=read_clock())
        if not found:
            self._session_key = None
            return {}
        return self.decode(found[0][0])

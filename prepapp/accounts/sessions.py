"""Sessions in the database, as Django keeps them. Reading one, which every request does, and
renewing one, which every start does, are statements of their own."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import CharField, DateTimeField

from prepapp.common.clock import read_clock
from prepapp.common.statements import Kept

_DATA = Kept(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now).values_list("session_data"),
    key=CharField(),
    now=DateTimeField(),
)


# As Django asks for.
_SHORTEST = 8

# One statement needs no transaction around it.
_UPDATE = "UPDATE django_session SET session_data = %s, expire_date = %s WHERE session_key = %s"


class SessionStore(db.SessionStore):
    def _validate_session_key(self, key: str | None) -> bool:
        """Ours are letters and digits. A cookie may hold anything, NUL too, which PostgreSQL does not look
        for but refuses with an error."""
        return key is not None and len(key) >= _SHORTEST and key.isascii() and key.isalnum()

    def load(self) -> dict[str, Any]:
        found = _DATA.rows(key=self.session_key, now=read_clock())
        if not found:
            self._session_key = None
            return {}
        return self.decode(found[0][0])

    def save(self, must_create: bool = False) -> None:
        """UpdateError if the session was ended meanwhile, as by signing out elsewhere."""
        if must_create or self.session_key is None:
            super().save(must_create)
            return
        row = self.create_model_instance(dict(self.items()))
        expires = connection.ops.adapt_datetimefield_value(row.expire_date)
        with connection.cursor() as cursor:
            cursor.execute(_UPDATE, [row.session_data, expires, row.session_key])
            if cursor.rowcount != 1:
                raise UpdateError

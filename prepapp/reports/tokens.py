"""The secret in the unsubscribe address of a mail: who, and for what. It has no end, since a mail is read
whenever it is read, and all it can do is turn the weekly mail off."""

from uuid import UUID

from django.core.signing import BadSignature, Signer

_SALT = "prepapp.reports.weekly-mail"


def unsubscribe_token(user_id: UUID) -> str:
    """What stands in the address; letters, digits, `-`, `_` and `.` only."""
    return _signer().sign(user_id.hex)


def read_unsubscribe_token(token: str) -> UUID | None:
    """Whose weekly mail the token turns off; None if it was not made here or was changed."""
    try:
        return UUID(_signer().unsign(token))
    except (BadSignature, ValueError):
        return None


def _signer() -> Signer:
    return Signer(salt=_SALT, sep=".")

"""Signing in is allauth's; who a session belongs to is asked in every request, so by a kept statement."""

from uuid import UUID

from allauth.account.auth_backends import AuthenticationBackend
from django.db.models import UUIDField

from prepapp.accounts.models import User
from prepapp.common.statements import Kept

_PERSON = Kept(lambda person: User.objects.filter(pk=person), person=UUIDField())


class Backend(AuthenticationBackend):
    def get_user(self, user_id: UUID) -> User | None:
        user = _PERSON.first(person=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

"""Signing in is allauth's; who a session belongs to is asked in every request, so by a kept statement.
What somebody may do follows from their role, which their row carries: no groups, no query."""

from uuid import UUID

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, UUIDField

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.common.statements import Kept

_PERSON = Kept(lambda person: User.objects.with_facts().filter(pk=person), person=UUIDField())


class Backend(AuthenticationBackend):
    def get_user(self, user_id: UUID) -> User | None:
        user = _PERSON.first(person=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

    def has_perm(self, user_obj: User | AnonymousUser, perm: str, obj: Model | None = None) -> bool:
        """An admin may do everything, as a superuser may, whom Django does not ask about."""
        if not isinstance(user_obj, User) or not user_obj.is_active:
            return False
        return user_obj.role == Role.ADMIN or perm in self.get_all_permissions(user_obj, obj)

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        if not isinstance(user_obj, User) or not user_obj.is_active:
            return False
        names = self.get_all_permissions(user_obj)
        return user_obj.role == Role.ADMIN or any(name.startswith(f"{app_label}.") for name in names)

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Model | None = None) -> set[str]:
        """What `ROLE_PERMISSIONS` gives the role; nothing that hangs on a single row."""
        role = user_obj.role if isinstance(user_obj, User) and obj is None else Role.NONE
        return set(settings.ROLE_PERMISSIONS.get(role, ()))

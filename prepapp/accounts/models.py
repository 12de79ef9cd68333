"""Who a person is: the sign-in identity and their preferences. A visitor who sits a mock without an
account is a guest: a row without e-mail or password, so that all work has an owner from the start."""

from datetime import datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.module_loading import import_string

from prepapp.accounts.choices import Level, Role, Theme, TimeAllowance
from prepapp.common.clock import read_clock
from prepapp.common.ids import uuid7


class UserQuerySet(models.QuerySet["User"]):
    def guests(self) -> "UserQuerySet":
        return self.filter(is_guest=True)

    def keeping(self, email: str) -> "UserQuerySet":
        """Whoever has `email` for good: confirmed, in use, or given by an operator. An account that took
        it at sign-up and never confirmed it does not keep it."""
        in_use = models.Q(emailaddress__verified=True) | models.Q(last_login__isnull=False)
        given = models.Q(is_staff=True) | ~models.Q(role=Role.NONE)
        return self.filter(in_use | given, email=email).distinct()

    def stale_guests(self, since: datetime) -> "UserQuerySet":
        """Guests made before `since`; whether they were active later is known to the apps above."""
        return self.guests().filter(date_joined__lt=since)

    def with_facts(self) -> "UserQuerySet":
        """Read with what pages tell the person: `PERSON_FACTS` names, for each, a function that gives an
        expression of the person's row. So a page knows without a query of its own."""
        facts = {name: import_string(path)() for name, path in settings.PERSON_FACTS.items()}
        return self.annotate(**facts)


class UserManager(BaseUserManager["User"].from_queryset(UserQuerySet)):  # type: ignore[misc]
    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)

    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        """A person with an account. ValueError if the address is empty."""
        if not email:
            raise ValueError("An account needs an e-mail address.")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A candidate, curator or operator; with `is_guest` a visitor without an account."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField("e-mail", null=True, blank=True, max_length=254, unique=True)
    is_guest = models.BooleanField(default=False)
    is_staff = models.BooleanField(default=False)
    role = models.CharField(max_length=10, choices=Role, default=Role.NONE, blank=True)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=read_clock)
    reset_number = models.PositiveIntegerField(
        default=0, help_text="part of every password link: a new link ends the older ones"
    )

    # Preferences. `track` holds a track's code: the bank is above accounts, so no foreign key.
    track = models.CharField(max_length=20, blank=True)
    level = models.CharField(max_length=20, choices=Level, default=Level.INTERMEDIATE)
    interview_date = models.DateField(null=True, blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    is_time_zone_confirmed = models.BooleanField(default=False)
    time_allowance = models.CharField(max_length=10, choices=TimeAllowance, default=TimeAllowance.NORMAL)
    theme = models.CharField(max_length=10, choices=Theme, default=Theme.SYSTEM)
    wants_weekly_mail = models.BooleanField(default=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique"),
            models.CheckConstraint(
                condition=models.Q(is_guest=True, email__isnull=True)
                | models.Q(is_guest=False, email__isnull=False),
                name="user_guest_without_email",
            ),
        ]

    def __str__(self) -> str:
        return self.email or f"guest {self.id}"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

"""A function for GUEST_WORK_CLAIMS that collides with another transaction the first time."""

from django.db import IntegrityError

calls: list[str] = []


def collide_once(**people: object) -> None:
    calls.append(str(people["guest"]))
    if len(calls) == 1:
        raise IntegrityError("attempt_one_running")

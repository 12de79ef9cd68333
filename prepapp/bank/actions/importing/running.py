"""The run of an import from state to state. Every step is one guarded update: of two who try it one has done
it, and the other finds it done. Nothing here touches the bank."""

import hashlib
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest

from prepapp.accounts.models import User
from prepapp.bank.choices import ImportState
from prepapp.bank.models import AT_WORK, ImportFile, ImportRun
from prepapp.bank.refusals import FaultsLeft, RunMoved

# A run that has come to no end within this is given up.
GIVEN_UP_AFTER = timedelta(hours=1)
# A preview that nobody confirmed goes, with its file.
FORGOTTEN_AFTER = timedelta(days=14)
_TRIES = 5
NAME_CHARACTERS = 255


def start_import(*, name: str, data: bytes, by: User | None, publishes: bool, now: datetime) -> ImportRun:
    """A run for this file, waiting to be read. The same bytes of the same person, sent again while they are
    read, written or waiting to be confirmed, are the same run."""
    sha256 = hashlib.sha256(data).hexdigest()
    for _ in range(_TRIES):
        if by is not None and (found := _open_run(by, sha256, publishes, now)):
            return found
        try:
            with transaction.atomic():
                run = ImportRun.objects.create(
                    made_by=by,
                    file_name=name[-NAME_CHARACTERS:],
                    file_size=len(data),
                    sha256=sha256,
                    publishes=publishes,
                    created_at=now,
                    beat_at=now,
                )
                ImportFile.objects.create(run=run, content=data)
            return run
        except IntegrityError:
            # Sent twice at once: the other one was faster, and is found now.
            continue
    raise RunMoved


def confirm_import(*, run_id: UUID, takes_good_ones: bool, now: datetime) -> None:
    """Lets a previewed run be written. FaultsLeft if items are faulty and leaving them out was not chosen,
    RunMoved if it is not waiting to be confirmed. Repeating it changes nothing."""
    waiting = ImportRun.objects.filter(pk=run_id, state=ImportState.PREVIEWED)
    if not takes_good_ones:
        for run in waiting.only("counts"):
            if failed := run.counts.get("failed", 0):
                raise FaultsLeft(failed)
    try:
        with transaction.atomic():
            confirmed = waiting.update(
                state=ImportState.WRITING,
                takes_good_ones=takes_good_ones,
                problems=[],
                done=0,
                confirmed_at=now,
                beat_at=now,
            )
    except IntegrityError as error:
        raise RunMoved from error
    begun = (ImportState.WRITING, ImportState.DONE)
    if not confirmed and not ImportRun.objects.filter(pk=run_id, state__in=begun).exists():
        raise RunMoved


def discard_import(*, run_id: UUID) -> None:
    """Throws a preview away, or a run that was refused, with its file. RunMoved if it is past that."""
    open_states = (ImportState.PREVIEWED, ImportState.REFUSED)
    with transaction.atomic():
        runs = ImportRun.objects.select_for_update(of=("self",))
        run = runs.filter(pk=run_id, state__in=open_states).first()
        if run is None:
            raise RunMoved
        run.delete()


def note_progress(*, run_id: UUID, done: int, now: datetime) -> None:
    """A sign of life of whoever works on the run. Of its two steps, reading and comparing, each counts from
    the start; what is shown never goes back."""
    working = (ImportState.READING, ImportState.WRITING)
    ImportRun.objects.filter(pk=run_id, state__in=working).update(
        done=Greatest(F("done"), Value(done)), beat_at=now
    )


def give_up_imports(*, now: datetime) -> int:
    """Ends runs that came to no end: what was being read is refused, what was being written waits to be
    confirmed again. Nothing of them is in the bank. Returns how many."""
    old = now - GIVEN_UP_AFTER
    reading = ImportRun.objects.filter(
        state__in=[ImportState.WAITING, ImportState.READING], created_at__lt=old
    ).update(
        state=ImportState.REFUSED,
        problems=[["", "It could not be read within an hour. Divide the file and try again."]],
        finished_at=now,
    )
    ImportFile.objects.filter(run__state=ImportState.REFUSED).delete()
    writing = ImportRun.objects.filter(state=ImportState.WRITING, confirmed_at__lt=old).update(
        state=ImportState.PREVIEWED,
        problems=[["", "It could not be written within an hour; nothing was written. Confirm it again."]],
    )
    return reading + writing


def forget_previews(*, now: datetime) -> int:
    """Removes previews that nobody confirmed for two weeks, with their files. Returns how many."""
    old = ImportRun.objects.filter(
        state=ImportState.PREVIEWED, created_at__lt=now - FORGOTTEN_AFTER
    ).values_list("pk", flat=True)
    gone = list(old[:100])
    ImportRun.objects.filter(pk__in=gone, state=ImportState.PREVIEWED).delete()
    return len(gone)


def _open_run(by: User, sha256: str, publishes: bool, now: datetime) -> ImportRun | None:
    """The run this upload is already. A preview is made anew if it is to publish now, or not any more; its
    hour to be read in begins anew, too."""
    runs = ImportRun.objects.filter(
        made_by=by, sha256=sha256, state__in=[*AT_WORK, ImportState.PREVIEWED]
    ).order_by("-created_at")
    found = runs.first()
    if found is None or found.publishes == publishes or found.state != ImportState.PREVIEWED:
        return found
    ImportRun.objects.filter(pk=found.pk, state=ImportState.PREVIEWED).update(
        state=ImportState.WAITING, publishes=publishes, problems=[], created_at=now, beat_at=now
    )
    return runs.first()

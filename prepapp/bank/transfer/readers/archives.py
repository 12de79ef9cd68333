"""Opens a zip that came from outside without writing a file or unpacking more than was agreed.

Here: members, sizes, ratio, names, encryption. Sizes are what the directory of the zip declares; Python reads
no byte of a member beyond it. Not here: what the members mean.
"""

import io
import zlib
from pathlib import PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from prepapp.bank.transfer.readers.limits import MAX_MEMBERS, MAX_RATIO, MAX_UNPACKED, RATIO_FROM

_ENCRYPTED = 0x1


def open_archive(data: bytes, most: int = MAX_UNPACKED) -> ZipFile | str:
    """The zip, or in words why it is not opened. `most` bytes are unpacked in all."""
    try:
        archive = ZipFile(io.BytesIO(data))
    except (BadZipFile, OSError, ValueError, NotImplementedError, OverflowError):
        return "the zip is damaged; pack it again"
    members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS:
        return f"the zip holds {len(members):,} files; keep it to {MAX_MEMBERS:,}"
    if unpacked > most:
        return f"the zip unpacks to {unpacked / 1_000_000:,.1f} MB; keep it to {most // 1_000_000} MB"
    if unpacked > RATIO_FROM and unpacked > MAX_RATIO * len(data):
        return f"the zip unpacks to more than {MAX_RATIO} times its size; pack plain files only"
    if any(member.flag_bits & _ENCRYPTED for member in members):
        return "the zip is encrypted; pack it without a password"
    names = [member.filename for member in members]
    if bad := next((name for name in names if not is_inside(name)), None):
        return f"the zip holds a file outside of its own folder, {bad[:80]!r}; pack it again"
    if len(set(names)) < len(names):
        return "the zip holds two files of one name; pack it again"
    return archive


def read_member(archive: ZipFile, member: ZipInfo, limit: int) -> bytes | str:
    """The bytes of a member, or in words why they are not read."""
    if member.file_size > limit:
        return f"is {member.file_size:,} bytes long; keep it below {limit:,}"
    try:
        with archive.open(member) as opened:
            return opened.read(limit + 1)
    except (BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error):
        return "is damaged in the zip or packed in a way we cannot read; pack it again"


def is_inside(name: str) -> bool:
    """Whether a name stays below the folder a zip is unpacked to."""
    path = PurePosixPath(name)
    return not (path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name[:3] or "\0" in name)

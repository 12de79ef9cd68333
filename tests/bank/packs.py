"""A sound pack for tests, as text of a file and read."""

from pathlib import Path

from prepapp.bank.transfer.pack_file import PackFile, read_pack

PACK = """\
schema: 1
id: loop
title: A loop
disclaimer: Practice for roles with memory. No claim.
summary: What a loop on memory trains, in ten words or a few more than that.
include:
  topics: [gpu.memory]
  ids: [gpu.exec-001]
weights: {gpu.memory: 2}
pinned: [gpu.memory-001]
context_notes:
  gpu.memory-001: You work on a team that sorts telemetry of a fleet.
blueprints: [screen]
rounds:
  - {name: Talk, minutes: 30 to 45, what: A talk about your work., source: "https://example.test/rounds"}
tips:
  - {text: Say what bounds it first., advice: true}
mistakes:
  - {text: Quoting peaks without a part., source: "https://example.test/peaks"}
reading:
  - {title: A guide, url: "https://example.test/guide", note: The chapter on memory.}
reviewed: 2026-11-01
recheck_months: 6
"""


def changed(*changes: tuple[str, str]) -> str:
    """The text with parts replaced, each of which it must hold."""
    text = PACK
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def pack(*changes: tuple[str, str], file: str = "packs/loop.yaml") -> PackFile:
    found = read_pack(changed(*changes), file)
    assert isinstance(found, PackFile), found
    return found


def write_pack(folder: Path, *changes: tuple[str, str], name: str = "loop.yaml") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(changed(*changes), encoding="utf-8")
    return path

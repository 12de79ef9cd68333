"""Judges packs: P1 shape and name, P2 what a pack names exists, P3 words, P4 sources, advice and dates.

Here: reading the packs that a command line names, and the rules. Not here: keys and types
(`transfer.pack_file`).
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from pathlib import Path

from prepapp.bank.lint.finding import FAIL, Finding
from prepapp.bank.lint.source_rules import DOI, HTTPS
from prepapp.bank.rules import add_months
from prepapp.bank.taxonomy import TOPICS, TRACKS
from prepapp.bank.transfer.pack_file import ClaimFile, PackFile, RoundFile, read_pack, read_packs
from prepapp.bank.transfer.question_file import SUFFIX, QuestionFile, read_bank
from prepapp.bank.transfer.yaml_tree import FileProblem, Tree, read_tree

FOLDER = "packs"
RECHECK_MONTHS = 12
# Words at least and at most.
WORDS = {"summary": (10, 60), "context_notes": (8, 60), "claim": (4, 40), "note": (3, 40)}

_TOPICS = {topic.code for topic in TOPICS}
_TRACKS = {track.code for track in TRACKS}
# What nobody can support without a source of their own.
_CLAIM = re.compile(
    r"\b(?:real|actual|leaked|reported)\s+(?:interview\s+)?questions?\b"
    r"|\b(?:asked|questions?)\s+(?:at|by|from)\s+[A-Z]"
)


@dataclass(frozen=True)
class PackPaths:
    """What a command line names: folders of packs, single packs, and what is left for questions."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...]
    questions: tuple[Path, ...]


def split_paths(paths: Sequence[Path]) -> PackPaths:
    """Packs are a folder of that name, a file in one, and those beside each bank; the rest are questions."""
    folders, files, questions = [], [], []
    for path in paths:
        where = path.resolve()
        if path.is_dir() and where.name == FOLDER:
            folders.append(path)
        elif path.is_file() and where.parent.name == FOLDER:
            files.append(path)
        else:
            questions.append(path)
            beside = where.parent / FOLDER
            if path.is_dir() and beside.is_dir():
                shown = path.parent / FOLDER
                folders.append(shown if shown.resolve() == beside else beside)
    return PackPaths(tuple(dict.fromkeys(folders)), tuple(files), tuple(questions))


def read_pack_paths(paths: PackPaths) -> tuple[list[PackFile], list[FileProblem]]:
    """Read folders and files; a file reached twice is read once. Names are shown as given."""
    found: dict[str, PackFile] = {}
    problems: dict[FileProblem, None] = {}
    for folder in paths.folders:
        packs, failed = read_packs(folder)
        found |= {
            name: replace(pack, file=name) for pack in packs if (name := (folder / pack.file).as_posix())
        }
        problems |= {replace(item, file=(folder / item.file).as_posix()): None for item in failed}
    for path in paths.files:
        result = read_pack(path.read_bytes(), path.as_posix())
        if isinstance(result, PackFile):
            found[result.file] = result
        else:
            problems |= dict.fromkeys(result)
    return list(found.values()), list(problems)


def lint_packs(
    packs: Sequence[PackFile],
    unreadable: Sequence[FileProblem],
    questions: Sequence[QuestionFile],
    today: date,
) -> list[Finding]:
    """Every finding about packs. Each is held to the questions of the bank beside its folder as well, and to
    the formats beside it where there are any."""
    found = [("P1", problem) for problem in unreadable]
    banks: dict[Path, list[QuestionFile]] = {}
    for pack in packs:
        home = Path(pack.file).resolve().parent.parent
        if home not in banks:
            banks[home] = _questions_beside(home, questions)
        found += [("P1", problem) for problem in _shape(pack)]
        found += [("P2", problem) for problem in _names(pack, banks[home], _formats_beside(home))]
        found += [("P3", problem) for problem in _words(pack)]
        found += [("P4", problem) for problem in chain(_sources(pack), _dates(pack, today))]
    return sorted(
        Finding(problem.file, problem.line, check, FAIL, problem.field, problem.message)
        for check, problem in found
    )


def _questions_beside(home: Path, questions: Sequence[QuestionFile]) -> list[QuestionFile]:
    known = {question.id: question for question in questions}
    if (home / "bank").is_dir():
        known = {question.id: question for question in read_bank(home / "bank")[0]} | known
    return list(known.values())


def _formats_beside(home: Path) -> set[str] | None:
    """The slugs of the formats; None where there is no folder of them."""
    folder = home / "blueprints"
    if not folder.is_dir():
        return None
    trees = [read_tree(path.read_bytes(), path.name) for path in folder.glob(f"*{SUFFIX}")]
    return {str(tree.value.get("slug")) for tree in trees if isinstance(tree, Tree)}


def _shape(pack: PackFile) -> Iterator[FileProblem]:
    wanted = f"{pack.id}{SUFFIX}"
    if Path(pack.file).name != wanted:
        yield pack.problem("id", f"does not match the file name; name the file {wanted}")
    rule = pack.include
    if not (rule.has_conditions or rule.ids):
        yield pack.problem("include", "takes in nothing; name tags, topics, tracks, levels, kinds or ids")


def _names(
    pack: PackFile, questions: Sequence[QuestionFile], formats: Collection[str] | None
) -> Iterator[FileProblem]:
    rule = pack.include
    refs = {question.id for question in questions}
    tags = {tag for question in questions for tag in question.tags}
    yield from _unknown(pack, "include.tags", rule.tags, tags, "no question has the tag")
    yield from _unknown(pack, "include.topics", rule.topics, _TOPICS, "there is no topic")
    yield from _unknown(pack, "include.tracks", rule.tracks, _TRACKS, "there is no track")
    yield from _unknown(pack, "include.ids", rule.ids, refs, "there is no question")
    if formats is not None:
        yield from _unknown(pack, "blueprints", pack.blueprints, formats, "there is no format")
    members = pack.members(questions)
    if not members:
        yield pack.problem("include", "no question of the bank is in this pack; widen the rule")
        return
    inside = {question.id for question in members}
    topics = {question.topic for question in members}
    yield from _unknown(pack, "pinned", pack.pinned, inside, "the pack has no question")
    for key in (key for key in pack.context_notes if key not in inside):
        yield pack.problem(f"context_notes.{key}", f"the pack has no question {key!r}")
    for code in (code for code in pack.weights if code not in topics):
        yield pack.problem(f"weights.{code}", f"the pack has no question of the topic {code!r}")


def _unknown(
    pack: PackFile, path: str, names: Sequence[str], known: Collection[str], what: str
) -> Iterator[FileProblem]:
    for index, name in enumerate(names):
        if name not in known:
            yield pack.problem(f"{path}[{index}]", f"{what} {name!r}; correct or remove it")


def _words(pack: PackFile) -> Iterator[FileProblem]:
    for path, kind, text in _texts(pack):
        least, most = WORDS[kind]
        count = len(text.split())
        if not least <= count <= most:
            yield pack.problem(path, f"has {count} words; keep it between {least} and {most}")
    if "practice for" not in pack.disclaimer.lower():
        yield pack.problem(
            "disclaimer", "does not say what the pack is practice for; begin with 'Practice for'"
        )
    texts = [(path, text) for path, _, text in _texts(pack)]
    for path, text in [("title", pack.title), ("disclaimer", pack.disclaimer), *texts]:
        if match := _CLAIM.search(text):
            message = f"{match[0]!r} claims what somebody was asked; say what it is practice for"
            yield pack.problem(path, message)


def _texts(pack: PackFile) -> Iterator[tuple[str, str, str]]:
    """(field, kind of its limit, text) of everything a reader meets."""
    yield "summary", "summary", pack.summary
    for key, note in pack.context_notes.items():
        yield f"context_notes.{key}", "context_notes", note
    for name, claims in (("tips", pack.tips), ("mistakes", pack.mistakes)):
        for index, claim in enumerate(claims):
            yield f"{name}[{index}].text", "claim", claim.text
    for index, part in enumerate(pack.rounds):
        yield f"rounds[{index}].what", "claim", part.what
    for index, source in enumerate(pack.reading):
        yield f"reading[{index}].note", "note", source.note


def _sources(pack: PackFile) -> Iterator[FileProblem]:
    claimed: dict[str, Sequence[ClaimFile | RoundFile]] = {
        "rounds": pack.rounds,
        "tips": pack.tips,
        "mistakes": pack.mistakes,
    }
    for name, claims in claimed.items():
        for index, claim in enumerate(claims):
            path = f"{name}[{index}]"
            if bool(claim.source) == claim.advice:
                both = "has a source and is marked as advice; keep one"
                yield pack.problem(path, both if claim.source else "give its source, or mark it advice: true")
            elif claim.source:
                yield from _address(pack, f"{path}.source", claim.source)
    if not pack.reading:
        yield pack.problem("reading", "is empty; name at least one primary source")
    for index, source in enumerate(pack.reading):
        yield from _address(pack, f"reading[{index}].url", source.url)


def _address(pack: PackFile, path: str, address: str) -> Iterator[FileProblem]:
    if not (HTTPS.match(address) or DOI.match(address)):
        yield pack.problem(path, f"{address!r} is neither an https address nor a doi; correct it")


def _dates(pack: PackFile, today: date) -> Iterator[FileProblem]:
    if pack.recheck_months > RECHECK_MONTHS:
        message = f"is {pack.recheck_months}; a pack must be rechecked within {RECHECK_MONTHS} months"
        yield pack.problem("recheck_months", message)
    if pack.reviewed > today:
        yield pack.problem("reviewed", f"{pack.reviewed} is in the future; write the day of the review")
    elif (due := add_months(pack.reviewed, pack.recheck_months)) < today:
        yield pack.problem("reviewed", f"the recheck was due on {due}; review the pack again")

"""Whether the bank is ready for its first milestone: each demand, what the bank has, and the tables behind.

Here: demands as lines, tables as text. Not here: what is wanted (`targets`, `checklist`), how it is counted
(`balance`), how well a question is written (`bank.lint`).
"""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prepapp.bank import balance, checklist, targets
from prepapp.bank.lint.bank_rules import PROMPT, WHOLE, Limits
from prepapp.bank.lint.resemblance import Pair, prompt_pairs, whole_pairs
from prepapp.bank.taxonomy import KINDS, LEVELS, TOPICS, TRACKS
from prepapp.bank.transfer.pack_file import PackFile
from prepapp.bank.transfer.question_file import QuestionFile

MILESTONE = "M1"
WIDTH = 110


@dataclass(frozen=True)
class Demand:
    """One line of the gate: what is asked, what the bank has, and whether that is enough."""

    name: str
    has: str
    wanted: str
    met: bool

    def __str__(self) -> str:
        return f"{'ok' if self.met else 'SHORT':5}  {self.name}: {self.has} ({self.wanted})"


def demands(questions: Sequence[QuestionFile]) -> list[Demand]:
    """Every demand of the first milestone that files alone can answer, in a fixed order."""
    return [
        *_checklist_demands(questions),
        *_count_demands(questions),
        *_level_demands(questions),
        *_kind_demands(questions),
        *_likeness_demands(questions),
    ]


def tables(questions: Sequence[QuestionFile], packs: Sequence[PackFile] = ()) -> Iterator[str]:
    """Counts by track and topic, levels by track, kinds by level, what is not covered, and sizes of packs: of
    those with a file by its rule, of others by what names them."""
    yield from _topic_table(questions)
    yield from _level_table(questions)
    yield from _kind_table(questions)
    open_cells = balance.uncovered(questions, checklist.CELLS)
    yield ""
    yield from _wrapped(f"S1 cells no question covers ({len(open_cells)}): ", open_cells)
    sizes = Counter(pack for question in questions for pack in question.packs)
    sizes.update({pack.id: len(pack.members(questions)) - sizes[pack.id] for pack in packs})
    yield from _wrapped("Packs: ", [f"{pack} {count}" for pack, count in sorted(sizes.items())])


def _checklist_demands(questions: Sequence[QuestionFile]) -> Iterator[Demand]:
    for name, items in (("S0 items", checklist.IDEAS), ("S4 items", checklist.ROLE_ITEMS)):
        missing = balance.uncovered(questions, items)
        has = f"{len(items) - len(missing)}" + (f", without {' '.join(missing)}" if missing else "")
        yield Demand(f"{name} covered", has, f"all {len(items)}", not missing)
    covered = len(checklist.CELLS) - len(balance.uncovered(questions, checklist.CELLS))
    yield _at_least("S1 cells covered", covered, checklist.CELLS_WANTED[MILESTONE])


def _count_demands(questions: Sequence[QuestionFile]) -> Iterator[Demand]:
    wanted = {track.code: targets.track_wanted(track.code, MILESTONE) for track in TRACKS}
    yield _at_least("questions", len(questions), sum(wanted.values()))
    for track, number in wanted.items():
        yield _at_least(f"questions in {track}", len(balance.of_track(questions, track)), number)
    counts = Counter(question.topic for question in questions)
    short = [
        f"{code} {counts[code]}/{target.wanted(MILESTONE)}"
        for code, target in targets.TOPIC_TARGETS.items()
        if counts[code] < target.wanted(MILESTONE)
    ]
    full = len(targets.TOPIC_TARGETS) - len(short)
    has = f"{full}" + (f", without {', '.join(short)}" if short else "")
    yield Demand("topics with their count", has, f"all {len(targets.TOPIC_TARGETS)}", not short)
    runnable = sum(
        question.code is not None and question.kind in targets.CODE_KINDS for question in questions
    )
    yield _at_least("coding or SQL questions with a check", runnable, targets.RUNNABLE_WANTED)


def _level_demands(questions: Sequence[QuestionFile]) -> Iterator[Demand]:
    scopes = {"the bank": balance.level_gaps(questions)}
    for track in TRACKS:
        scopes[track.code] = balance.level_gaps(balance.of_track(questions, track.code), track.code)
    off = [
        f"{scope} {gap.level} {gap.share:.1%} for {gap.wanted:.1%}"
        for scope, gaps in scopes.items()
        for gap in gaps
    ]
    wanted = f"within {targets.BANK_TOLERANCE} points in the bank, {targets.TRACK_TOLERANCE} in a track"
    yield Demand("levels in proportion", ", ".join(off) or "everywhere", wanted, not off)
    found = balance.association(questions)
    limit = targets.ASSOCIATION_LIMIT
    yield Demand("kind tells level, Cramér's V", f"{found:.2f}", f"at most {limit:.2f}", found <= limit)


def _kind_demands(questions: Sequence[QuestionFile]) -> Iterator[Demand]:
    tracks = {track.code: balance.of_track(questions, track.code) for track in TRACKS}
    topics = {code: [item for item in questions if item.topic == code] for code in targets.CODE_TOPICS}
    concept = {code: balance.kind_share(own, {"concept"}) for code, own in tracks.items()}
    most = max(concept, key=lambda code: concept[code])
    limit = targets.CONCEPT_LIMIT
    yield Demand(
        "concept questions in a track",
        f"{concept[most]:.0%} in {most}",
        f"at most {limit}%",
        concept[most] * 100 <= limit + balance.ROUNDING,
    )
    applied = {
        code: balance.kind_share(tracks[code], targets.APPLIED_KINDS) for code in targets.APPLIED_TRACKS
    }
    coded = {code: balance.kind_share(own, targets.CODE_KINDS) for code, own in topics.items()}
    yield _least("debugging, estimation or design", applied, targets.APPLIED_WANTED)
    yield _least("coding or SQL", coded, targets.CODE_WANTED)


def _likeness_demands(questions: Sequence[QuestionFile]) -> Iterator[Demand]:
    yield from _limited("prompt with answer", whole_pairs(questions), WHOLE)
    yield from _limited("prompt alone", prompt_pairs(questions), PROMPT)


def _limited(what: str, pairs: Sequence[Pair], limits: Limits) -> Iterator[Demand]:
    none = Pair("nothing", "nothing", 0.0, 0.0)
    nearest = max(pairs, key=lambda pair: pair.cosine, default=none)
    shared = max(pairs, key=lambda pair: pair.jaccard, default=none)
    for name, value, pair, limit in (
        ("cosine", nearest.cosine, nearest, limits.fail_cosine),
        ("shared word triples", shared.jaccard, shared, limits.fail_jaccard),
    ):
        has = f"{value:.2f} of {pair.left} and {pair.right}"
        yield Demand(f"most alike, {what}, {name}", has, f"below {limit:.2f}", value < limit)


def _at_least(name: str, has: int, wanted: int) -> Demand:
    return Demand(name, str(has), f"at least {wanted}", has >= wanted)


def _least(name: str, shares: dict[str, float], wanted: int) -> Demand:
    """The smallest of these shares is the one that decides."""
    least = min(shares, key=lambda code: shares[code])
    met = shares[least] * 100 >= wanted - balance.ROUNDING
    where = f"{name} in each of {', '.join(shares)}"
    return Demand(where, f"{shares[least]:.0%} in {least}", f"at least {wanted}%", met)


def _topic_table(questions: Sequence[QuestionFile]) -> Iterator[str]:
    counts = Counter(question.topic for question in questions)
    yield f"Questions by track and topic, has/{MILESTONE}"
    for track in TRACKS:
        own = len(balance.of_track(questions, track.code))
        topics = [
            f"{topic.code} {counts[topic.code]}/{targets.TOPIC_TARGETS[topic.code].wanted(MILESTONE)}"
            for topic in TOPICS
            if topic.home == track.code
        ]
        yield from _wrapped(
            f"  {track.code:4}{own:4}/{targets.track_wanted(track.code, MILESTONE)}: ", topics
        )


def _level_table(questions: Sequence[QuestionFile]) -> Iterator[str]:
    yield ""
    yield "Levels, percent has/target" + "".join(f"{level:>16}" for level in LEVELS)
    scopes = {"bank": list(questions)}
    scopes |= {track.code: balance.of_track(questions, track.code) for track in TRACKS}
    for scope, own in scopes.items():
        wanted = targets.level_targets("" if scope == "bank" else scope)
        cells = [
            f"{share * 100:.1f}/{wanted[level] * 100:.1f}"
            for level, share in balance.level_shares(own).items()
        ]
        yield f"  {scope:4}{len(own):5}               " + "".join(f"{cell:>16}" for cell in cells)


def _kind_table(questions: Sequence[QuestionFile]) -> Iterator[str]:
    yield ""
    yield f"{'Kinds by level':26}" + "".join(f"{level:>16}" for level in LEVELS)
    counts = Counter((question.kind, question.level) for question in questions)
    for kind in KINDS:
        cells = [counts[kind, level] for level in LEVELS]
        yield f"  {kind:16}{sum(cells):4}    " + "".join(f"{cell:>16}" for cell in cells)


def _wrapped(head: str, entries: Sequence[str]) -> list[str]:
    """Lines that never part the words of one entry."""
    joined = ", ".join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)
    lines = textwrap.wrap(head + joined, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]

"""Questions that nearly ask the same as a document: one text against the whole bank and all other drafts.

The measures and limits are those of lint rule L8 (`lint.similarity`, `lint.bank_rules`), but for one thing:
how rare a word is follows from the bank without the text that is asked about. A bank of thousands is not read
for each save: what its texts come to is kept per process and made anew when a version or a draft was added,
changed or taken away; then only what is new is counted. Nothing here writes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from django.db.models import Count, Max, Q, Sum

from prepapp.bank.lint.bank_rules import PROMPT, WHOLE
from prepapp.bank.lint.corpus import Corpus, CountedText, counted
from prepapp.bank.lint.finding import FAIL, WARN
from prepapp.bank.models import Draft, FollowUp, Question, QuestionVersion
from prepapp.bank.transfer.document import Document

SHOWN = 5
# Above so many ids a list of them is no condition any more: everything is read.
_MANY = 500

WHOLE_TEXT, PROMPT_TEXT = "prompt and answer", "prompt"


@dataclass(frozen=True)
class Alike:
    """A question that is like the document: `severity` F or W; `part` says what of the two is alike, the
    prompts alone or with their answers. Cosine and shared word triples from 0 to 1."""

    question_id: int
    title: str
    is_draft: bool
    severity: str
    part: str
    cosine: float
    jaccard: float
    prompt: str
    answer: str


@dataclass(frozen=True)
class _Entry:
    """One question, published or a draft, and its texts: the whole first, then each prompt."""

    key: tuple[str, int, int]
    question_id: int
    title: str
    prompt: str
    answer: str
    whole: CountedText
    prompts: tuple[CountedText, ...]


@dataclass(frozen=True)
class _Bank:
    """What is kept per process. Never changed, only replaced: threads share it."""

    state: tuple[Any, ...]
    entries: Mapping[tuple[str, int, int], _Entry]
    by_owner: Sequence[_Entry]
    whole: Corpus
    prompts: Corpus


_NOTHING = _Bank((), {}, (), Corpus((), ()), Corpus((), ()))
_kept = [_NOTHING]
_reading = Lock()


def forget_texts() -> None:
    """Lets go of what is kept, for a database whose rows were taken back."""
    _kept[0] = _NOTHING


def find_alike(document: Document, question_id: int | None) -> list[Alike]:
    """The questions most alike, those that fail the limits first; at most `SHOWN`. The question itself is
    left out, published or draft. Two queries, and those that read what is new."""
    whole, prompts = _texts_of(document)
    if not len(whole.grams):
        return []
    bank = _current_bank()
    near = [
        (*found, part, limits)
        for corpus, texts, part, limits in (
            (bank.whole, [whole], WHOLE_TEXT, WHOLE),
            (bank.prompts, prompts, PROMPT_TEXT, PROMPT),
        )
        for text in texts
        for found in corpus.near(text, cosine=limits.warn_cosine, jaccard=limits.warn_jaccard)
    ]
    best: dict[int, Alike] = {}
    for owner, cosine, jaccard, part, limits in near:
        entry = bank.by_owner[owner]
        if entry.question_id == question_id:
            continue
        fails = cosine >= limits.fail_cosine or jaccard >= limits.fail_jaccard
        alike = Alike(
            entry.question_id,
            entry.title,
            entry.key[0] == "draft",
            FAIL if fails else WARN,
            part,
            round(cosine, 2),
            round(jaccard, 2),
            entry.prompt,
            entry.answer,
        )
        other = best.get(entry.question_id)
        best[entry.question_id] = alike if other is None else min(other, alike, key=_rank)
    return sorted(best.values(), key=_rank)[:SHOWN]


def _rank(alike: Alike) -> tuple[Any, ...]:
    return alike.severity != FAIL, -max(alike.cosine, alike.jaccard), alike.question_id


def _current_bank() -> _Bank:
    """The bank as it is now; read anew where something changed since the last look."""
    published = Question.objects.published().aggregate(
        n=Count("pk"), last=Max("current_version"), sum=Sum("current_version")
    )
    drafts = Draft.objects.aggregate(n=Count("pk"), sum=Sum("revision"), last=Max("edited_at"), ids=Sum("pk"))
    state = (*published.values(), *drafts.values())
    with _reading:
        if _kept[0].state != state:
            _kept[0] = _read(_kept[0].entries, state)
        return _kept[0]


def _read(before: Mapping[tuple[str, int, int], _Entry], state: tuple[Any, ...]) -> _Bank:
    """Counts the texts that are new, and lays all of them out."""
    versions = Question.objects.published().values_list("current_version", flat=True)
    keys = [("version", version, 1) for version in versions if version]
    keys += [("draft", pk, revision) for pk, revision in Draft.objects.values_list("pk", "revision")]
    missing = {key for key in keys if key not in before}
    made = [
        *_versions([pk for kind, pk, _ in missing if kind == "version"]),
        *_drafts([pk for kind, pk, _ in missing if kind == "draft"]),
    ]
    entries = {key: before[key] for key in keys if key in before} | {entry.key: entry for entry in made}
    by_owner = list(entries.values())
    prompts = [(place, text) for place, entry in enumerate(by_owner) for text in entry.prompts]
    return _Bank(
        state,
        entries,
        by_owner,
        Corpus([entry.whole for entry in by_owner], range(len(by_owner))),
        Corpus([text for _, text in prompts], [place for place, _ in prompts]),
    )


def _versions(ids: Sequence[int]) -> Iterator[_Entry]:
    follow_ups: dict[int, list[str]] = {}
    found = Q(version__in=ids) if len(ids) < _MANY else Q()
    for version, prompt in FollowUp.objects.filter(found).values_list("version", "prompt"):
        follow_ups.setdefault(version, []).append(prompt)
    wanted = (
        Q(pk__in=ids)
        if len(ids) < _MANY
        else Q(pk__in=Question.objects.published().values("current_version"))
    )
    rows = QuestionVersion.objects.filter(wanted).values_list(
        "pk", "question", "title", "prompt", "model_answer"
    )
    for pk, question, title, prompt, answer in rows:
        yield _entry(("version", pk, 1), question, title, prompt, answer, follow_ups.get(pk, []))


def _drafts(ids: Sequence[int]) -> Iterator[_Entry]:
    wanted = Q(pk__in=ids) if len(ids) < _MANY else Q()
    for draft in Draft.objects.filter(wanted).only("question", "revision", "title", "document"):
        prompt, answer, prompts = _parts(draft.document)
        yield _entry(
            ("draft", draft.pk, draft.revision), draft.question_id, draft.title, prompt, answer, prompts
        )


def _entry(
    key: tuple[str, int, int], question_id: int, title: str, prompt: str, answer: str, more: Iterable[str]
) -> _Entry:
    return _Entry(
        key,
        question_id,
        title,
        prompt,
        answer,
        counted(f"{prompt} {answer}"),
        tuple(counted(text) for text in (prompt, *more)),
    )


def _texts_of(document: Document) -> tuple[CountedText, list[CountedText]]:
    prompt, answer, more = _parts(document)
    return counted(f"{prompt} {answer}"), [counted(text) for text in (prompt, *more) if text]


def _parts(document: Document) -> tuple[str, str, list[str]]:
    """(prompt, model answer, prompts of follow-ups) of a document that may lack any."""
    follow_ups = document.get("followups")
    parts = [part for part in follow_ups if isinstance(part, dict)] if isinstance(follow_ups, list) else []
    return (
        str(document.get("prompt") or ""),
        str(document.get("model_answer") or ""),
        [str(part.get("prompt") or "") for part in parts],
    )

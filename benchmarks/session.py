"""What a learner does, step by step, over HTTP: start, room, autosave, submit, grading, result, history.

All learners take one step at a time together, so that what the servers used in between belongs to that
step. Each step names what it is compared with: a page with the anchor's page, a save with its save.
"""

import random
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from django.urls import NoReverseMatch, reverse

from benchmarks.client import Browser, Form, Reply, Unexpected
from benchmarks.machine import used_between
from benchmarks.stage import Server
from benchmarks.words import answer, growing

PAGE, SAVE = "page", "save"
BLUEPRINT = "screen"
QUESTIONS = 3
LESSON = "Say the number first, then where it comes from."
# By the name of the step: what somebody with a past looks at.
OVERVIEWS = {"history": "interviews:history", "dashboard": "interviews:front"}

_SQUARE = re.compile(r'name="go" value="(\d+)"')


@dataclass
class Learner:
    """One person at a browser, and how far they have come. `page` is what is on screen."""

    browser: Browser
    track: str
    level: str
    chance: random.Random
    page: Reply | None = None
    save_url: str = ""
    revision: int = 0
    drafts: list[str] = field(default_factory=list)
    text: str = ""
    marks: list[Form] = field(default_factory=list)

    @property
    def shown(self) -> Reply:
        assert self.page is not None, "nothing is on screen yet"
        return self.page

    def form(self, name: str) -> Form:
        """The form on screen that has a field or button of this name."""
        found = _form_with(self.shown, name)
        if found is None:
            raise Unexpected(f"{self.shown.path}: no form with {name!r}")
        return found


@dataclass
class Step:
    """The figures of one step, over all learners and rounds."""

    name: str
    kind: str
    seconds: list[float] = field(default_factory=list)
    body_bytes: list[int] = field(default_factory=list)
    wire_bytes: list[int] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    cpu_ns: int = 0
    phases: list[float] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.seconds)

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds per request, of all counted processes."""
        return self.cpu_ns / self.count / 1e6

    @property
    def cpu_error_ms(self) -> float | None:
        """Standard error of the mean over the phases, where there are enough to tell."""
        if len(self.phases) < 3:
            return None
        return float(statistics.stdev(self.phases) / len(self.phases) ** 0.5)

    def add(self, replies: Sequence[Reply], cpu_ns: int) -> None:
        self.seconds += [reply.seconds for reply in replies]
        self.body_bytes += [reply.body_bytes for reply in replies]
        self.wire_bytes += [reply.wire_bytes for reply in replies]
        self.queries += [reply.queries for reply in replies if reply.queries is not None]
        self.cpu_ns += cpu_ns
        self.phases.append(cpu_ns / len(replies) / 1e6)


class Run:
    """Takes steps with several learners at once and keeps the figures."""

    def __init__(self, server: Server, learners: int) -> None:
        self.server = server
        self.steps: dict[str, Step] = {}
        self.missing: list[str] = []
        self._pool = ThreadPoolExecutor(max_workers=learners)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def step(
        self,
        name: str,
        kind: str,
        ask: Callable[[Learner], Reply],
        learners: Collection[Learner],
        status: int = 200,
        *,
        is_shown: bool = True,
    ) -> None:
        """All learners ask at once; ends when the last reply is read. Unexpected if a status differs.
        `is_shown`: the reply replaces what is on screen."""
        if not learners:
            return
        before = self.server.read_cpu()
        replies = list(self._pool.map(ask, learners))
        used = used_between(before, self.server.read_cpu())
        for learner, reply in zip(learners, replies, strict=True):
            if reply.status != status:
                raise Unexpected(f"{name}: {reply.path} answered {reply.status}, not {status}")
            if is_shown:
                learner.page = reply
        self.steps.setdefault(name, Step(name, kind)).add(replies, used)

    def mark_missing(self, name: str) -> None:
        if name not in self.missing:
            self.missing.append(name)


def path_of(name: str, *arguments: object) -> str | None:
    """The address of a view of the product, None where it has no such view."""
    try:
        return reverse(name, args=arguments)
    except NoReverseMatch:
        return None


def sit(run: Run, learners: Sequence[Learner], words: Sequence[str]) -> None:
    """One whole session of every learner, after sign-in."""
    run.step("front page", PAGE, lambda one: one.browser.get("/"), learners)
    run.step("start page", PAGE, _open_start, learners)
    run.step("start", SAVE, _press_start, learners, 302)
    run.step("room, first view", PAGE, _follow, learners)
    for number in range(1, QUESTIONS + 1):
        _type(run, learners, words)
        run.step("clock", PAGE, _ask_clock, learners, is_shown=False)
        if number < QUESTIONS:
            run.step("room, later view", PAGE, lambda one: _go(one, "next"), learners)
    run.step("room, to the last look", SAVE, lambda one: _go(one, "finish"), learners, 204)
    run.step("last look before submit", PAGE, _follow, learners)
    run.step("submit", SAVE, _press_finish, learners, 302)
    _grade(run, learners)
    for name, view in OVERVIEWS.items():
        path = path_of(view)
        if path is None:
            run.mark_missing(f"{name}, 20 attempts")
        else:
            run.step(f"{name}, 20 attempts", PAGE, lambda one, path=path: one.browser.get(path), learners)


def visit_room(run: Run, one: Learner, words: Sequence[str]) -> tuple[Reply, Reply]:
    """The room as a page and as the part that comes with the next question; the interview is handed in."""
    run.step("start page", PAGE, _open_start, [one])
    run.step("start", SAVE, _press_start, [one], 302)
    run.step("room, first view", PAGE, _follow, [one])
    first = one.shown
    _type(run, [one], words)
    run.step("room, later view", PAGE, lambda one: _go(one, "next"), [one])
    later = one.shown
    run.step("room, to the last look", SAVE, lambda one: _go(one, "finish"), [one], 204)
    run.step("last look before submit", PAGE, _follow, [one])
    run.step("submit", SAVE, _press_finish, [one], 302)
    return first, later


def start_ten_questions(one: Learner) -> Reply:
    """Starts an interview of ten questions, whose statements are to be compared with a start of three."""
    path = path_of("interviews:custom")
    assert path
    one.page = one.browser.get(f"{path}?track={one.track}&level={one.level}")
    form = one.form("start_key")
    fields = form.filled(track=one.track, level=one.level, mode="mock", count=10, minutes=120)
    fields.pop("topics", None)
    return one.browser.post(form.action or path, fields)


def _form_with(page: Reply, name: str) -> Form | None:
    for form in page.forms():
        if name in form.fields or any(button == name for button, _ in form.buttons):
            return form
    return None


def _open_start(one: Learner) -> Reply:
    return one.browser.get(f"{path_of('interviews:start')}?track={one.track}&level={one.level}&mode=mock")


def _press_start(one: Learner) -> Reply:
    for form in one.shown.forms():
        if form.fields.get("blueprint") == BLUEPRINT:
            return one.browser.post(form.action, form.filled())
    raise Unexpected(f"{one.shown.path}: {BLUEPRINT} is not offered")


def _follow(one: Learner) -> Reply:
    page = one.browser.get(one.shown.location)
    _enter(one, page)
    return page


def _enter(one: Learner, page: Reply) -> None:
    """Remembers what the script of the room would: where to save, and from which revision."""
    form = _form_with(page, "revision")
    if form:
        one.revision = int(form.fields["revision"])
        one.save_url = form.action.removesuffix("go") + "save"


def _type(run: Run, learners: Sequence[Learner], words: Sequence[str]) -> None:
    for one in learners:
        one.drafts = growing(answer(words, one.chance))
    while learners[0].drafts:
        run.step("autosave", SAVE, _save, learners, is_shown=False)


def _save(one: Learner) -> Reply:
    one.text = one.drafts.pop(0)
    reply = one.browser.post(one.save_url, {"text": one.text, "revision": one.revision, "spent": 8})
    if reply.status == 200:
        one.revision = int(str(reply.json()["revision"]))
    return reply


def _ask_clock(one: Learner) -> Reply:
    return one.browser.get(f"{one.save_url.partition('q/')[0]}clock", Accept="application/json")


def _go(one: Learner, wish: str) -> Reply:
    squares = [int(found) for found in _SQUARE.findall(one.shown.text)]
    if len(squares) != QUESTIONS:
        raise Unexpected(f"{one.shown.path}: {len(squares)} questions on the map, not {QUESTIONS}")
    fields = {"text": one.text, "revision": one.revision, "spent": 4, "go": wish, "unchanged": "1"}
    reply = one.browser.post(one.save_url.removesuffix("save") + "go", fields, htmx=True)
    if reply.status == 200:
        _enter(one, reply)
    return reply


def _press_finish(one: Learner) -> Reply:
    for form in one.shown.forms():
        if form.action.endswith("finish/"):
            return one.browser.post(form.action, form.filled())
    raise Unexpected(f"{one.shown.path}: nothing to submit with")


def _grade(run: Run, learners: Sequence[Learner]) -> None:
    """Every answer: confidence, each point, the revealed answer, a lesson; the result ends it."""
    left = _follow_all(run, learners)
    while left:
        run.step("confidence", SAVE, _say_confidence, left)
        run.step("grading page, rubric open", PAGE, _reload_grading, left)
        for one in left:
            one.marks = [form for form in one.shown.forms() if "point" in form.fields]
            if not one.marks:
                raise Unexpected(f"{one.shown.path}: no points to mark")
        while marking := [one for one in left if len(one.marks) > 1]:
            run.step("mark", SAVE, _give_mark, marking, is_shown=False)
        run.step("last mark, reveals the answer", SAVE, _give_mark, left)
        run.step("lesson, then onwards", SAVE, _give_lesson, left, 302)
        left = _follow_all(run, left)


def _follow_all(run: Run, learners: Sequence[Learner]) -> list[Learner]:
    """Follows redirects until everybody has a page; returns who has another answer to grade."""
    grading = []
    moving = list(learners)
    while moving:
        targets: dict[tuple[str, int], list[Learner]] = defaultdict(list)
        for one in moving:
            targets[_name_of(one.shown.location)].append(one)
        moving = []
        for (name, status), group in targets.items():
            run.step(name, PAGE, _follow, group, status)
            if name == "redirect":
                moving += group
            elif name != "result":
                grading += group
    return grading


def _name_of(path: str) -> tuple[str, int]:
    if re.search(r"/grade/\d+/$", path):
        return "grading page, closed", 200
    if path.endswith("/result/"):
        return "result", 200
    return "redirect", 302


def _grading_path(one: Learner) -> str:
    found = re.match(r".*/grade/\d+/", one.shown.path)
    assert found, one.shown.path
    return found[0]


def _say_confidence(one: Learner) -> Reply:
    form = one.form("confidence")
    return one.browser.post(form.action, {"confidence": one.chance.choice(form.buttons)[1]}, htmx=True)


def _reload_grading(one: Learner) -> Reply:
    return one.browser.get(_grading_path(one))


def _give_mark(one: Learner) -> Reply:
    form = one.marks.pop(0)
    return one.browser.post(form.action, form.filled(value=one.chance.randrange(3)), htmx=True)


def _give_lesson(one: Learner) -> Reply:
    form = one.form("fix_next")
    wish = next(value for name, value in form.buttons if name == "go" and value != "stay")
    return one.browser.post(form.action, form.filled(fix_next=LESSON, go=wish))

"""The goals of the product for cost, and whether a run met them. Said, never enforced: a run on a busy
machine may miss what a quiet one meets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.client import Reply
from benchmarks.session import PAGE, SAVE, Step

GOAL_LEARNERS = 10

# What other programs needed for one of each, as multiples of the anchor, measured once on two cores.
PEERS: dict[str, dict[str, float]] = {
    "Moodle": {"start": 16, "page": 34, "save": 9.5, "submit": 18, "review": 25, "history": 27},
    "RELATE": {"start": 10, "page": 20, "save": 16, "submit": 60, "review": 17, "history": 39},
}
PEERS_SESSION = {"start": 1, "page": 3, "save": 18, "submit": 1, "review": 1, "history": 1}
OUR_NAMES = {
    "start": "start",
    "page": "room, later view",
    "save": "autosave",
    "submit": "submit",
    "review": "result",
    "history": "history, 20 attempts",
}


@dataclass(frozen=True)
class Anchor:
    """CPU milliseconds per request of the anchor's page and save; `drift` between before and after."""

    page_ms: float
    save_ms: float
    drift: float

    @classmethod
    def of(cls, before: Mapping[str, Step], after: Mapping[str, Step]) -> "Anchor":
        pairs = [(before[kind].cpu_ms, after[kind].cpu_ms) for kind in (PAGE, SAVE)]
        page, save = (sum(pair) / 2 for pair in pairs)
        return cls(page, save, max(max(pair) / min(pair) - 1 for pair in pairs))

    def ratio(self, step: Step) -> float:
        return step.cpu_ms / (self.page_ms if step.kind == PAGE else self.save_ms)


@dataclass(frozen=True)
class Once:
    """What is measured once in a run, by one learner. `grown`: of history and dashboard, with 20 attempts and
    with 2,000."""

    first_view: Sequence[Reply]
    later_view: Sequence[Reply]
    grown: Mapping[str, tuple[Step | None, Step | None]]


@dataclass(frozen=True)
class Goal:
    """`code`, what is looked at, the limit, how the value is shown."""

    code: str
    subject: str
    value: float | None
    limit: float
    unit: str

    def line(self) -> str:
        limit = f"at most {self.limit:,g}{self.unit}"
        if self.value is None:
            return f"  {self.code}  {self.subject:<46}{limit:>22}  not measured"
        shown = f"{self.value:,.2f}" if self.unit == "x" else f"{self.value:,.0f}"
        verdict = "met" if self.value <= self.limit else "MISSED"
        return f"  {self.code}  {self.subject:<46}{limit:>22}  {shown + self.unit:>12}  {verdict}"


def goals(steps: Mapping[str, Step], anchor: Anchor, counted: Mapping[str, Step], once: Once) -> list[Goal]:
    def cost(code: str, name: str, limit: float) -> Goal:
        step = steps.get(name)
        kind = step.kind if step else PAGE
        return Goal(code, f"{name}: CPU to bare {kind}", anchor.ratio(step) if step else None, limit, "x")

    def statements(code: str, name: str, limit: float) -> Goal:
        step = counted.get(name)
        return Goal(code, f"{name}: statements", max(step.queries) if step else None, limit, "")

    def sent(code: str, name: str, limit: float) -> Goal:
        step = steps.get(name)
        return Goal(code, f"{name}: bytes back", max(step.wire_bytes) if step else None, limit, " B")

    def growth(name: str) -> list[Goal]:
        """Of 2,000 attempts beside 20."""
        few, many = once.grown.get(name, (None, None))
        cpu = many.cpu_ms / few.cpu_ms if many and few else None
        twenty, thousands = (counted.get(f"{name}, {count} attempts") for count in ("20", "2,000"))
        statements = max(thousands.queries) - max(twenty.queries) if twenty and thousands else None
        return [
            Goal("B5", f"{name}, 2,000 attempts: CPU to 20", cpu, 1.3, "x"),
            Goal("B5", f"{name}, 2,000 attempts: statements more", statements, 0, ""),
        ]

    start, ten = counted.get("start"), counted.get("start, ten questions")
    more = max(ten.queries) - max(start.queries) if start and ten else None
    first = sum(reply.wire_bytes for reply in once.first_view)
    return [
        cost("B1", "autosave", 2.0),
        statements("B1", "autosave", 3),
        sent("B1", "autosave", 400),
        cost("B2", "room, first view", 4.0),
        statements("B2", "room, first view", 6),
        Goal("B2", "room, first view with its files: bytes", first, 40_000, " B"),
        Goal("B2", "room, first view with its files: requests", len(once.first_view), 8, ""),
        cost("B2", "room, later view", 4.0),
        statements("B2", "room, later view", 6),
        sent("B2", "room, later view", 4_000),
        Goal("B2", "room, later view: requests", len(once.later_view), 1, ""),
        cost("B3", "start", 3.0),
        Goal("B3", "start: statements more for ten questions", more, 0, ""),
        cost("B3", "submit", 2.5),
        cost("B4", "grading page, rubric open", 4.0),
        cost("B4", "mark", 2.0),
        cost("B5", "history, 20 attempts", 3.0),
        cost("B5", "dashboard, 20 attempts", 3.0),
        *growth("history"),
        *growth("dashboard"),
    ]


def less_than_peers(steps: Mapping[str, Step], anchor: Anchor) -> dict[str, float] | None:
    """How many times less CPU one session costs than with each peer (B6): one start, three later pages,
    18 saves, one submit, one review, one history, each in multiples of the anchor. None while a step is
    not there to be measured."""
    if not all(name in steps for name in OUR_NAMES.values()):
        return None
    ours = sum(anchor.ratio(steps[OUR_NAMES[action]]) * count for action, count in PEERS_SESSION.items())
    return {
        peer: sum(costs[action] * count for action, count in PEERS_SESSION.items()) / ours
        for peer, costs in PEERS.items()
    }

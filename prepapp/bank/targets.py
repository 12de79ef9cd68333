"""What the bank is built towards: how many questions of which level a topic is to have, as plain data.

Here: targets of topics by milestone, and the limits on levels and kinds that follow from them. Not here:
what the bank holds (`balance`), the checklist of subjects (`checklist`).
"""

from dataclasses import dataclass

from prepapp.bank.taxonomy import LEVELS

MILESTONES = ("M1", "M2", "M3")


@dataclass(frozen=True)
class TopicTarget:
    """Questions wanted at the last milestone, one number a level, and in all at the two before it."""

    levels: tuple[int, int, int, int]
    m2: int
    m1: int

    def wanted(self, milestone: str) -> int:
        """Questions wanted in all. Raises KeyError for an unknown milestone."""
        return {"M1": self.m1, "M2": self.m2, "M3": sum(self.levels)}[milestone]


TOPIC_TARGETS = {
    "mle.framing": TopicTarget((2, 3, 2, 1), 4, 2),
    "mle.labels": TopicTarget((2, 4, 3, 1), 5, 2),
    "mle.features": TopicTarget((2, 5, 3, 2), 6, 3),
    "mle.models": TopicTarget((3, 5, 4, 2), 7, 3),
    "mle.deep": TopicTarget((3, 6, 4, 3), 8, 4),
    "mle.optim": TopicTarget((3, 4, 3, 2), 6, 3),
    "mle.distrib": TopicTarget((3, 5, 4, 2), 7, 3),
    "mle.tuning": TopicTarget((2, 3, 2, 1), 4, 2),
    "mle.eval": TopicTarget((3, 4, 3, 2), 6, 3),
    "mle.rank": TopicTarget((2, 3, 2, 1), 4, 2),
    "mle.vision": TopicTarget((2, 3, 2, 1), 4, 2),
    "mle.series": TopicTarget((2, 3, 2, 1), 4, 2),
    "mle.rl": TopicTarget((1, 2, 2, 1), 3, 2),
    "mle.mlops": TopicTarget((2, 4, 3, 1), 5, 2),
    "mle.monitor": TopicTarget((2, 3, 2, 1), 4, 2),
    "mle.edge": TopicTarget((1, 2, 2, 1), 3, 1),
    "gpu.exec": TopicTarget((3, 5, 4, 2), 8, 4),
    "gpu.memory": TopicTarget((2, 6, 5, 3), 9, 4),
    "gpu.occupancy": TopicTarget((2, 3, 3, 2), 5, 3),
    "gpu.tensor": TopicTarget((2, 4, 4, 2), 6, 3),
    "gpu.roofline": TopicTarget((2, 6, 5, 3), 9, 4),
    "gpu.kernels": TopicTarget((3, 6, 4, 3), 9, 4),
    "gpu.numerics": TopicTarget((3, 5, 4, 2), 8, 4),
    "gpu.comm": TopicTarget((2, 4, 4, 2), 6, 3),
    "gpu.serving": TopicTarget((2, 4, 4, 2), 6, 3),
    "gpu.datapath": TopicTarget((2, 3, 2, 1), 4, 2),
    "llm.arch": TopicTarget((3, 6, 5, 2), 8, 3),
    "llm.pretrain": TopicTarget((2, 4, 3, 1), 5, 2),
    "llm.tune": TopicTarget((3, 6, 5, 2), 8, 3),
    "llm.infer": TopicTarget((3, 7, 5, 3), 8, 4),
    "llm.capacity": TopicTarget((3, 4, 3, 2), 6, 3),
    "llm.rag": TopicTarget((3, 7, 5, 3), 8, 4),
    "llm.agents": TopicTarget((2, 4, 4, 2), 6, 3),
    "llm.evals": TopicTarget((2, 4, 4, 2), 6, 3),
    "llm.guard": TopicTarget((1, 2, 2, 1), 3, 1),
    "ds.prob": TopicTarget((3, 5, 4, 2), 6, 2),
    "ds.infer": TopicTarget((4, 6, 4, 2), 7, 2),
    "ds.abtest": TopicTarget((4, 8, 5, 3), 9, 3),
    "ds.causal": TopicTarget((3, 5, 3, 1), 5, 2),
    "ds.metrics": TopicTarget((3, 5, 4, 2), 6, 2),
    "ds.wrangle": TopicTarget((3, 5, 4, 2), 6, 2),
    "ds.memo": TopicTarget((2, 4, 3, 1), 5, 1),
    "swe.arrays": TopicTarget((4, 7, 5, 2), 8, 2),
    "swe.trees": TopicTarget((4, 7, 5, 2), 8, 2),
    "swe.dp": TopicTarget((3, 5, 4, 2), 6, 2),
    "swe.python": TopicTarget((5, 7, 4, 2), 8, 2),
    "swe.cpp": TopicTarget((4, 6, 3, 1), 6, 2),
    "swe.concur": TopicTarget((4, 6, 3, 1), 6, 2),
    "swe.design": TopicTarget((3, 5, 3, 1), 5, 2),
    "swe.debug": TopicTarget((4, 6, 3, 1), 6, 2),
    "swe.mlcode": TopicTarget((2, 3, 2, 1), 3, 2),
    "sys.method": TopicTarget((1, 2, 3, 2), 4, 1),
    "sys.store": TopicTarget((1, 3, 5, 3), 6, 2),
    "sys.async": TopicTarget((1, 2, 3, 2), 4, 1),
    "sys.scale": TopicTarget((0, 3, 4, 3), 5, 2),
    "sys.mlplat": TopicTarget((1, 3, 5, 3), 5, 2),
    "sys.llmserve": TopicTarget((1, 3, 4, 2), 5, 2),
    "sys.product": TopicTarget((1, 3, 4, 2), 5, 2),
    "sre.linux": TopicTarget((3, 6, 5, 2), 7, 2),
    "sre.net": TopicTarget((2, 5, 3, 2), 5, 2),
    "sre.k8s": TopicTarget((4, 8, 5, 3), 9, 3),
    "sre.cicd": TopicTarget((3, 4, 3, 2), 5, 2),
    "sre.iac": TopicTarget((2, 4, 3, 1), 5, 1),
    "sre.observ": TopicTarget((3, 4, 3, 2), 5, 2),
    "sre.slo": TopicTarget((4, 6, 4, 2), 7, 2),
    "sre.capacity": TopicTarget((3, 4, 3, 2), 5, 2),
    "dbe.sql": TopicTarget((3, 5, 4, 2), 6, 2),
    "dbe.schema": TopicTarget((2, 3, 3, 2), 4, 1),
    "dbe.plans": TopicTarget((4, 6, 4, 2), 7, 2),
    "dbe.txn": TopicTarget((3, 5, 4, 2), 6, 2),
    "dbe.ha": TopicTarget((2, 4, 2, 2), 4, 1),
    "dbe.shard": TopicTarget((2, 3, 2, 1), 4, 1),
    "dbe.nosql": TopicTarget((2, 3, 2, 1), 3, 1),
    "de.model": TopicTarget((2, 5, 3, 2), 5, 1),
    "de.batch": TopicTarget((3, 5, 4, 2), 6, 2),
    "de.stream": TopicTarget((3, 5, 4, 2), 6, 2),
    "de.orch": TopicTarget((3, 5, 4, 2), 5, 1),
    "de.format": TopicTarget((2, 3, 2, 1), 3, 1),
    "de.cdc": TopicTarget((2, 3, 2, 1), 3, 1),
    "beh.own": TopicTarget((2, 3, 3, 2), 4, 3),
    "beh.conflict": TopicTarget((2, 3, 3, 2), 4, 2),
    "beh.fail": TopicTarget((2, 3, 3, 2), 4, 2),
    "beh.ambig": TopicTarget((3, 4, 2, 1), 4, 2),
    "beh.explain": TopicTarget((3, 4, 2, 1), 4, 2),
    "beh.deliver": TopicTarget((2, 3, 2, 1), 4, 2),
    "beh.influence": TopicTarget((2, 3, 2, 1), 4, 2),
    "beh.project": TopicTarget((4, 5, 3, 2), 6, 3),
    "rai.fair": TopicTarget((2, 3, 3, 2), 3, 2),
    "rai.interp": TopicTarget((2, 4, 3, 1), 3, 1),
    "rai.privacy": TopicTarget((3, 4, 3, 2), 3, 1),
    "rai.appsec": TopicTarget((2, 4, 3, 1), 3, 1),
    "rai.mlsec": TopicTarget((1, 3, 2, 2), 2, 1),
}

# Points by which the share of a level may miss its target: in the whole bank, in one track.
BANK_TOLERANCE = 5
TRACK_TOLERANCE = 8
# Above this the kind of a question tells its level.
ASSOCIATION_LIMIT = 0.40

# Percent of a track at most, at least; and of a topic at least.
CONCEPT_LIMIT = 40
APPLIED_KINDS = ("debugging", "estimation", "design")
APPLIED_TRACKS = ("mle", "gpu", "llm", "sre", "dbe", "de")
APPLIED_WANTED = 40
CODE_KINDS = ("coding", "sql")
CODE_TOPICS = ("swe.arrays", "swe.trees", "swe.dp", "dbe.sql", "ds.wrangle")
CODE_WANTED = 80
RUNNABLE_WANTED = 20


def track_wanted(track: str, milestone: str) -> int:
    """Questions wanted of the topics at home in the track."""
    return sum(target.wanted(milestone) for code, target in TOPIC_TARGETS.items() if _home(code) == track)


def level_targets(track: str = "") -> dict[str, float]:
    """The share of each level, from 0 to 1, in a track or in the whole bank."""
    targets = [target for code, target in TOPIC_TARGETS.items() if not track or _home(code) == track]
    total = sum(sum(target.levels) for target in targets)
    return {
        level: sum(target.levels[index] for target in targets) / total for index, level in enumerate(LEVELS)
    }


def _home(topic: str) -> str:
    return topic.partition(".")[0]

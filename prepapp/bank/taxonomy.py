"""What the bank is about: kinds, levels, tracks and topics, as plain data.

Here: codes, titles, spans and the weight of a topic in each track. Not here: how many questions
a topic should have, models, or anything that reads files.
"""

from dataclasses import dataclass

LEVELS = ("foundation", "intermediate", "advanced", "senior")
KINDS = ("concept", "estimation", "debugging", "design", "coding", "sql", "behavioural")


@dataclass(frozen=True)
class TrackEntry:
    """A role being prepared for."""

    code: str
    title: str


@dataclass(frozen=True)
class TopicEntry:
    """A body of knowledge. `code` is `<home track>.<name>`."""

    code: str
    title: str
    span: str

    @property
    def home(self) -> str:
        """Code of the track the topic belongs to."""
        return self.code.partition(".")[0]

    @property
    def tracks(self) -> tuple[tuple[str, float], ...]:
        """(track code, weight) pairs; the home track comes first with weight 1.0."""
        shared = ((track, topics[self.code]) for track, topics in SHARED.items() if self.code in topics)
        return ((self.home, 1.0), *shared)


TRACKS = (
    TrackEntry("mle", "Machine learning engineering"),
    TrackEntry("gpu", "GPU and inference performance"),
    TrackEntry("llm", "LLM and generative AI engineering"),
    TrackEntry("ds", "Data science and experimentation"),
    TrackEntry("swe", "Software engineering and coding"),
    TrackEntry("sys", "System design"),
    TrackEntry("sre", "DevOps and site reliability"),
    TrackEntry("dbe", "Database engineering"),
    TrackEntry("de", "Data engineering"),
    TrackEntry("beh", "Behavioural and project deep dive"),
    TrackEntry("rai", "Responsible AI, privacy and security"),
)

# Topics that a track borrows from another one, and how much they weigh there.
SHARED = {
    "mle": {
        "gpu.tensor": 0.2,
        "gpu.roofline": 0.3,
        "gpu.numerics": 0.5,
        "gpu.comm": 0.4,
        "gpu.serving": 0.4,
        "gpu.datapath": 0.3,
        "llm.arch": 0.4,
        "llm.tune": 0.3,
        "llm.rag": 0.3,
        "llm.evals": 0.3,
        "ds.prob": 0.3,
        "ds.infer": 0.3,
        "ds.abtest": 0.5,
        "ds.metrics": 0.2,
        "swe.arrays": 0.4,
        "swe.trees": 0.3,
        "swe.python": 0.4,
        "swe.mlcode": 0.6,
        "sys.mlplat": 0.5,
        "sys.product": 0.2,
        "sre.k8s": 0.2,
        "de.orch": 0.2,
        "de.cdc": 0.2,
        "rai.fair": 0.3,
        "rai.interp": 0.3,
        "rai.mlsec": 0.2,
    },
    "gpu": {
        "mle.distrib": 0.5,
        "mle.edge": 0.3,
        "llm.infer": 0.6,
        "llm.capacity": 0.4,
        "swe.cpp": 0.4,
        "swe.concur": 0.2,
        "swe.mlcode": 0.2,
        "sys.mlplat": 0.2,
        "sys.llmserve": 0.3,
        "sre.k8s": 0.2,
    },
    "llm": {
        "mle.deep": 0.4,
        "mle.optim": 0.4,
        "mle.distrib": 0.5,
        "gpu.roofline": 0.3,
        "gpu.kernels": 0.3,
        "gpu.numerics": 0.5,
        "gpu.comm": 0.3,
        "gpu.serving": 0.5,
        "sys.llmserve": 0.6,
        "dbe.nosql": 0.2,
        "rai.mlsec": 0.3,
    },
    "ds": {
        "mle.framing": 0.5,
        "mle.labels": 0.3,
        "mle.features": 0.5,
        "mle.models": 0.5,
        "mle.eval": 0.6,
        "mle.rank": 0.2,
        "mle.series": 0.4,
        "mle.rl": 0.2,
        "mle.monitor": 0.2,
        "dbe.sql": 0.6,
        "beh.explain": 0.2,
        "rai.fair": 0.2,
        "rai.interp": 0.2,
        "rai.privacy": 0.2,
    },
    "swe": {
        "sys.method": 0.3,
        "sys.store": 0.2,
        "sre.linux": 0.2,
        "sre.cicd": 0.2,
        "dbe.schema": 0.2,
        "dbe.plans": 0.2,
        "dbe.txn": 0.2,
        "rai.appsec": 0.2,
    },
    "sys": {
        "gpu.serving": 0.2,
        "llm.infer": 0.2,
        "llm.capacity": 0.3,
        "llm.rag": 0.2,
        "swe.concur": 0.3,
        "sre.net": 0.2,
        "sre.observ": 0.2,
        "sre.slo": 0.2,
        "sre.capacity": 0.3,
        "dbe.shard": 0.3,
        "dbe.nosql": 0.2,
        "de.stream": 0.2,
    },
    "sre": {
        "mle.mlops": 0.3,
        "mle.monitor": 0.2,
        "gpu.datapath": 0.2,
        "llm.capacity": 0.2,
        "swe.debug": 0.2,
        "sys.scale": 0.5,
        "dbe.ha": 0.3,
        "rai.appsec": 0.2,
    },
    "dbe": {
        "ds.wrangle": 0.2,
        "sys.store": 0.4,
        "de.model": 0.2,
        "de.cdc": 0.2,
    },
    "de": {
        "mle.features": 0.3,
        "mle.mlops": 0.3,
        "ds.wrangle": 0.4,
        "swe.python": 0.3,
        "sys.async": 0.4,
        "dbe.sql": 0.5,
        "dbe.schema": 0.2,
        "dbe.plans": 0.3,
        "rai.privacy": 0.2,
    },
    "beh": {
        "ds.memo": 0.3,
    },
    "rai": {
        "mle.eval": 0.2,
        "llm.evals": 0.2,
        "llm.guard": 0.6,
    },
}

TOPICS = (
    TopicEntry(
        "mle.framing",
        "Problem framing",
        "Turning a business aim into a target, a threshold and a price for each error",
    ),
    TopicEntry(
        "mle.labels", "Labels", "Collecting data, labelling it, weak supervision, living with label noise"
    ),
    TopicEntry(
        "mle.features",
        "Features and leakage",
        "Features, embeddings, leakage, and keeping training and serving the same",
    ),
    TopicEntry(
        "mle.models", "Model choice", "Classical models and ensembles: choosing one and comparing fairly"
    ),
    TopicEntry(
        "mle.deep", "Deep learning basics", "Backpropagation, initialisation, normalisation and losses"
    ),
    TopicEntry(
        "mle.optim", "Optimisation", "Optimisers, schedules, regularisation, and training that turns unstable"
    ),
    TopicEntry(
        "mle.distrib",
        "Distributed training",
        "Data, sharded, tensor and pipeline parallelism, checkpoints, stragglers",
    ),
    TopicEntry(
        "mle.tuning",
        "Tuning and experiments",
        "Hyperparameter search, experiment records, runs that can be repeated",
    ),
    TopicEntry(
        "mle.eval", "Offline evaluation", "Metrics, calibration, splits, slices and honest uncertainty"
    ),
    TopicEntry("mle.rank", "Ranking and recommenders", "Retrieval and ranking, feedback loops, cold start"),
    TopicEntry("mle.vision", "Vision", "Images and video: detection, splits by scene, mixed inputs"),
    TopicEntry("mle.series", "Time series", "Forecasts, anomalies, and maintenance before failure"),
    TopicEntry("mle.rl", "Bandits and RL", "Bandits, reinforcement learning, judging a policy from logs"),
    TopicEntry("mle.mlops", "ML operations", "Registry, feature store, pipelines, rollout and rollback"),
    TopicEntry("mle.monitor", "Monitoring models", "Drift, late labels, and what should trigger retraining"),
    TopicEntry(
        "mle.edge", "Edge and mobile", "Size, heat, compression and fallback away from the data centre"
    ),
    TopicEntry("gpu.exec", "Execution model", "Warps, scheduling, divergence, streams and launch overhead"),
    TopicEntry(
        "gpu.memory", "Memory hierarchy", "Coalescing, shared memory, bank conflicts and the L2 cache"
    ),
    TopicEntry(
        "gpu.occupancy",
        "Occupancy",
        "What registers, shared memory and block size allow, and when it matters",
    ),
    TopicEntry(
        "gpu.tensor", "Tensor cores", "Matrix shapes, alignment, and work lost to partial tiles and waves"
    ),
    TopicEntry(
        "gpu.roofline",
        "Roofline and profiling",
        "Telling memory-bound from compute-bound, reading profiles, misleading utilisation",
    ),
    TopicEntry("gpu.kernels", "Writing kernels", "Reductions, softmax, fusion, attention kernels, Triton"),
    TopicEntry(
        "gpu.numerics",
        "Numerics and quantisation",
        "Formats from FP32 to FP4, mixed precision, scaling, rounding error",
    ),
    TopicEntry("gpu.comm", "Communication", "Collectives, link topology, and hiding transfers behind work"),
    TopicEntry(
        "gpu.serving", "Inference serving", "Batching, inference servers, captured graphs and tail latency"
    ),
    TopicEntry(
        "gpu.datapath", "Data path", "Input pipelines, pinned memory, PCIe, remote memory, sharing one GPU"
    ),
    TopicEntry(
        "llm.arch",
        "Transformer internals",
        "Attention and its cheaper variants, positions, mixture of experts",
    ),
    TopicEntry("llm.pretrain", "Pretraining", "Tokenisation, data quality, and the arithmetic of scale"),
    TopicEntry("llm.tune", "Fine-tuning", "Supervised tuning, low-rank adapters, preferences, forgetting"),
    TopicEntry(
        "llm.infer", "Inference", "Cache size and paging, decoding, speculation, prefill against decode"
    ),
    TopicEntry(
        "llm.capacity", "Capacity and cost", "Price per token, latency targets, sizing and autoscaling"
    ),
    TopicEntry(
        "llm.rag", "Retrieval and search", "Chunking, lexical and dense search, reranking, grounded answers"
    ),
    TopicEntry(
        "llm.agents", "Agents and tools", "Tool calls, structured output, planning loops, and failing safely"
    ),
    TopicEntry("llm.evals", "Evaluating LLMs", "Test sets, biased judges, release gates, people in the loop"),
    TopicEntry("llm.guard", "Guardrails", "Injected prompts, leaked data, refusals and filters"),
    TopicEntry("ds.prob", "Probability", "Distributions, Bayes' rule, checking by simulation"),
    TopicEntry("ds.infer", "Inference", "Estimates, intervals, tests, power and the bootstrap"),
    TopicEntry(
        "ds.abtest", "A/B tests", "Design, unit of randomisation, peeking, guardrails, success metrics"
    ),
    TopicEntry(
        "ds.causal",
        "Causal inference",
        "Cause without an experiment: differences, instruments, matching, confounders",
    ),
    TopicEntry(
        "ds.metrics", "Product metrics", "Defining a metric, reading a funnel, explaining a sudden move"
    ),
    TopicEntry("ds.wrangle", "Data wrangling", "Analysis with SQL and data frames, and doubting the data"),
    TopicEntry("ds.memo", "Charts and memos", "Showing data, writing for a decision, talking to executives"),
    TopicEntry("swe.arrays", "Arrays and strings", "Hashing, two pointers, windows and intervals"),
    TopicEntry("swe.trees", "Trees and graphs", "Traversal, heaps, shortest paths, topological order"),
    TopicEntry("swe.dp", "Dynamic programming", "Recurrences, greedy choices, search, arguing complexity"),
    TopicEntry("swe.python", "Python in depth", "Generators, iterators, numbers and memory"),
    TopicEntry("swe.cpp", "C++ and systems", "Ownership, memory layout, undefined behaviour"),
    TopicEntry("swe.concur", "Concurrency", "Threads, async code, locks, queues and backpressure"),
    TopicEntry("swe.design", "Code design", "Interfaces, classes, refactoring and review"),
    TopicEntry(
        "swe.debug", "Testing and debugging", "Tests that find faults, bug hunting, profiling on the CPU"
    ),
    TopicEntry(
        "swe.mlcode", "ML code from scratch", "Layers, batch loaders and streaming statistics by hand"
    ),
    TopicEntry("sys.method", "Design method", "Requirements, rough numbers, interface before boxes"),
    TopicEntry("sys.store", "Storage and caching", "Choosing a store, caches, consistency and indexes"),
    TopicEntry("sys.async", "Queues and streams", "Asynchronous work and what delivery guarantees mean"),
    TopicEntry("sys.scale", "Scale and failure", "Load balancing, overload, several regions, losing parts"),
    TopicEntry("sys.mlplat", "ML platforms", "Training platform, feature store, registry, sharing GPUs"),
    TopicEntry("sys.llmserve", "LLM services", "Serving retrieval and generation to thousands at once"),
    TopicEntry("sys.product", "Product systems", "Search, recommendation, fraud and live analytics"),
    TopicEntry("sre.linux", "Linux", "Processes, memory, filesystems, and fixing a live machine"),
    TopicEntry("sre.net", "Networking", "DNS, TCP, TLS, balancers, and reading packets"),
    TopicEntry("sre.k8s", "Containers and Kubernetes", "Containers, clusters, scheduling and isolating GPUs"),
    TopicEntry("sre.cicd", "Delivery pipelines", "Build pipelines, gradual release, trust in what ships"),
    TopicEntry("sre.iac", "Infrastructure as code", "Declared state, drift and secrets"),
    TopicEntry("sre.observ", "Observability", "Metrics, logs, traces, and alerts worth waking for"),
    TopicEntry("sre.slo", "SLOs and incidents", "Targets, error budgets, incidents and what is learnt after"),
    TopicEntry("sre.capacity", "Capacity and recovery", "Capacity, cost, backups and disaster recovery"),
    TopicEntry("dbe.sql", "SQL", "Joins, windows, gaps and islands, thinking in sets"),
    TopicEntry("dbe.schema", "Schema design", "Modelling, normal forms, constraints, safe migrations"),
    TopicEntry("dbe.plans", "Indexes and plans", "Indexes, statistics, and reading a query plan"),
    TopicEntry("dbe.txn", "Transactions", "Isolation, versions of rows, locks and deadlocks"),
    TopicEntry("dbe.ha", "Availability", "Replication, failover, and backups proved by restoring"),
    TopicEntry("dbe.shard", "Sharding", "Partitions, shards, and commits across machines"),
    TopicEntry("dbe.nosql", "Beyond tables", "Key-value, document, vector and time-series stores compared"),
    TopicEntry("de.model", "Data modelling", "Facts and dimensions, lakehouse layers, history of changes"),
    TopicEntry("de.batch", "Batch processing", "Spark shuffles, skew, joins and memory"),
    TopicEntry(
        "de.stream", "Stream processing", "Event time, watermarks, and what exactly-once really covers"
    ),
    TopicEntry("de.orch", "Orchestration and quality", "Scheduling, safe reruns, contracts and data tests"),
    TopicEntry("de.format", "File and table formats", "Columnar files, table formats, compaction and cost"),
    TopicEntry("de.cdc", "Change capture and backfills", "Following changes, backfilling, feeding models"),
    TopicEntry("beh.own", "Ownership", "Acting on a problem nobody had been given"),
    TopicEntry("beh.conflict", "Disagreement", "Disagreeing, deciding, and committing all the same"),
    TopicEntry("beh.fail", "Failure", "What went wrong, its root, and what changed after"),
    TopicEntry("beh.ambig", "Ambiguity", "Deciding before all the facts are in"),
    TopicEntry("beh.explain", "Explaining", "Making it plain to people outside the field"),
    TopicEntry("beh.deliver", "Delivering", "Meeting a hard limit on date, latency or cost"),
    TopicEntry(
        "beh.influence",
        "Influence",
        "Working across hardware, platform and product teams; keeping up with research",
    ),
    TopicEntry("beh.project", "Project deep dive", "Your own project: choices, alternatives, numbers"),
    TopicEntry("rai.fair", "Fairness", "Definitions of fairness, their conflicts, and remedies"),
    TopicEntry(
        "rai.interp", "Interpretability", "Models that explain themselves, and the limits of attribution"
    ),
    TopicEntry(
        "rai.privacy", "Privacy and governance", "Privacy budgets, federated learning, governance, model risk"
    ),
    TopicEntry("rai.appsec", "Application security", "Threat models, secrets, dependencies and interfaces"),
    TopicEntry("rai.mlsec", "ML security", "Poisoned data, stolen models, hostile prompts"),
)

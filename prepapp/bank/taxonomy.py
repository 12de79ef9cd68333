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
    """A body of knowledge. `code` is `<home track>.<name>`; `shared` adds (track, weight) pairs."""

    code: str
    title: str
    span: str
    shared: tuple[tuple[str, float], ...] = ()

    @property
    def home(self) -> str:
        """Code of the track the topic belongs to."""
        return self.code.partition(".")[0]

    @property
    def tracks(self) -> tuple[tuple[str, float], ...]:
        """(track code, weight) pairs; the home track comes first with weight 1.0."""
        return ((self.home, 1.0), *self.shared)


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

_T = TopicEntry

TOPICS = (
    _T("mle.framing", "Problem framing", "Turning a business aim into a target, a threshold and a price for each error", (("ds", 0.5),)),
    _T("mle.labels", "Labels", "Collecting data, labelling it, weak supervision, living with label noise", (("ds", 0.3),)),
    _T("mle.features", "Features and leakage", "Features, embeddings, leakage, and keeping training and serving the same", (("ds", 0.5), ("de", 0.3))),
    _T("mle.models", "Model choice", "Classical models and ensembles: choosing one and comparing fairly", (("ds", 0.5),)),
    _T("mle.deep", "Deep learning basics", "Backpropagation, initialisation, normalisation and losses", (("llm", 0.4),)),
    _T("mle.optim", "Optimisation", "Optimisers, schedules, regularisation, and training that turns unstable", (("llm", 0.4),)),
    _T("mle.distrib", "Distributed training", "Data, sharded, tensor and pipeline parallelism, checkpoints, stragglers", (("gpu", 0.5), ("llm", 0.5))),
    _T("mle.tuning", "Tuning and experiments", "Hyperparameter search, experiment records, runs that can be repeated"),
    _T("mle.eval", "Offline evaluation", "Metrics, calibration, splits, slices and honest uncertainty", (("ds", 0.6), ("rai", 0.2))),
    _T("mle.rank", "Ranking and recommenders", "Retrieval and ranking, feedback loops, cold start", (("ds", 0.2),)),
    _T("mle.vision", "Vision", "Images and video: detection, splits by scene, mixed inputs"),
    _T("mle.series", "Time series", "Forecasts, anomalies, and maintenance before failure", (("ds", 0.4),)),
    _T("mle.rl", "Bandits and RL", "Bandits, reinforcement learning, judging a policy from logs", (("ds", 0.2),)),
    _T("mle.mlops", "ML operations", "Registry, feature store, pipelines, rollout and rollback", (("sre", 0.3), ("de", 0.3))),
    _T("mle.monitor", "Monitoring models", "Drift, late labels, and what should trigger retraining", (("sre", 0.2), ("ds", 0.2))),
    _T("mle.edge", "Edge and mobile", "Size, heat, compression and fallback away from the data centre", (("gpu", 0.3),)),
    _T("gpu.exec", "Execution model", "Warps, scheduling, divergence, streams and launch overhead"),
    _T("gpu.memory", "Memory hierarchy", "Coalescing, shared memory, bank conflicts and the L2 cache"),
    _T("gpu.occupancy", "Occupancy", "What registers, shared memory and block size allow, and when it matters"),
    _T("gpu.tensor", "Tensor cores", "Matrix shapes, alignment, and work lost to partial tiles and waves", (("mle", 0.2),)),
    _T("gpu.roofline", "Roofline and profiling", "Telling memory-bound from compute-bound, reading profiles, misleading utilisation", (("mle", 0.3), ("llm", 0.3))),
    _T("gpu.kernels", "Writing kernels", "Reductions, softmax, fusion, attention kernels, Triton", (("llm", 0.3),)),
    _T("gpu.numerics", "Numerics and quantisation", "Formats from FP32 to FP4, mixed precision, scaling, rounding error", (("mle", 0.5), ("llm", 0.5))),
    _T("gpu.comm", "Communication", "Collectives, link topology, and hiding transfers behind work", (("mle", 0.4), ("llm", 0.3))),
    _T("gpu.serving", "Inference serving", "Batching, inference servers, captured graphs and tail latency", (("llm", 0.5), ("mle", 0.4), ("sys", 0.2))),
    _T("gpu.datapath", "Data path", "Input pipelines, pinned memory, PCIe, remote memory, sharing one GPU", (("mle", 0.3), ("sre", 0.2))),
    _T("llm.arch", "Transformer internals", "Attention and its cheaper variants, positions, mixture of experts", (("mle", 0.4),)),
    _T("llm.pretrain", "Pretraining", "Tokenisation, data quality, and the arithmetic of scale"),
    _T("llm.tune", "Fine-tuning", "Supervised tuning, low-rank adapters, preferences, forgetting", (("mle", 0.3),)),
    _T("llm.infer", "Inference", "Cache size and paging, decoding, speculation, prefill against decode", (("gpu", 0.6), ("sys", 0.2))),
    _T("llm.capacity", "Capacity and cost", "Price per token, latency targets, sizing and autoscaling", (("gpu", 0.4), ("sys", 0.3), ("sre", 0.2))),
    _T("llm.rag", "Retrieval and search", "Chunking, lexical and dense search, reranking, grounded answers", (("mle", 0.3), ("sys", 0.2))),
    _T("llm.agents", "Agents and tools", "Tool calls, structured output, planning loops, and failing safely"),
    _T("llm.evals", "Evaluating LLMs", "Test sets, biased judges, release gates, people in the loop", (("mle", 0.3), ("rai", 0.2))),
    _T("llm.guard", "Guardrails", "Injected prompts, leaked data, refusals and filters", (("rai", 0.6),)),
    _T("ds.prob", "Probability", "Distributions, Bayes' rule, checking by simulation", (("mle", 0.3),)),
    _T("ds.infer", "Inference", "Estimates, intervals, tests, power and the bootstrap", (("mle", 0.3),)),
    _T("ds.abtest", "A/B tests", "Design, unit of randomisation, peeking, guardrails, success metrics", (("mle", 0.5),)),
    _T("ds.causal", "Causal inference", "Cause without an experiment: differences, instruments, matching, confounders"),
    _T("ds.metrics", "Product metrics", "Defining a metric, reading a funnel, explaining a sudden move", (("mle", 0.2),)),
    _T("ds.wrangle", "Data wrangling", "Analysis with SQL and data frames, and doubting the data", (("de", 0.4), ("dbe", 0.2))),
    _T("ds.memo", "Charts and memos", "Showing data, writing for a decision, talking to executives", (("beh", 0.3),)),
    _T("swe.arrays", "Arrays and strings", "Hashing, two pointers, windows and intervals", (("mle", 0.4),)),
    _T("swe.trees", "Trees and graphs", "Traversal, heaps, shortest paths, topological order", (("mle", 0.3),)),
    _T("swe.dp", "Dynamic programming", "Recurrences, greedy choices, search, arguing complexity"),
    _T("swe.python", "Python in depth", "Generators, iterators, numbers and memory", (("mle", 0.4), ("de", 0.3))),
    _T("swe.cpp", "C++ and systems", "Ownership, memory layout, undefined behaviour", (("gpu", 0.4),)),
    _T("swe.concur", "Concurrency", "Threads, async code, locks, queues and backpressure", (("sys", 0.3), ("gpu", 0.2))),
    _T("swe.design", "Code design", "Interfaces, classes, refactoring and review"),
    _T("swe.debug", "Testing and debugging", "Tests that find faults, bug hunting, profiling on the CPU", (("sre", 0.2),)),
    _T("swe.mlcode", "ML code from scratch", "Layers, batch loaders and streaming statistics by hand", (("mle", 0.6), ("gpu", 0.2))),
    _T("sys.method", "Design method", "Requirements, rough numbers, interface before boxes", (("swe", 0.3),)),
    _T("sys.store", "Storage and caching", "Choosing a store, caches, consistency and indexes", (("dbe", 0.4), ("swe", 0.2))),
    _T("sys.async", "Queues and streams", "Asynchronous work and what delivery guarantees mean", (("de", 0.4),)),
    _T("sys.scale", "Scale and failure", "Load balancing, overload, several regions, losing parts", (("sre", 0.5),)),
    _T("sys.mlplat", "ML platforms", "Training platform, feature store, registry, sharing GPUs", (("mle", 0.5), ("gpu", 0.2))),
    _T("sys.llmserve", "LLM services", "Serving retrieval and generation to thousands at once", (("llm", 0.6), ("gpu", 0.3))),
    _T("sys.product", "Product systems", "Search, recommendation, fraud and live analytics", (("mle", 0.2),)),
    _T("sre.linux", "Linux", "Processes, memory, filesystems, and fixing a live machine", (("swe", 0.2),)),
    _T("sre.net", "Networking", "DNS, TCP, TLS, balancers, and reading packets", (("sys", 0.2),)),
    _T("sre.k8s", "Containers and Kubernetes", "Containers, clusters, scheduling and isolating GPUs", (("gpu", 0.2), ("mle", 0.2))),
    _T("sre.cicd", "Delivery pipelines", "Build pipelines, gradual release, trust in what ships", (("swe", 0.2),)),
    _T("sre.iac", "Infrastructure as code", "Declared state, drift and secrets"),
    _T("sre.observ", "Observability", "Metrics, logs, traces, and alerts worth waking for", (("sys", 0.2),)),
    _T("sre.slo", "SLOs and incidents", "Targets, error budgets, incidents and what is learnt after", (("sys", 0.2),)),
    _T("sre.capacity", "Capacity and recovery", "Capacity, cost, backups and disaster recovery", (("sys", 0.3),)),
    _T("dbe.sql", "SQL", "Joins, windows, gaps and islands, thinking in sets", (("ds", 0.6), ("de", 0.5))),
    _T("dbe.schema", "Schema design", "Modelling, normal forms, constraints, safe migrations", (("swe", 0.2), ("de", 0.2))),
    _T("dbe.plans", "Indexes and plans", "Indexes, statistics, and reading a query plan", (("de", 0.3), ("swe", 0.2))),
    _T("dbe.txn", "Transactions", "Isolation, versions of rows, locks and deadlocks", (("swe", 0.2),)),
    _T("dbe.ha", "Availability", "Replication, failover, and backups proved by restoring", (("sre", 0.3),)),
    _T("dbe.shard", "Sharding", "Partitions, shards, and commits across machines", (("sys", 0.3),)),
    _T("dbe.nosql", "Beyond tables", "Key-value, document, vector and time-series stores compared", (("sys", 0.2), ("llm", 0.2))),
    _T("de.model", "Data modelling", "Facts and dimensions, lakehouse layers, history of changes", (("dbe", 0.2),)),
    _T("de.batch", "Batch processing", "Spark shuffles, skew, joins and memory"),
    _T("de.stream", "Stream processing", "Event time, watermarks, and what exactly-once really covers", (("sys", 0.2),)),
    _T("de.orch", "Orchestration and quality", "Scheduling, safe reruns, contracts and data tests", (("mle", 0.2),)),
    _T("de.format", "File and table formats", "Columnar files, table formats, compaction and cost"),
    _T("de.cdc", "Change capture and backfills", "Following changes, backfilling, feeding models", (("dbe", 0.2), ("mle", 0.2))),
    _T("beh.own", "Ownership", "Acting on a problem nobody had been given"),
    _T("beh.conflict", "Disagreement", "Disagreeing, deciding, and committing all the same"),
    _T("beh.fail", "Failure", "What went wrong, its root, and what changed after"),
    _T("beh.ambig", "Ambiguity", "Deciding before all the facts are in"),
    _T("beh.explain", "Explaining", "Making it plain to people outside the field", (("ds", 0.2),)),
    _T("beh.deliver", "Delivering", "Meeting a hard limit on date, latency or cost"),
    _T("beh.influence", "Influence", "Working across hardware, platform and product teams; keeping up with research"),
    _T("beh.project", "Project deep dive", "Your own project: choices, alternatives, numbers"),
    _T("rai.fair", "Fairness", "Definitions of fairness, their conflicts, and remedies", (("mle", 0.3), ("ds", 0.2))),
    _T("rai.interp", "Interpretability", "Models that explain themselves, and the limits of attribution", (("mle", 0.3), ("ds", 0.2))),
    _T("rai.privacy", "Privacy and governance", "Privacy budgets, federated learning, governance, model risk", (("ds", 0.2), ("de", 0.2))),
    _T("rai.appsec", "Application security", "Threat models, secrets, dependencies and interfaces", (("swe", 0.2), ("sre", 0.2))),
    _T("rai.mlsec", "ML security", "Poisoned data, stolen models, hostile prompts", (("llm", 0.3), ("mle", 0.2))),
)

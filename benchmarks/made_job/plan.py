"""What a made job is like: its ranks, groups, clocks and known trouble, all from one seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GROUPS = {
    "world": "a data-parallel group per stage, and now and then all ranks together",
    "stages": "a data-parallel group per stage; stages are joined by send and receive alone",
    "frozen": "like stages, but every second stage has no group: only send and receive join it",
    "sharded": "groups inside a host and groups across hosts; none spans a stage",
    "islands": "each stage has two groups that nothing joins",
}
"""Which ranks communicate with which."""
EPOCHS = {
    "host": "a trace knows UTC by its host's clock, whose error nobody states",
    "stated": "the same, and the trace states the most by which that clock may be wrong",
    "none": "no trace knows UTC",
}
NUMBERING = {
    "source": "the profiler tells the number of each collective",
    "group": "collectives are counted from the first one that a rank recorded",
}
P2P = {
    "rendezvous": "a sender leaves when the receiver has everything",
    "eager": "a sender leaves at once",
    "mixed": "forward sends are eager, backward sends are not",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlan:
    """A job to be made. Rank = stage × replicas + replica; hosts have consecutive ranks."""

    ranks: int = 32
    stages: int = 4
    steps: int = 10
    tasks: int = 2000
    """Rows of streams per rank, about."""
    seed: int = 1
    microbatches: int = 4
    kernel_us: float = 200.0
    """Median length of a kernel."""
    ranks_per_host: int = 8
    groups: str = "stages"
    p2p: str = "mixed"
    numbering: str = "source"
    offset_ms: float = 500.0
    """A host's clock is wrong by at most this."""
    drift_ppm: float = 20.0
    """A host's clock runs fast or slow by at most this."""
    rank_offset_us: float = 50.0
    """A rank's clock differs from its host's by at most this."""
    wander_us: float = 0.0
    """A host's clock swings around its straight line by this, once to twice in the run."""
    resolution_ns: int = 1
    epoch: str = "host"
    missing: float = 0.0
    """Share of the ranks without a trace."""
    windows: int = 0
    """Recording begins and ends up to so many collectives late or early, another on each rank."""
    straggler: int | None = None
    """A rank whose kernels take longer, from `straggler_from` on."""
    factor: float = 1.3
    straggler_from: int = 0
    """First step in which the straggler is slow."""
    slow_stage: int | None = None
    """A stage whose kernels all take 1.2 × as long."""
    imbalance: float = 0.0
    """Share of additional work that a quarter of the replicas of every stage gets."""
    late_host: int | None = None
    """A host whose threads launch late, on all of its ranks."""
    late_rank: int | None = None
    """A rank whose thread launches late."""

    def __post_init__(self) -> None:
        """Refuse what cannot be built, in one sentence."""
        if self.ranks % self.stages:
            raise ValueError(f"{self.ranks} ranks are no multiple of {self.stages} stages")
        for name, known in (
            ("groups", GROUPS),
            ("epoch", EPOCHS),
            ("numbering", NUMBERING),
            ("p2p", P2P),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is one of {', '.join(known)}, not {getattr(self, name)}")
        if self.groups == "islands" and self.replicas % 2:
            raise ValueError(f"two islands of {self.replicas} replicas cannot be equal")
        if self.groups == "sharded" and self.replicas % self.ranks_per_host:
            raise ValueError(
                f"{self.replicas} replicas are no multiple of {self.ranks_per_host} ranks a host"
            )

    @property
    def replicas(self) -> int:
        """Ranks per stage."""
        return self.ranks // self.stages

    @property
    def hosts(self) -> np.ndarray:
        """The host of each rank."""
        return np.arange(self.ranks) // self.ranks_per_host

    def ranks_of(self, stage: int) -> np.ndarray:
        """The ranks of a stage."""
        return np.arange(stage * self.replicas, (stage + 1) * self.replicas)

    def chance(self, what: str) -> np.random.Generator:
        """Random numbers for one purpose: a change elsewhere leaves them as they are."""
        return np.random.default_rng([self.seed, *what.encode()])

    @property
    def late_ranks(self) -> np.ndarray:
        """Mask of the ranks that launch late."""
        late = np.zeros(self.ranks, bool)
        if self.late_host is not None:
            late |= self.hosts == self.late_host
        if self.late_rank is not None:
            late[self.late_rank] = True
        return late

    def work(self, step: int) -> np.ndarray:
        """How long each rank's kernels take in a step, against what the program asks for."""
        speed = np.exp(self.chance("speed").normal(0, 0.002, self.ranks))
        speed[self.heavy] *= 1 + self.imbalance
        if self.slow_stage is not None:
            speed[self.ranks_of(self.slow_stage)] *= 1.2
        if self.straggler is not None and step >= self.straggler_from:
            speed[self.straggler] *= self.factor
        return speed

    @property
    def heavy(self) -> np.ndarray:
        """Mask of the ranks that get more work: the first quarter of the replicas."""
        replica = np.arange(self.ranks) % self.replicas
        return (replica < max(1, self.replicas // 4)) & (self.imbalance > 0)

    @property
    def absent(self) -> np.ndarray:
        """Ranks without a trace, by number."""
        count = round(self.missing * self.ranks)
        return np.sort(self.chance("missing").choice(self.ranks, count, replace=False))

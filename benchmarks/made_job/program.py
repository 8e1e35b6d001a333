"""The program of a made job: a training step of a pipeline with data-parallel stages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.made_job.columns import StepColumns
from benchmarks.made_job.physics import Physics
from benchmarks.made_job.plan import JobPlan
from benchmarks.made_job.truth import Account

_BUCKETS = 4
"""Parts in which the gradients are reduced."""
_WORLD_EVERY = 3
"""Steps from one barrier of all ranks to the next."""


class Program:
    """Runs step after step of a plan."""

    def __init__(self, plan: JobPlan, account: Account) -> None:
        """Draw the lengths of the program's kernels; all ranks and steps have the same program."""
        self.plan = plan
        self.machine = Physics(plan, account)
        joint = 3 + _BUCKETS + (4 * plan.microbatches if plan.stages > 1 else 0)
        count = max(_BUCKETS, (plan.tasks // plan.steps - joint) // (2 * plan.microbatches + 1))
        chance = plan.chance("program")
        lengths = plan.kernel_us * 1e3 * np.exp(chance.normal(0, 0.8, (3, count)))
        self.forward, self.backward, self.optimizer = lengths
        self.step_ns = plan.microbatches * (self.forward.sum() + self.backward.sum())
        self._members = {stage: self._groups(stage) for stage in range(plan.stages)}

    def steps(self) -> Iterator[list[StepColumns]]:
        """Columns per stage, step after step."""
        for step in range(self.plan.steps):
            self._step(step)
            yield self.machine.columns

    def _groups(self, stage: int) -> dict[str, tuple[np.ndarray, list[str]]]:
        """The stage's groups by what they are for: members (groups × members) and names."""
        plan, ranks = self.plan, self.plan.ranks_of(stage)
        if len(ranks) < 2 or (plan.groups == "frozen" and stage % 2):
            return {}
        if plan.groups == "islands":
            halves = ranks.reshape(2, -1)
            return {"dp": (halves, [f"dp {stage} {half}" for half in range(len(halves))])}
        if plan.groups == "sharded":
            inside = ranks.reshape(-1, plan.ranks_per_host)
            across = inside.T
            groups = {"dp": (inside, [f"shard {row[0]}" for row in inside])}
            if across.shape[1] > 1:
                groups["across"] = (across, [f"replica {row[0]}" for row in across])
            return groups
        return {"dp": (ranks[None, :], [f"dp {stage}"])}

    def _joint(self, stage: int, kind: str, *, size: int, blocks: bool, of: str = "dp") -> None:
        if of in self._members[stage]:
            members, names = self._members[stage][of]
            self.machine.collective(members, kind, names, size=size, blocks=blocks)

    def _world(self, kind: str) -> None:
        if self.plan.groups == "world":
            everyone = np.arange(self.plan.ranks)[None, :]
            self.machine.collective(everyone, kind, ["world"], size=4, blocks=True)

    def _step(self, step: int) -> None:
        plan, machine = self.plan, self.machine
        stages = range(plan.stages)
        machine.begin(step)
        for stage in stages:
            machine.load(stage, 0.2 * self.step_ns)
        if step % _WORLD_EVERY == 0:
            self._world("barrier")
        for stage in stages:
            self._joint(stage, "all_gather", size=50_000_000, blocks=True)
            self._joint(stage, "broadcast", size=4096, blocks=True)
        for _ in range(plan.microbatches):
            for stage in stages:
                self._pair(stage - 1, stage, eager=plan.p2p != "rendezvous")
                machine.compute(stage, self.forward, "forward")
        for batch in range(plan.microbatches):
            for stage in reversed(stages):
                self._pair(stage + 1, stage, eager=plan.p2p == "eager")
                self._backward(stage, last=batch == plan.microbatches - 1)
        self._world("all_reduce")
        for stage in stages:
            self._joint(stage, "all_reduce", size=4, blocks=True)
            machine.compute(stage, self.optimizer, "optimizer")
            machine.sync(stage)

    def _pair(self, sender: int, receiver: int, *, eager: bool) -> None:
        """Send from one stage to its neighbour, where there is one."""
        if 0 <= sender < self.plan.stages:
            self.machine.pair(sender, receiver, size=16_000_000, eager=eager)

    def _backward(self, stage: int, *, last: bool) -> None:
        """Gradients of one batch; those of the last one are reduced while the rest is computed."""
        if not last:
            self.machine.compute(stage, self.backward, "backward")
            return
        sharded = "across" in self._members[stage] or self.plan.groups == "sharded"
        for part in np.array_split(self.backward, _BUCKETS):
            self.machine.compute(stage, part, "backward")
            kind = "reduce_scatter" if sharded else "all_reduce"
            self._joint(stage, kind, size=25_000_000, blocks=False)
            self._joint(stage, "all_reduce", size=4_000_000, blocks=False, of="across")

"""What the ranks of a made job do, in true time: hosts launch, streams run, all wait.

A row of a stream starts when the row before it has ended, its launch has arrived, and the event it
waits for has happened. A collective's transfer starts when its last rank arrives; the ends differ
by a noise. Times are float64 ns; the arrays `host`, `last` and so on have an element per rank.
"""

from __future__ import annotations

import numpy as np

from benchmarks.made_job.columns import (
    COLLECTIVE,
    COMMUNICATION,
    COMPUTE,
    KERNEL,
    LOAD,
    PAIR,
    RECORD,
    SYNC,
    WAIT,
    Joint,
    StepColumns,
)
from benchmarks.made_job.plan import JobPlan
from benchmarks.made_job.truth import Account

_BYTES_PER_NS = 100.0
"""Of a link."""
_DISTURBED = 0.06
"""Share of the collectives whose ends lie far apart."""


class Physics:
    """The machine: the state of every rank, and what each kind of call does to it."""

    def __init__(self, plan: JobPlan, account: Account) -> None:
        """All ranks begin at 0 ns, give or take a millisecond."""
        self.plan, self.account = plan, account
        self.chance = plan.chance("physics")
        self.host = self.chance.uniform(0, 1e6, plan.ranks)
        self.last = np.zeros((3, plan.ranks))
        """When each stream of each rank is free."""
        self.bias = self.chance.uniform(0, 500.0, plan.ranks)
        """A rank always sees the end of a collective so much later."""
        self.columns: list[StepColumns] = []
        self.work = np.ones(plan.ranks)
        self._sequence: dict[str, int] = {}

    def begin(self, step: int) -> None:
        """The next step."""
        self.columns = [StepColumns() for _ in range(self.plan.stages)]
        self.work = self.plan.work(step)
        self.account.step = step

    def load(self, stage: int, late_ns: float) -> None:
        """The host makes the next batch; a late rank takes `late_ns` more."""
        ranks = self.plan.ranks_of(stage)
        took = 300e3 * np.exp(self.chance.normal(0, 0.05, len(ranks)))
        took += np.where(self.plan.late_ranks[ranks], late_ns, 0)
        self._call(stage, LOAD, COMPUTE, took, operator="DataLoader.__next__")

    def compute(self, stage: int, lengths: np.ndarray, operator: str) -> None:
        """Kernels of these lengths, one after another, on the compute stream."""
        ranks, count = self.plan.ranks_of(stage), len(lengths)
        shape = (len(ranks), count)
        cost = 4.5e3 * np.exp(self.chance.normal(0, 0.25, shape))
        pause = 3e3 * np.exp(self.chance.normal(0, 0.4, shape))
        returned = self.host[ranks, None] + np.cumsum(cost + pause, axis=1)
        took = lengths * self.work[ranks, None] * np.exp(self.chance.normal(0, 0.03, shape))
        done = np.cumsum(took + 1e3, axis=1)
        ready = np.maximum.accumulate(returned + 2.5e3 - (done - took - 1e3), axis=1)
        end = done + np.maximum(ready, self.last[COMPUTE][ranks, None]) - 1e3
        times = np.stack([returned - cost, returned, end - took, end])
        columns = self.columns[stage]
        columns.begin()
        columns.add(KERNEL, COMPUTE, times, operator=operator, name=count % 7)
        self.host[ranks] = returned[:, -1] + pause[:, -1]
        self.last[COMPUTE][ranks] = end[:, -1]
        self.account.compute_ns[ranks] += took.sum(axis=1)

    def _call(
        self, stage: int, what: int, stream: int, took: np.ndarray, *, operator: str
    ) -> tuple[int, np.ndarray]:
        """One call of the hosts of a stage: its column, and when it returned."""
        ranks = self.plan.ranks_of(stage)
        start = self.host[ranks]
        self.host[ranks] = start + took + 1e3
        none = np.zeros_like(start)
        times = np.stack([start, start + took, none, none])[:, :, None]
        columns = self.columns[stage]
        return columns.add(what, stream, times, operator=operator), start + took

    def _short(self, stage: int, what: int, stream: int, operator: str) -> tuple[int, np.ndarray]:
        took = 1.5e3 * np.exp(self.chance.normal(0, 0.2, self.plan.replicas))
        return self._call(stage, what, stream, took, operator=operator)

    def _join(self, stage: int, waits: int, on: int, operator: str) -> None:
        """A stream waits for all that another one has been given so far."""
        record, _ = self._short(stage, RECORD, on, operator)
        wait, _ = self._short(stage, WAIT, waits, operator)
        self.columns[stage].on[wait] = record
        ranks = self.plan.ranks_of(stage)
        self.last[waits][ranks] = np.maximum(self.last[waits][ranks], self.last[on][ranks] + 800)

    def _arrive(self, stage: int, stream: int, operator: str, *, after: bool) -> np.ndarray:
        """Launch a joint operation: when each rank arrives. Its end comes later (`_leave`)."""
        self.columns[stage].begin()
        if after:
            self._join(stage, stream, COMPUTE, operator)
        took = 6e3 * np.exp(self.chance.normal(0, 0.25, self.plan.replicas))
        _, returned = self._call(stage, COLLECTIVE, stream, took, operator=operator)
        ranks = self.plan.ranks_of(stage)
        return np.maximum(self.last[stream][ranks], returned + 2.5e3)

    def _leave(self, stage: int, stream: int, start: np.ndarray, end: np.ndarray) -> None:
        """Write the times of the operation that `_arrive` launched, which is the last column."""
        self.columns[stage].blocks[-1][2:, :, 0] = start, end
        self.last[stream][self.plan.ranks_of(stage)] = end

    def noise(self, members: np.ndarray) -> np.ndarray:
        """How much later than the transfer each member of groups (groups × members) ends."""
        shape = members.shape
        plain = 300 + 1.2e3 * np.exp(self.chance.normal(0, 0.6, shape))
        plain = self.bias[members] + np.minimum(plain, 4.5e3)
        most = self.chance.uniform(40e3, 110e3, (len(members), 1))
        far = (self.chance.random((len(members), 1)) < _DISTURBED) & (
            self.chance.random(shape) < 0.5
        )
        return plain + np.where(far, self.chance.random(shape) * most, 0)

    def collective(
        self, members: np.ndarray, kind: str, names: list[str], *, size: int, blocks: bool
    ) -> None:
        """A collective of whole stages; `members` has a row of ranks per group.

        Args:
            members: Ranks, groups × members of each.
            kind: What it does.
            names: Name per group.
            size: Bytes that each rank puts in.
            blocks: Whether the compute stream waits for it.
        """
        stages = sorted({int(rank) // self.plan.replicas for rank in members.flat})
        operator = f"nccl:{kind}"
        arrived = np.zeros(self.plan.ranks)
        for stage in stages:
            arrived[self.plan.ranks_of(stage)] = self._arrive(
                stage, COMMUNICATION, operator, after=True
            )
        came = arrived[members]
        transfer = 10e3 + (0 if kind == "barrier" else size / _BYTES_PER_NS)
        noise = self.noise(members)
        left = came.max(axis=1, keepdims=True) + transfer + noise
        if kind == "broadcast":
            left = np.maximum(came, came[:, :1]) + transfer + noise
            left[:, 0] = came[:, 0] + 8e3
        ended = np.zeros(self.plan.ranks)
        ended[members] = left
        sequence = self._next(names)
        self.account.collective(kind, names, sequence, members, came)
        by_rank = {int(r): k for k, row in enumerate(members) for r in row}
        peers = [",".join(map(str, sorted(row.tolist()))) for row in members]
        for stage in stages:
            ranks = self.plan.ranks_of(stage)
            group = [by_rank[int(rank)] for rank in ranks]
            self._leave(stage, COMMUNICATION, arrived[ranks], ended[ranks])
            joint = Joint(
                kind,
                [names[k] for k in group],
                [peers[k] for k in group],
                members.shape[1],
                sequence,
                size,
                [int(members[k, 0]) for k in group] if kind == "broadcast" else None,
            )
            self.columns[stage].joint.append(joint)
            if blocks:
                self.wait(stage, COMMUNICATION)

    def wait(self, stage: int, stream: int) -> None:
        """The compute stream waits for another stream."""
        self.columns[stage].begin()
        self._join(stage, COMPUTE, stream, "wait")

    def pair(self, sender: int, receiver: int, *, size: int, eager: bool) -> None:
        """Each rank of a stage sends to the rank at the same place of another stage."""
        senders, receivers = self.plan.ranks_of(sender), self.plan.ranks_of(receiver)
        sent = self._arrive(sender, PAIR, "nccl:send", after=True)
        came = self._arrive(receiver, PAIR, "nccl:recv", after=False)
        pairs = np.stack([senders, receivers], axis=1)
        noise = self.noise(pairs)
        both = np.maximum(sent, came) + 10e3 + size / _BYTES_PER_NS
        ends = sent + 12e3 + noise[:, 0] if eager else both + noise[:, 0]
        got = both + noise[:, 1]
        low, high = np.minimum(senders, receivers), np.maximum(senders, receivers)
        names = [f"p2p {a}:{b}" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        peers = [f"{a},{b}" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        sequence = self._next(names)
        self.account.pair(senders, receivers, sent, came, eager=eager)
        ways = (("send", sender, sent, ends), ("recv", receiver, came, got))
        for kind, stage, start, end in ways:
            self._leave(stage, PAIR, start, end)
            both_ways = senders.tolist(), receivers.tolist()
            joint = Joint(kind, names, peers, 2, sequence, size, *both_ways)
            self.columns[stage].joint.append(joint)
        self.wait(receiver, PAIR)

    def sync(self, stage: int) -> None:
        """The host waits for the compute stream."""
        ranks = self.plan.ranks_of(stage)
        self.columns[stage].begin()
        until = np.maximum(self.last[COMPUTE][ranks] - self.host[ranks], 0) + 4e3
        self._call(stage, SYNC, COMPUTE, until, operator="wait")

    def _next(self, names: list[str]) -> int:
        """The number of the next operation of groups that do everything together."""
        sequence = self._sequence.get(names[0], 0)
        self._sequence[names[0]] = sequence + 1
        return sequence

"""Jobs made by hand, a few rows each, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.jobs.facts import rank_facts
from lanescope.jobs.job import Job, Rank
from lanescope.trace.meta import Meta
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Table
from lanescope.trace.trace import Trace, Words


@dataclass(frozen=True)
class Row:
    """One rank's part in a collective."""

    sequence: int
    start: int
    end: int
    group: str = "world"
    kind: str = "all_reduce"
    matched: str = "source"
    peers: str = ""
    size: int = MISSING32
    source: int = MISSING32
    target: int = MISSING32
    stream: int = 7


@dataclass(frozen=True)
class Made:
    """A rank: its collectives, its kernels (start, end) and its steps (number, start, end)."""

    rows: Sequence[Row] = ()
    work: Sequence[tuple[int, int]] = ()
    steps: Sequence[tuple[int, int, int]] = ()
    meta: dict[str, Any] = field(default_factory=dict)


def trace_of(number: int, made: Made) -> Trace:
    """The rank as a trace of two streams: kernels on the first, collectives on the second."""
    words = Words()
    rows = list(made.rows)
    start = [one for one, _ in made.work] + [row.start for row in rows]
    end = [one for _, one in made.work] + [row.end for row in rows]
    queues = sorted({row.stream for row in rows})
    core = [0] * len(made.work) + [1 + queues.index(row.stream) for row in rows]
    count, kernels = len(start), len(made.work)
    meta = Meta(name=f"r{number}", tool="test", origin="imported", rank=number, **made.meta)
    return Trace(
        meta=meta,
        tasks=Table.build(
            "tasks",
            {
                "task": np.arange(count),
                "core": np.array(core, np.int32),
                "func": np.array([0] * kernels + [1] * len(rows), np.int32),
                "start_ns": np.array(start, np.int64),
                "end_ns": np.array(end, np.int64),
            },
        ),
        cores=Table.build(
            "cores",
            {
                "core": np.arange(1 + len(queues), dtype=np.int32),
                "lane": words.codes(["stream"] * (1 + len(queues))),
                "queue": np.array([0, *queues], np.int32),
                "device": np.zeros(1 + len(queues), np.int32),
            },
        ),
        functions=Table.build(
            "functions",
            {
                "func": np.array([0, 1], np.int32),
                "name": words.codes(["gemm", "reduce"]),
                "work": words.codes(["compute", "communication"]),
            },
        ),
        steps=Table.build(
            "steps",
            {
                "step": np.array([one[0] for one in made.steps], np.int64),
                "start_ns": np.array([one[1] for one in made.steps], np.int64),
                "end_ns": np.array([one[2] for one in made.steps], np.int64),
            },
        ),
        collectives=Table.build(
            "collectives",
            {
                "group": words.codes([row.group for row in rows]),
                "sequence": np.array([row.sequence for row in rows], np.int64),
                "matched": words.codes([row.matched for row in rows]),
                "kind": words.codes([row.kind for row in rows]),
                "peers": np.array(
                    [words.code(row.peers) if row.peers else -1 for row in rows], np.int32
                ),
                "size": np.array([row.size for row in rows], np.int32),
                "source": np.array([row.source for row in rows], np.int32),
                "target": np.array([row.target for row in rows], np.int32),
                "task": np.arange(kernels, count),
                "core": np.array(core[kernels:], np.int32),
                "start_ns": np.array([row.start for row in rows], np.int64),
                "end_ns": np.array([row.end for row in rows], np.int64),
            },
        ),
        words=words.freeze(),
    )


def job_of(*ranks: Made, numbers: Sequence[int] | None = None, world: int | None = None) -> Job:
    """The ranks as a job; their numbers are 0, 1, … where none are given."""
    chosen = range(len(ranks)) if numbers is None else numbers
    found = [
        Rank(number, f"rank{number}", rank_facts(trace_of(number, made)))
        for number, made in zip(chosen, ranks, strict=True)
    ]
    return Job("made", "made", tuple(found), world)


def meeting(ends: Sequence[int], offsets: Sequence[int], length: int = 1000) -> list[list[Row]]:
    """Rows of all ranks that meet at moments, each by a clock that is ahead by its offset."""
    return [
        [Row(k, end + offset - length, end + offset) for k, end in enumerate(ends)]
        for offset in offsets
    ]

"""paged_attention Case1 of the simpler runtime, whose graph the host builds: 65,792 nodes.

Per request one allocation and 64 blocks of QK → SF → PV → UP; the updates of a request follow each
other. Source of shape and lengths: huawei-csl/simpler, tests/st/a2a3/host_build_graph/
paged_attention (Case1) and docs/asim/calib/pa_case1.calib.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.workloads import TaskGraph
from lanescope.workloads.graph import NodeKind
from lanescope.workloads.paged_attention import paged_attention
from lanescope.workloads.spread import LengthSpread

LENGTHS_NS = {"QK": (1638, 178), "SF": (1204, 89), "PV": (1514, 148), "UP": (1297, 59)}
"""Mean and robust sigma on the chip."""
SOURCE = "huawei-csl/simpler docs/asim/calib/pa_case1.calib: robust sigma of the chip's records"


def graph(requests: int = 256, blocks: int = 64) -> TaskGraph:
    """Paged attention block by block, lengths as recorded on the chip."""
    means = {f"{name.lower()}_ns": mean for name, (mean, _) in LENGTHS_NS.items()}
    tasks = paged_attention(batches=requests, groups=blocks, **means)
    spreads = (
        LengthSpread(sigma_ns=sigma, basis="published", source=SOURCE)
        for _, sigma in LENGTHS_NS.values()
    )
    return _with_allocations(replace(tasks, spreads=tuple(spreads)), requests, 4 * blocks)


def _with_allocations(tasks: TaskGraph, requests: int, per_request: int) -> TaskGraph:
    """Add a node for each request that allocates what its updates share."""
    count = len(tasks)
    allocations = count + np.arange(requests)
    last_update = per_request * np.arange(1, requests + 1) - 1

    def longer(column: np.ndarray, value: int) -> np.ndarray:
        return np.concatenate([column, np.full(requests, value, column.dtype)])

    return replace(
        tasks,
        name="paged_attention_case1",
        functions=(*tasks.functions, "alloc"),
        func=longer(tasks.func, len(tasks.functions)),
        kind=longer(tasks.kind, 0),
        work=longer(tasks.work, 0),
        amount=longer(tasks.amount, 0),
        nodes=longer(np.zeros(count, np.int32), NodeKind.ALLOC),
        pred=np.concatenate([tasks.pred, allocations]),
        succ=np.concatenate([tasks.succ, last_update]),
        scopes=None,
    )

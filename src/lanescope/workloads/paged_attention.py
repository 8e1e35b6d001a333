"""Paged attention: per block of keys QK → SF → PV → UP, and one running update per batch.

block 0   QK ─► SF ─► PV ─► UP
                            │
block 1   QK ─► SF ─► PV ─► UP
                            │
block 2   QK ─► SF ─► PV ─► UP
"""

from __future__ import annotations

import numpy as np

from lanescope.workloads.graph import TaskGraph, WorkKind

STEPS = ("QK", "SF", "PV", "UP")
KINDS = ("aic", "aiv")
STEP_KIND = (0, 1, 0, 1)
"""Matrix products run on the matrix cores, the rest on the vector cores."""


def paged_attention(
    *,
    batches: int = 8,
    blocks: int = 32,
    qk_ns: int = 35000,
    sf_ns: int = 8000,
    pv_ns: int = 59000,
    up_ns: int = 1200,
) -> TaskGraph:
    """QK, SF, PV and UP per block of each batch, on two kinds of core; 1024 tasks.

    The published run of this shape has 1024 tasks of 1.2 to 67 µs (hw-native-sys/simpler, PR
    #878). The durations per function are our choice inside that range, such that the simulated
    a2a3 takes as long as the published run with recording off (see validation/README.md).
    """
    count = batches * blocks
    tasks = np.arange(4 * count).reshape(batches, blocks, 4)
    pred = [tasks[:, :, :-1].ravel(), tasks[:, :-1, 3].ravel()]
    succ = [tasks[:, :, 1:].ravel(), tasks[:, 1:, 3].ravel()]
    return TaskGraph(
        name="paged_attention",
        functions=STEPS,
        kinds=KINDS,
        func=np.tile(np.arange(4, dtype=np.int32), count),
        kind=np.tile(np.array(STEP_KIND, np.int32), count),
        work=np.full(4 * count, WorkKind.SPIN, np.int32),
        amount=np.tile(np.array([qk_ns, sf_ns, pv_ns, up_ns], np.int64), count),
        pred=np.concatenate(pred),
        succ=np.concatenate(succ),
    )

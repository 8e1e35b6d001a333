"""Paged attention: per group of key blocks QK → SF → PV → UP, and one running update per batch.

group 0   QK ─► SF ─► PV ─► UP
                 └──────────┤
group 1   QK ─► SF ─► PV ─► UP
                 └──────────┤
group 2   QK ─► SF ─► PV ─► UP
"""

from __future__ import annotations

import numpy as np

from lanescope.workloads.graph import TaskGraph, WorkKind

STEPS = ("QK", "SF", "PV", "UP")
KINDS = ("aic", "aiv")
STEP_KIND = (0, 1, 0, 1)
"""The kind of core of each step: matrix products run on aic cores, the rest on aiv cores."""


def paged_attention(
    *,
    batches: int = 256,
    groups: int = 1,
    qk_ns: int = 49300,
    sf_ns: int = 67000,
    pv_ns: int = 49300,
    up_ns: int = 1200,
) -> TaskGraph:
    """QK, SF, PV and UP for each group of each batch, on two kinds of core; 1024 tasks.

    The shape is that of hw-native-sys/simpler, tests/st/a2a3/tensormap_and_ringbuffer/
    paged_attention_unroll, Case1: 256 requests whose 64 key blocks make one group each, one scope
    per request. Its tasks take 1.2 to 67 µs (PR #878); which task takes how long is not published.
    Here UP is the shortest and SF the longest. QK and PV read equally many bytes and multiply
    equally often, so they are equally long: as long as makes the simulated a2a3 take the time of
    that run with recording off.
    """
    count = batches * groups
    tasks = np.arange(4 * count).reshape(batches, groups, 4)
    pred = [tasks[:, :, :-1].ravel(), tasks[:, :, 1].ravel(), tasks[:, :-1, 3].ravel()]
    succ = [tasks[:, :, 1:].ravel(), tasks[:, :, 3].ravel(), tasks[:, 1:, 3].ravel()]
    ends = 4 * groups * np.arange(1, batches + 1)
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
        scopes=np.stack([ends - 4 * groups, ends], axis=1) if groups else None,
    )

"""paged_attention_unroll_manual_scope Case1 of the simpler runtime: 1,024 tasks, 64 blocks in each.

Source of shape and mean lengths: huawei-csl/simpler, examples/a2a3/host_build_graph/
paged_attention_unroll_manual_scope (Case1) and the file of that name in docs/asim/calib. How much
the lengths vary is not published.
"""

from __future__ import annotations

from dataclasses import replace

from lanescope.workloads import TaskGraph
from lanescope.workloads.paged_attention import paged_attention
from lanescope.workloads.spread import LengthSpread

LENGTHS_NS = {"QK": 51_666, "SF": 62_034, "PV": 47_967, "UP": 1_893}
SOURCE = "a guess; bgemm's kernels vary by 13 and 19 %"


def graph(variation: float = 0.1) -> TaskGraph:
    """Paged attention, all blocks of a request in four tasks; lengths vary by a guess."""
    tasks = paged_attention(**{f"{name.lower()}_ns": ns for name, ns in LENGTHS_NS.items()})
    spreads = (
        LengthSpread(sigma_ns=variation * ns, basis="assumed", source=SOURCE) if variation else None
        for ns in LENGTHS_NS.values()
    )
    return replace(tasks, name="paged_attention_unroll", spreads=tuple(spreads), scopes=None)

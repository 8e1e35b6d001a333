"""Every kind of node a graph can have: single tasks, SPMD, MIX, barriers, allocations, skips."""

from __future__ import annotations

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import NodeKind, TaskGraph


def mixed(*, rounds: int = 4, width: int = 12, spin_ns: int = 4000) -> TaskGraph:
    """Tasks on both kinds of core, a barrier, an allocation and a skipped task per round."""
    builder = GraphBuilder("mixed")
    last: list[int] = []
    for _ in range(rounds):
        memory = builder.task("alloc", node=NodeKind.ALLOC)
        first = [
            builder.task("cube", kind="aic", after=[memory, *last], spin_ns=spin_ns)
            for _ in range(width)
        ]
        barrier = builder.task("barrier", after=first, node=NodeKind.DUMMY)
        second = [
            builder.task("vector", kind="aiv", after=[barrier], spin_ns=spin_ns // 2)
            for _ in range(width)
        ]
        skipped = builder.task("predicated", after=second[:1], node=NodeKind.SKIPPED)
        last = [*second, skipped]
    return builder.graph()


def spmd_mix(*, rounds: int = 4, blocks: int = 40, spin_ns: int = 4000) -> TaskGraph:
    """SPMD tasks of more blocks than cores, and MIX tasks of a cube core and two vector cores."""
    builder = GraphBuilder("spmd_mix")
    last: list[int] = []
    for _ in range(rounds):
        wide = builder.task("spmd", kind="aiv", after=last, spin_ns=spin_ns, blocks=blocks)
        both = builder.task(
            "mix", kind="aic", after=[wide], spin_ns=spin_ns, blocks=max(blocks // 4, 1), partners=2
        )
        small = builder.task("mix small", kind="aic", after=[wide], spin_ns=spin_ns, partners=1)
        last = [both, small]
    return builder.graph()

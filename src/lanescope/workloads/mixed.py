"""Every kind of node that a graph can have: tasks, SPMD, MIX, barriers, allocations, skips."""

from __future__ import annotations

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import NodeKind, TaskGraph


def mixed(*, rounds: int = 4, width: int = 12, spin_ns: int = 4000) -> TaskGraph:
    """Tasks on both kinds of core, a barrier, an allocation, a skipped task, an early one and a
    copy that an engine finishes, in a scope per round."""
    builder = GraphBuilder("mixed")
    last: list[int] = []
    for _ in range(rounds):
        with builder.scope():
            last = _round(builder, last, width, spin_ns)
    return builder.graph()


def _round(builder: GraphBuilder, last: list[int], width: int, spin_ns: int) -> list[int]:
    """Add one round, and return the tasks that the next round waits for."""
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
    early = builder.task("early", kind="aiv", after=second[:2], spin_ns=spin_ns // 4, early=True)
    copy = builder.task(
        "copy", kind="aiv", after=second[-1:], spin_ns=spin_ns // 4, wait_ns=2 * spin_ns
    )
    return [*second, skipped, early, copy]


def spmd_mix(
    *, rounds: int = 4, blocks: int = 40, start_together: int = 4, spin_ns: int = 4000
) -> TaskGraph:
    """SPMD tasks of more blocks than cores, MIX tasks of a cube core and two vector cores, and SPMD
    tasks whose blocks start together."""
    builder = GraphBuilder("spmd_mix")
    last: list[int] = []
    for _ in range(rounds):
        wide = builder.task("spmd", kind="aiv", after=last, spin_ns=spin_ns, blocks=blocks)
        both = builder.task(
            "mix", kind="aic", after=[wide], spin_ns=spin_ns, blocks=max(blocks // 4, 1), partners=2
        )
        small = builder.task("mix small", kind="aic", after=[wide], spin_ns=spin_ns, partners=1)
        last = [both, small]
        if start_together:
            last = [
                builder.task(
                    "sync",
                    kind="aiv",
                    after=last,
                    spin_ns=spin_ns,
                    blocks=start_together,
                    together=True,
                )
            ]
    return builder.graph()

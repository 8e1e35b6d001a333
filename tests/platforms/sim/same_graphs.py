"""The graphs of the cases whose bytes must stay: built-in workloads, shapes made by hand, draws.

Draws use whole numbers of `random.Random` only, so a seed gives the same graph everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np

from lanescope.native import Array
from lanescope.workloads import GraphBuilder, Tensor, build_workload
from lanescope.workloads.graph import NodeKind, TaskGraph
from lanescope.workloads.kernels import matmul_kernel, softmax_kernel, vector_kernel
from lanescope.workloads.pipes import PipeKernel, PipeOp

SETTINGS = {
    "chain": {"tasks": "40"},
    "decode_layer": {"hidden": "512", "heads": "4", "inner": "1024", "context": "256"},
    "fan": {"width": "120"},
    "matmul_add": {"rows": "2", "columns": "3"},
    "mixed": {"rounds": "2"},
    "paged_attention": {"batches": "12", "groups": "2"},
    "random_dag": {"tasks": "120"},
    "spmd_mix": {"rounds": "2", "blocks": "9"},
    "vector": {"tiles": "12"},
}
"""Settings of each built-in workload."""

COMPUTING = {
    "vector small": ("vector", {"tiles": "5", "elements": "1000"}),
    "matmul_add small": (
        "matmul_add",
        {"rows": "2", "columns": "3", "tile": "16", "depth": "48"},
    ),
}
"""Workloads whose arrays are small enough to be dumped."""

KERNELS = {
    "load": ("aiv", vector_kernel(20_000)),
    "softmax": ("aiv", softmax_kernel(16, 256)),
    "product": ("aic", matmul_kernel(96, 64, 200)),
    "unmarked": (
        "aiv",
        PipeKernel("unmarked", (PipeOp("scalar", ps=777), PipeOp("vector", cycles=3))),
    ),
}


@cache
def graph_of(name: str) -> TaskGraph:
    """Return a built-in workload, a shape or, for `drawn 17`, a random graph."""
    if name in SETTINGS:
        return build_workload(name, SETTINGS[name])
    if name in COMPUTING:
        workload, settings = COMPUTING[name]
        return build_workload(workload, settings)
    if name.startswith("drawn "):
        return drawn(Random(name)).graph()
    builder = GraphBuilder(name)
    SHAPES[name](builder)
    return builder.graph()


def silent(builder: GraphBuilder) -> None:
    """Nodes that no core runs, behind and before each other and behind early tasks."""
    first = builder.task("alloc", node=NodeKind.ALLOC)
    second = builder.task("alloc", node=NodeKind.ALLOC, after=[first])
    third = builder.task("alloc", node=NodeKind.ALLOC, after=[first, second])
    tasks = [builder.task("a", kind="aiv", after=[third], spin_ns=700 * n) for n in range(5)]
    barrier = builder.task("barrier", after=tasks, node=NodeKind.DUMMY)
    again = builder.task("barrier", after=[barrier], node=NodeKind.DUMMY)
    skipped = [builder.task("maybe", after=[again], node=NodeKind.SKIPPED) for _ in range(3)]
    builder.task("alloc", node=NodeKind.ALLOC, after=skipped)
    for pred in (again, first, *skipped):
        builder.task("b", kind="aic", after=[pred, tasks[0]], spin_ns=90, early=True)
    late = builder.task("c", kind="aic", after=[barrier], spin_ns=900)
    freed = builder.task("alloc", node=NodeKind.ALLOC, after=[late])
    builder.task("alloc", node=NodeKind.ALLOC, after=[freed])


def allocated(builder: GraphBuilder) -> None:
    """A tree of allocations that end at one moment, each with tasks of its own behind it."""
    first = builder.task("first", kind="aiv", spin_ns=30_000)
    nodes = [builder.task("alloc", node=NodeKind.ALLOC, after=[first])]
    for n in range(12):
        nodes.append(builder.task("alloc", node=NodeKind.ALLOC, after=[nodes[n // 2]]))
    for node in reversed(nodes):
        builder.task("behind", kind="aiv", after=[node], spin_ns=100 * node)


def early(builder: GraphBuilder) -> None:
    """Early tasks behind tasks of every kind, and behind each other."""
    last: list[int] = []
    for n in range(12):
        wide = builder.task("wide", kind="aiv", after=last[:1], spin_ns=2000, blocks=1 + n % 3)
        long = builder.task("long", kind="aic", after=last[-1:], spin_ns=3000 + 500 * n)
        one = builder.task("early", kind="aiv", after=[wide, long], spin_ns=400, early=True)
        two = builder.task("early too", kind="aic", after=[one], spin_ns=300, early=True)
        far = builder.task("far", kind="aiv", after=[long], spin_ns=5, early=True, wait_ns=3000)
        builder.task("alone", kind="aiv", spin_ns=100, early=True)
        last = [two, far]


def together(builder: GraphBuilder) -> None:
    """Blocks that start at once, two such tasks at a time, among others that fill the cores."""
    last: list[int] = []
    for n in range(6):
        filling = [builder.task("fill", kind="aiv", spin_ns=1500 * m) for m in range(5)]
        sync = [
            builder.task("sync", kind="aiv", after=last, spin_ns=2500, blocks=2, together=True),
            builder.task("sync cube", kind="aic", spin_ns=800, blocks=1, together=True),
        ]
        wait = builder.task("wait", kind="aic", after=sync, spin_ns=100, wait_ns=900 * n)
        last = [wait, filling[0]]


def mix(builder: GraphBuilder) -> None:
    """Tasks of a cube core with one partner or two, of several blocks, among single ones."""
    last: list[int] = []
    for n in range(8):
        both = builder.task("both", kind="aic", spin_ns=2000, partners=1 + n % 2, blocks=1 + n % 3)
        single = builder.task("single", kind="aiv", after=last, spin_ns=500 + 400 * n)
        cube = builder.task("cube", kind="aic", after=last, spin_ns=700)
        small = builder.task("one", kind="aic", after=[both], spin_ns=100, partners=1)
        last = [small, single, cube][n % 2 :]


def cubes(builder: GraphBuilder) -> None:
    """Mixed tasks in a graph that has no task for a vector core alone."""
    for n in range(9):
        builder.task("both", kind="aic", spin_ns=900 * n, partners=1 + n % 2)
        builder.task("cube", kind="aic", after=[2 * n], spin_ns=700, blocks=2)


def engines(builder: GraphBuilder) -> None:
    """Tasks that an engine beside the cores ends, many at a time."""
    for n in range(20):
        copy = builder.task("copy", kind="aiv", spin_ns=300, wait_ns=2000 + 700 * (n % 5))
        builder.task("after", kind="aic", after=[copy], spin_ns=200)
        builder.task("wide", kind="aiv", after=[copy], spin_ns=60, blocks=3, wait_ns=1)


def scoped(builder: GraphBuilder) -> None:
    """Scopes inside scopes; tasks outside them use what was made inside."""
    last: list[int] = []
    for n in range(12):
        with builder.scope():
            memory = builder.task("alloc", node=NodeKind.ALLOC)
            one = builder.task("one", kind="aic", after=[memory, *last], spin_ns=1200)
            with builder.scope():
                two = builder.task("two", kind="aiv", after=[one], spin_ns=300 * n)
                builder.task("three", kind="aiv", after=[two, one], spin_ns=2100)
            last = [builder.task("four", kind="aiv", after=[two], spin_ns=100)]
        last += [builder.task("out", kind="aic", after=last, spin_ns=10)]


def blocks(builder: GraphBuilder) -> None:
    """Many blocks, some of a kernel; a second task of many blocks waits for the first."""
    name, kernel = KERNELS["softmax"]
    first = builder.task("wide", kind="aiv", spin_ns=600, blocks=70)
    second = builder.task("softmax", kind=name, kernel=kernel, after=[first], blocks=25)
    cube, product = KERNELS["product"]
    builder.task("product", kind=cube, kernel=product, after=[second], blocks=9, partners=1)
    builder.task("product", kind=cube, kernel=product, after=[first], blocks=5)


def pipes(builder: GraphBuilder) -> None:
    """Kernels of both kinds of core that move data at the same time, among plain tasks."""
    for n in range(10):
        made = [
            builder.task(name, kind=kind, kernel=kernel) for name, (kind, kernel) in KERNELS.items()
        ]
        builder.task("plain", kind="aiv", after=made[n % 3 :], spin_ns=800)
        kind, kernel = KERNELS["load"]
        builder.task("load", kind=kind, kernel=kernel, after=made, early=n % 2 == 0)
        kind, kernel = KERNELS["product"]
        builder.task("product", kind=kind, kernel=kernel, after=made[:1], partners=n % 2)


def computing(builder: GraphBuilder) -> None:
    """Tasks of every manner that compute with the same array."""
    x, other = Tensor("x", (6,), 8, data=np.arange(6)), Tensor("other", (6,), 8)
    first = builder.task("alloc", node=NodeKind.ALLOC)
    builder.task("barrier", after=[first], node=NodeKind.DUMMY)
    for manner in ({}, {"early": True}, {"blocks": 3}, {"wait_ns": 900}, {"partners": 1}, {}):
        builder.task("add", kind="aic", spin_ns=500, reads=[x], writes=[x], compute=add, **manner)  # type: ignore[arg-type]
        builder.task("look", kind="aiv", spin_ns=900, reads=[x, other])
        builder.task("plain", kind="aiv", spin_ns=90, after=[first])


def add(source: Array, target: Array) -> None:
    """Add one."""
    target[...] = source + 1


def nothing(builder: GraphBuilder) -> None:
    """No task at all."""


def backward(builder: GraphBuilder) -> None:
    """Tasks that are submitted before those that they wait for."""
    for n in range(30):
        builder.task("step", kind=("aic", "aiv")[n % 2], spin_ns=100 * n, early=n % 5 == 0)
    for n in range(25):
        builder.edge(n + 1 + n % 4, n)


def vectors_only(builder: GraphBuilder) -> None:
    """Only one kind of core is used; tasks take no time."""
    for n in range(30):
        builder.task("empty", kind="aiv", after=[n - 7] if n >= 7 else [])


def deep(builder: GraphBuilder) -> None:
    """More blocks than a record of a queue's depth can say."""
    builder.task("wide", kind="aiv", spin_ns=10, blocks=33_000)


def long(builder: GraphBuilder) -> None:
    """A task so long that the number of rounds does not fit in 32 bits, if a round is 1 ps."""
    first = builder.task("long", kind="aiv", spin_ns=5_000_000)
    builder.task("last", kind="aiv", after=[first], spin_ns=100)


SHAPES: dict[str, Callable[[GraphBuilder], None]] = {
    shape.__name__: shape
    for shape in (
        *(silent, allocated, early, together, mix, cubes, engines, scoped, blocks, pipes),
        *(computing, nothing, backward, vectors_only, deep, long),
    )
}
MANNERS: list[dict[str, Any]] = [
    *({}, {}, {}, {"early": True}, {"wait_ns": 700}, {"early": True, "wait_ns": 5}),
    *({"blocks": 3}, {"blocks": 7, "wait_ns": 90}, {"together": True}, {"node": NodeKind.DUMMY}),
    *({"node": NodeKind.ALLOC}, {"node": NodeKind.SKIPPED}, {"partners": 1}),
    *({"partners": 1, "blocks": 2}, {"kernel": "load"}, {"kernel": "softmax", "blocks": 2}),
    *({"kernel": "product"}, {"kernel": "product", "partners": 1}),
]


def drawn(draws: Random) -> GraphBuilder:
    """Draw a graph of up to 60 nodes of every manner, with scopes; edges lead to later nodes."""
    builder = GraphBuilder("drawn")
    count, some = 1 + draws.randrange(60), draws.randrange(2, len(MANNERS) + 1)
    ahead = 1 + draws.randrange(12)
    added = 0

    def add_some(depth: int) -> None:
        nonlocal added
        for _ in range(1 + draws.randrange(6)):
            if depth < 2 and not draws.randrange(6):
                with builder.scope():
                    add_some(depth + 1)
                continue
            first = max(0, added - ahead)
            preds = {
                first + draws.randrange(added - first)
                for _ in range(draws.randrange(4) * (added > 0))
            }
            _add(builder, draws, dict(MANNERS[draws.randrange(some)]), sorted(preds))
            added += 1

    while added < count:
        add_some(0)
    return builder


def _add(builder: GraphBuilder, draws: Random, manner: dict[str, Any], preds: list[int]) -> None:
    """Add one node of that manner."""
    kind = "aic" if "partners" in manner else ("aic", "aiv")[draws.randrange(2)]
    length = (0, 1, 80, 3_000, 20_000)[draws.randrange(5)]
    if "kernel" in manner:
        name = manner.pop("kernel")
        kind, kernel = KERNELS[name]
        builder.task(name, kind=kind, after=preds, kernel=kernel, **manner)
        return
    if "node" in manner:
        builder.task(manner["node"].name, after=preds, **manner)
        return
    builder.task(f"on {kind}", kind=kind, after=preds, spin_ns=length, **manner)

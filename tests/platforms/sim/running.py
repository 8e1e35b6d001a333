"""Kernels on simulated cores: a run of some cores, kernels of any shape, and what must hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.platforms.sim.sharing import Clock, SharedMemory, run_kernel

from lanescope.native.machine import Hooks, MachineCosts, run_machine
from lanescope.platforms.sim.timeline import (
    CODES,
    Timeline,
    alone,
    by_start,
    lengths_ps,
    undisturbed_ps,
)
from lanescope.workloads.pipes import (
    KIND_OF_PIPE,
    PIPES,
    ROUTES,
    CoreRates,
    PipeKernel,
    PipeOp,
)

MOST_BYTES_PER_S = 10**18
# A cycle is 1000 ps, and so is a byte.
EVEN = CoreRates(10**9, dict.fromkeys(ROUTES, 10**9))
UNEVEN = CoreRates(1_850_000_007, {route: 70_000_001 * (n + 3) for n, route in enumerate(ROUTES)})


def spin_kernel(ps: int) -> PipeKernel:
    """The scalar pipe is busy for so many picoseconds; any core can run it."""
    return PipeKernel("spin", (PipeOp("scalar", ps=ps, mark=0),))


class Ran:
    """Timelines of every core's kernels, run one after another, and the memory they shared."""

    def __init__(
        self, cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int | None = None
    ) -> None:
        clock = Clock()
        self.memory = SharedMemory(clock, bytes_per_s)
        self.timelines: list[list[Timeline]] = [[] for _ in cores]
        clock.run([self._core(ops, rates, number) for number, ops in enumerate(cores)])
        self.length_ps = clock.now_ps
        # Who asks first of those that ask at one moment is open where a core runs several kernels.
        if (bytes_per_s or 0) < MOST_BYTES_PER_S and all(len(own) == 1 for own in cores):
            assert self.timelines == on_machine(cores, rates, bytes_per_s)

    def _core(
        self, kernels: list[PipeKernel], rates: CoreRates, number: int
    ) -> Generator[int, None, None]:
        for ops in kernels:
            run = run_kernel(ops, rates, self.memory)
            while True:
                self.memory.core = number
                try:
                    delay_ps = next(run)
                except StopIteration as end:
                    self.timelines[number].append(end.value)
                    break
                yield delay_ps


def on_machine(
    cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int | None
) -> list[list[Timeline]]:
    """The same run on the machine, which takes no time for anything else.

    Each core is of a kind of its own, so that it gets its own kernels.
    """
    kernels = [(core, ops) for core, own in enumerate(cores) for ops in own]
    found: list[list[Timeline]] = [[] for _ in cores]
    shared = bytes_per_s is not None

    def ended(core: int, task: int, _: int, begin: int, length: int, spans: Any, count: int) -> int:
        ops = kernels[task][1]
        if count < 0:
            found[core].append(alone(ops, rates, begin))
            assert length == found[core][-1].length_ps
            return 0
        parts = [(CODES[ops.ops[s.op].pipe], s.start, s.end, s.op) for s in spans[:count]]
        found[core].append(Timeline(begin, length, by_start(parts)))
        return 0

    sizes = [len(ops.ops) for _, ops in kernels]
    after = [later for _, ops in kernels for later in ops.order.after]
    none = np.zeros(len(kernels) + 1, np.int64)
    own = np.array([core for core, _ in kernels])
    run_machine(
        {
            "tasks": len(kernels),
            "first": none,
            "target": none[:0],
            "func": none[1:],
            "kind": own,
            "length": np.array([undisturbed_ps(ops, rates) for _, ops in kernels]),
            "kernel": np.array(
                [n if shared and ops.shared_total else -1 for n, (_, ops) in enumerate(kernels)]
            ),
            "kernel_first": np.cumsum([0, *sizes]),
            "op_length": np.array([n for _, ops in kernels for n in lengths_ps(ops, rates)]),
            "op_bytes": np.array([n for _, ops in kernels for n in ops.shared_bytes]),
            "op_before": np.array([len(n) for _, ops in kernels for n in ops.order.before]),
            "op_after_first": np.cumsum([0, *map(len, after)]),
            "op_after": np.array([n for later in after for n in later], np.int64),
            "memory_bytes_per_s": bytes_per_s or 0,
            "cores": len(cores),
            "kinds": len(cores),
            "schedulers": 1,
            "pre_dispatch": max(map(len, cores)),
            "core_kind": np.arange(len(cores)),
            "core_scheduler": none[: len(cores)] if len(cores) <= len(none) else 0 * own,
            "core_rotates": 1,
            "tells_first": 1,
        },
        MachineCosts(),
        Hooks(ended=ended),
    )
    return found


def run_one(ops: PipeKernel, rates: CoreRates, bytes_per_s: int | None = None) -> Timeline:
    return Ran([[ops]], rates, bytes_per_s).timelines[0][0]


def ends_of_waits(kernel: PipeKernel, timeline: Timeline) -> list[list[int]]:
    """Of each op, the ends it must wait for, by counting sets and waits in program order."""
    ends = {op: end for _, _, end, op in timeline.spans}
    sets: defaultdict[int, list[int]] = defaultdict(list)
    for number, op in enumerate(kernel.ops):
        for flag in op.sets:
            sets[flag].append(ends[number])
    taken: defaultdict[int, int] = defaultdict(int)
    pipe_end: dict[str, int] = {}
    waits = []
    for number, op in enumerate(kernel.ops):
        waits.append([pipe_end[op.pipe]] if op.pipe in pipe_end else [])
        pipe_end[op.pipe] = ends[number]
        for flag in op.waits:
            waits[-1].append(sets[flag][taken[flag]])
            taken[flag] += 1
    return waits


def transfer_or_work(draw: st.DrawFn, pipe: str, kind: str) -> PipeOp:
    size = draw(st.integers(0, 40))
    routes = [name for name, route in ROUTES.items() if route == (pipe, kind)]
    if routes and size % 4:
        return PipeOp(pipe, cycles=size % 3, bytes=size, route=routes[size % len(routes)])
    return PipeOp(pipe, cycles=size)


@st.composite
def kernels(draw: st.DrawFn, kinds: tuple[str, ...] = ("aic", "aiv")) -> PipeKernel:
    """Any kernel that ends: flags lead forward in a list whose pipes are then mixed anew."""
    kind = draw(st.sampled_from(kinds))
    pipes = [pipe for pipe in PIPES if KIND_OF_PIPE.get(pipe, kind) == kind]
    codes = draw(st.lists(st.sampled_from(pipes), min_size=1, max_size=12))
    ops = [transfer_or_work(draw, pipe, kind) for pipe in codes]
    place = st.integers(0, len(ops) - 1)
    for one, other in draw(st.lists(st.tuples(place, place), max_size=14)):
        first, second = sorted((one, other))
        if first != second:
            flag = PIPES.index(ops[first].pipe) * len(PIPES) + PIPES.index(ops[second].pipe)
            ops[first] = replace(ops[first], sets=(*ops[first].sets, flag))
            ops[second] = replace(ops[second], waits=(*ops[second].waits, flag))
    queues = {pipe: [op for op in ops if op.pipe == pipe] for pipe in codes}
    return PipeKernel(kind, tuple(queues[pipe].pop(0) for pipe in draw(st.permutations(codes))))


def loads_only(kernel: PipeKernel) -> PipeKernel:
    """Every transfer through the memory on one pipe; stores become work."""
    return PipeKernel(
        kernel.name,
        tuple(
            replace(op, bytes=0, route="", cycles=op.cycles + op.bytes)
            if op.shared_bytes and op.pipe != "mte2"
            else op
            for op in kernel.ops
        ),
    )

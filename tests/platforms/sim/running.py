"""Kernels on simulated cores: a run of some cores, kernels of any shape, and what must hold."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from lanescope.platforms.sim.kernel import PS_PER_S, Kernel, Steps
from lanescope.platforms.sim.memory import SharedMemory
from lanescope.platforms.sim.timeline import Run, Timeline, run_kernel
from lanescope.workloads.pipes import (
    KIND_OF_PIPE,
    PIPES,
    ROUTES,
    CoreRates,
    PipeKernel,
    PipeOp,
)

# A cycle is 1000 ps, and so is a byte.
EVEN = CoreRates(10**9, dict.fromkeys(ROUTES, 10**9))
UNEVEN = CoreRates(1_850_000_007, {route: 70_000_001 * (n + 3) for n, route in enumerate(ROUTES)})


def spin_kernel(ps: int) -> PipeKernel:
    """The scalar pipe is busy for so many picoseconds; any core can run it."""
    return PipeKernel("spin", (PipeOp("scalar", ps=ps, mark=0),))


class Watched(SharedMemory):
    """Remembers who asked, and each transfer's slot, computed again with fractions."""

    core = -1

    def __init__(self, kernel: Kernel, bytes_per_s: int | None) -> None:
        super().__init__(kernel, bytes_per_s)
        self.slots: list[tuple[int, Fraction, Fraction]] = []
        self.askers: list[int] = []

    def take(self, size: int) -> int:
        assert self.bytes_per_s is not None
        self.askers.append(self.core)
        free = self.slots[-1][2] if self.slots else Fraction(0)
        begin = max(Fraction(self.kernel.now_ps), free)
        self.slots.append((size, begin, begin + Fraction(size * PS_PER_S, self.bytes_per_s)))
        return super().take(size)


class Ran:
    """Timelines of every core's kernels, run one after another, and the memory they shared."""

    def __init__(
        self, cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int | None = None
    ) -> None:
        kernel = Kernel()
        self.memory = Watched(kernel, bytes_per_s)
        self.timelines: list[list[Timeline]] = [[] for _ in cores]
        for number, kernels in enumerate(cores):
            kernel.start(f"core {number}", self._core(kernel, kernels, rates, number))
        kernel.run()
        assert kernel.stuck() == []
        self.length_ps = kernel.now_ps

    def _core(self, kernel: Kernel, kernels: list[PipeKernel], rates: CoreRates, n: int) -> Steps:
        for ops in kernels:
            timeline = yield from self._asking(n, run_kernel(kernel, ops, rates, self.memory))
            assert kernel.now_ps == timeline.end_ps
            self.timelines[n].append(timeline)

    def _asking(self, core: int, run: Run) -> Run:
        """The same run; the memory sees which core's turn it is."""
        while True:
            self.memory.core = core
            try:
                delay_ps = next(run)
            except StopIteration as end:
                timeline: Timeline = end.value
                return timeline
            yield delay_ps


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

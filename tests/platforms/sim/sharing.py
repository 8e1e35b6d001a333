"""Cores that share a memory, by a second way: what native/src/machine/kernels.h must give.

Every core is a generator that yields delays in picoseconds. A heap holds whose turn is next.
"""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import ceil

from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.timeline import CODES, Span, Timeline, alone, by_start, lengths_ps
from lanescope.workloads.pipes import CoreRates, PipeKernel

Run = Generator[int, None, Timeline]


class Clock:
    """The present time, and whose turn is when."""

    def __init__(self) -> None:
        self.now_ps = 0

    def run(self, cores: list[Generator[int, None, None]]) -> None:
        heap = [(0, n, n) for n in range(len(cores))]
        count = len(heap)
        while heap:
            self.now_ps, _, core = heappop(heap)
            for delay_ps in cores[core]:
                heappush(heap, (self.now_ps + delay_ps, count, core))
                count += 1
                break


class SharedMemory:
    """Serves one transfer at a time; remembers who asked, and each transfer's slot."""

    def __init__(self, clock: Clock, bytes_per_s: int | None) -> None:
        self.clock, self.bytes_per_s = clock, bytes_per_s
        self.core = -1
        self.askers: list[int] = []
        self.slots: list[tuple[int, Fraction, Fraction]] = []

    def take(self, size: int) -> int:
        """Queue a transfer now; return when its last byte has passed."""
        assert self.bytes_per_s is not None
        self.askers.append(self.core)
        free = self.slots[-1][2] if self.slots else Fraction(0)
        begin = max(Fraction(self.clock.now_ps), free)
        end = begin + Fraction(size * PS_PER_S, self.bytes_per_s)
        self.slots.append((size, begin, end))
        return ceil(end)


def run_kernel(ops: PipeKernel, rates: CoreRates, memory: SharedMemory) -> Run:
    """Run a kernel to the end of its last operation."""
    clock = memory.clock
    if memory.bytes_per_s is None or not ops.shared_total:
        timeline = alone(ops, rates, clock.now_ps)
        yield timeline.length_ps
        return timeline
    begin_ps = clock.now_ps
    (_, before, after), shared, lengths = ops.order, ops.shared_bytes, lengths_ps(ops, rates)
    left = [len(earlier) for earlier in before]
    starts = [0] * len(left)
    ready = [(0, number) for number, count in enumerate(left) if count == 0]
    heapify(ready)
    spans: list[Span] = []
    while ready:
        start, number = heappop(ready)
        end = start + lengths[number]
        if shared[number]:
            if begin_ps + start > clock.now_ps:
                yield begin_ps + start - clock.now_ps
            end = max(end, memory.take(shared[number]) - begin_ps)
        spans.append((CODES[ops.ops[number].pipe], start, end, number))
        for other in after[number]:
            starts[other] = max(starts[other], end)
            left[other] -= 1
            if left[other] == 0:
                heappush(ready, (starts[other], other))
    length_ps = max((end for _, _, end, _ in spans), default=0)
    if begin_ps + length_ps > clock.now_ps:
        yield begin_ps + length_ps - clock.now_ps
    return Timeline(begin_ps, length_ps, by_start(spans))

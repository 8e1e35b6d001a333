"""One run of a kernel on one core, exact to the picosecond, while no other core uses the memory.

Where cores share the memory, the machine runs the operations (native/src/machine/kernels.h).
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.workloads.pipes import PIPES, CoreRates, PipeKernel, PipeOp

Span = tuple[int, int, int, int]
"""Pipe (its position in PIPES), start and end in ps since the task began, operation's number."""
CODES = {pipe: code for code, pipe in enumerate(PIPES)}


@dataclass(frozen=True)
class Timeline:
    """Every operation of one task, sorted by start and then by number.

    Times of spans count from `begin_ps`. Runs of the same kernel that no other core can disturb
    share one tuple of spans.
    """

    begin_ps: int
    length_ps: int
    spans: tuple[Span, ...]

    @property
    def end_ps(self) -> int:
        """Time at which the task ended."""
        return self.begin_ps + self.length_ps

    def absolute(self) -> list[Span]:
        """Return the spans with times since the beginning of the simulation."""
        begin = self.begin_ps
        return [(pipe, begin + start, begin + end, op) for pipe, start, end, op in self.spans]


def undisturbed_ps(ops: PipeKernel, rates: CoreRates) -> int:
    """Return how long the kernel takes if no other core uses the memory, in ps."""
    return _alone(ops, rates)[1]


def alone(ops: PipeKernel, rates: CoreRates, begin_ps: int) -> Timeline:
    """Return the timeline of a run that begins at `begin_ps` and shares the memory with nobody."""
    spans, length_ps = _alone(ops, rates)
    return Timeline(begin_ps, length_ps, spans)


def busy_ps(timeline: Timeline, pipe: str) -> int:
    """Return how long a pipe was busy, in ps; a transfer that waits for the memory is busy, too."""
    code = CODES[pipe]
    return sum(end - start for own, start, end, _ in timeline.spans if own == code)


def _alone(ops: PipeKernel, rates: CoreRates) -> tuple[tuple[Span, ...], int]:
    """Return the spans and the length of a run that shares the memory with nobody."""
    key = ("alone", rates)
    if key not in ops.memo:
        order, lengths = ops.order, lengths_ps(ops, rates)
        ends = [0] * len(lengths)
        spans = []
        for number in order.sorted:
            start = max((ends[other] for other in order.before[number]), default=0)
            ends[number] = start + lengths[number]
            spans.append((CODES[ops.ops[number].pipe], start, ends[number], number))
        ops.memo[key] = by_start(spans), max(ends, default=0)
    spans_and_length: tuple[tuple[Span, ...], int] = ops.memo[key]
    return spans_and_length


def by_start(spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans by start, then by number."""
    return tuple(sorted(spans, key=lambda span: (span[1], span[3])))


def lengths_ps(ops: PipeKernel, rates: CoreRates) -> list[int]:
    """Return how long each operation lasts if no other core uses the memory, in ps."""
    key = ("lengths", rates)
    if key not in ops.memo:
        for number, op in enumerate(ops.ops):
            if op.bytes and op.route not in rates.bytes_per_s:
                raise ops.problem(number, f"the core has no rate for route {op.route}")
        ops.memo[key] = [_length_ps(op, rates) for op in ops.ops]
    lengths: list[int] = ops.memo[key]
    return lengths


def _length_ps(op: PipeOp, rates: CoreRates) -> int:
    compute_ps = -(-op.cycles * PS_PER_S // rates.core_hz)
    if not op.bytes:
        return max(op.ps, compute_ps)
    return max(op.ps, compute_ps, -(-op.bytes * PS_PER_S // rates.bytes_per_s[op.route]))

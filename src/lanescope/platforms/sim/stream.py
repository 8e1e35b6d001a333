"""The chunks that a core's trace engine makes of one task, from the exact timeline of its pipes.

A stamp is a tick of the system counter, rounded down. Chunks count core cycles from that tick, each
rounded down. So every decoded time is early by less than one core cycle. The simulator has no queue
between scalar and the other pipes: a mark is issued and executed in the same cycle.
"""

from __future__ import annotations

from lanescope.chunks import StartStamp, busy_events, encode_task, mark_events, merge
from lanescope.chunks.layout import FIXP_CODES, SCALAR
from lanescope.device.head import Array
from lanescope.platforms.sim.inside import TaskInside
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.timeline import Span
from lanescope.workloads.pipes import PipeKernel

REGION_START, REGION_END = 1 << 10, 1 << 10 | 1 << 11
"""A region's number is in bits 0 to 9 of a mark. Bit 10 is set for regions, bit 11 at their end."""


def task_chunks(
    inside: TaskInside, *, counter_hz: int, block: int = 0, fixp_code: int = FIXP_CODES[0]
) -> Array:
    """Return the chunks of one task; without a kernel it keeps scalar busy for its whole length."""
    spans = inside.timeline.spans
    if inside.kernel is None:
        spans = ((SCALAR, 0, inside.timeline.length_ps, 0),)
    tick, rest = divmod(inside.timeline.begin_ps * counter_hz, PS_PER_S)
    # A time t ps after the task began is (t + rest / counter_hz) ps after the tick.
    core_hz, per = inside.rates.core_hz, PS_PER_S * counter_hz
    rate, past = core_hz * counter_hz, rest * core_hz
    edges = {time for _, start, end, _ in spans for time in (start, end)}
    cycle = {time: (time * rate + past) // per for time in edges}
    busy = busy_events(
        [pipe for pipe, *_ in spans],
        [cycle[start] for _, start, _, _ in spans],
        [cycle[end] for _, _, end, _ in spans],
    )
    marks = _marks(inside.kernel, spans) if inside.kernel is not None else []
    at = [cycle[time] for time, *_ in marks]
    marked = mark_events(
        [pipe for *_, pipe in marks],
        [mark for _, _, mark, _ in marks],
        issue=at,
        execute=at,
        fixp_code=fixp_code,
    )
    return encode_task(StartStamp(tick, block), merge(busy, marked))


def _marks(kernel: PipeKernel, spans: tuple[Span, ...]) -> list[tuple[int, int, int, int]]:
    """Return (time, operation, mark, pipe) for both ends of every operation with a mark, sorted."""
    marks = []
    for pipe, start, end, op in spans:
        mark = kernel.ops[op].mark
        if mark is not None:
            marks.append((start, op, REGION_START | mark, pipe))
            marks.append((end, op, REGION_END | mark, pipe))
    return sorted(marks)

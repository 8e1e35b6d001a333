"""What a simulated core did, written as chunks and read back: equal in whole core cycles."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from tests.platforms.sim.running import kernels, run_one

from lanescope.chunks import Clocks, StartStamp, busy_events, decode, encode_task
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.trace.pipes import PIPES
from lanescope.workloads.pipes import ROUTES, CoreRates, PipeKernel

CLOCKS = Clocks(core_hz=1_650_000_000, counter_hz=1_000_000_000)
RATES = CoreRates(CLOCKS.core_hz, {route: 70_000_001 * (n + 3) for n, route in enumerate(ROUTES)})


def worked(spans: list[tuple[int, int, int]], pipe: int) -> list[tuple[int, int]]:
    """When the pipe worked, in cycles; operations that touch are one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted((s, e) for p, s, e in spans if p == pipe and e > s):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


@settings(deadline=None)
@given(kernels())
def test_decoded_intervals_are_those_of_the_core_in_whole_cycles(ops: PipeKernel) -> None:
    """Whole cycles: a true moment is less than one cycle later than the one that is decoded."""
    timeline = run_one(ops, RATES)
    spans = [
        (pipe, *(ps * CLOCKS.core_hz // PS_PER_S for ps in (start, end)))
        for pipe, start, end, _ in timeline.spans
    ]
    chunks = encode_task(StartStamp(7_000_000_000), busy_events(*np.array(spans, np.int64).T))
    decoded = decode(chunks, CLOCKS)
    assert decoded.base_ticks == 7_000_000_000
    for pipe in range(len(PIPES)):
        mine = decoded.busy.pipe == pipe
        edges = (decoded.busy.start[mine], decoded.busy.end[mine])
        found = zip(*((time // CLOCKS.units_per_cycle).tolist() for time in edges), strict=True)
        assert list(found) == worked(spans, pipe)

"""A program on two units, by hand: three instructions, one of which waits."""

from __future__ import annotations

from typing import Any

from tests.analyze.hand import make_trace

from lanescope.trace import Trace
from lanescope.trace.meta import ScheduleFacts, WaitFacts

SCHEDULE = ScheduleFacts(
    cycles=15,
    serial_cycles=18,
    bound="matrix",
    bound_share=0.8,
    waits=(WaitFacts("slot", "too many transfers", 1), WaitFacts("unit", "its unit was busy", 4)),
)


def instruction(core: int, func: int, front: int, start: int, end: int) -> dict[str, Any]:
    """One instruction at 100 MHz; times in cycles."""
    cycles = {"dispatch": front, "start": start, "end": end}
    return {
        "core": core,
        "func": func,
        "kind": "run",
        **{f"{name}_cycles": value for name, value in cycles.items()},
        **{f"{name}_ns": 10 * value for name, value in cycles.items()},
    }


def program(schedule: ScheduleFacts | None = SCHEDULE, **meta: Any) -> Trace:
    """M_MM for 6 cycles twice, V_ADD for 3; 15 cycles in all."""
    return make_trace(
        meta={"schedule": schedule, "clock_hz": 100_000_000, "base_cycles": 0, **meta},
        cores=[
            {"core": 0, "name": "matrix", "kind": "matrix", "lane": "unit"},
            {"core": 1, "name": "vector", "kind": "vector", "lane": "unit"},
        ],
        functions=[{"func": 7, "name": "M_MM"}, {"func": 9, "name": "V_ADD"}],
        tasks=[
            instruction(0, 7, 0, 0, 6),
            instruction(0, 7, 1, 6, 12),
            instruction(1, 9, 7, 12, 15),
        ],
        counters=[
            {"name": "hbm_bytes_read", "value": 8192.0},
            {"name": "cycles", "value": 9.0, "site": "gather"},
            {"name": "cycles", "value": 0.0, "site": "router"},
            {"name": "sampled", "value": 1.0, "time_ns": 5},
        ],
    )

"""Small fleets on disk: traces written by hand, each with a makespan that the test chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.analyze.hand import make_trace, task

from lanescope.trace import save


def stored(path: Path, makespan_ns: int, **meta: Any) -> Path:
    """A trace of two tasks on one core; the second takes what is left of the makespan."""
    trace = make_trace(
        {"chip": "a2a3", "level": 2, "name": "chain", **meta},
        cores=[{"core": 0, "name": "aic 0", "kind": "aic"}],
        functions=[{"func": 0, "name": "A"}, {"func": 1, "name": "B"}],
        tasks=[
            task(0, 0, 10, 20, 120, 130, task=1, func=0),
            task(0, 130, 140, 150, makespan_ns - 10, makespan_ns, task=2, func=1),
        ],
        edges=[{"pred": 1, "succ": 2, "kind": "explicit"}],
    )
    return save(trace, path)


def fleet_of(folder: Path, makespans_ns: list[int], **meta: Any) -> Path:
    """A folder of traces t00.lanes, t01.lanes, …, a day apart."""
    day_ns = 86_400 * 10**9
    for number, ns in enumerate(makespans_ns):
        facts = {"epoch_ns": 1_790_000_000 * 10**9 + number * day_ns, **meta}
        stored(folder / f"t{number:02}.lanes", ns, **facts)
    return folder

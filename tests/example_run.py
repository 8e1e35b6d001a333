"""The run that docs/reading-a-report.md explains: three tasks on two cores, drawn there."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase, task

from lanescope.trace import Trace


def example() -> Trace:
    submits = ((1, 0, 1000), (2, 1000, 2000), (3, 2000, 80_000))
    return make_trace(
        {"level": 4},
        cores=[
            {"core": 0, "name": "aic 0", "kind": "aic"},
            {"core": 1, "name": "aiv 1", "kind": "aiv"},
        ],
        functions=[{"func": 0, "name": "A"}, {"func": 1, "name": "B"}, {"func": 2, "name": "C"}],
        tasks=[
            task(0, 90_000, 95_000, 96_000, 100_000, 105_000, task=3, func=2),
            task(1, 5_000, 8_000, 10_000, 20_000, 22_000, task=1, func=0),
            task(1, 30_000, 35_000, 40_000, 50_000, 52_000, task=2, func=1),
        ],
        edges=[
            {"pred": 1, "succ": 2, "kind": "explicit"},
            {"pred": 2, "succ": 3, "kind": "explicit"},
        ],
        phases=[
            phase("submit", start, end, lane="orchestrator", task=number, submit=number)
            for number, start, end in submits
        ],
    )

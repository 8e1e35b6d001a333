"""What was captured, in numbers."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase, task

from lanescope.analyze.recording.captured import Capture, CoreTally, Tally, capture
from lanescope.analyze.recording.whose import Whose
from lanescope.trace.flags import LEVEL_DOCS
from lanescope.trace.schema import TaskFlag


def test_everything_is_counted_once() -> None:
    trace = make_trace(
        {"level": 4, "flags": 0b1000001, "chip": "a2a3", "notes": ("A note.",)},
        cores=[{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}],
        tasks=[
            task(0, 0, 1, 2, 3, 4, task=10, flags=int(TaskFlag.MIX)),
            task(1, 0, 1, 2, 3, 4, task=10, flags=int(TaskFlag.MIX)),
            task(5, 0, 1, 2, 3, 4, task=11, blocks=2),
            task(5, 0, None, None, None, 4, task=12, blocks=1),
            {"kind": "alloc", "task": 20},
            {"kind": "alloc", "task": 21},
            {"kind": "outside", "task": 22},
        ],
        phases=[phase("dispatch", 0, 1), phase("submit", 0, 1, lane="orchestrator")],
        edges=[{"pred": 10, "succ": 11}, {"pred": 10, "succ": 11}, {"pred": 20, "succ": 10}],
        marks=[{"core": 0}],
        counters=[{"value": 1.0}, {"value": 2.0}],
    )
    assert capture(trace) == Capture(
        name="hand",
        origin="simulated",
        tool="tests",
        chip="a2a3",
        clock_hz=None,
        base_cycles=None,
        level=4,
        level_doc=LEVEL_DOCS[4],
        features=("chip_swimlane_core_timing", "pmu"),
        sources=(),
        cores=(CoreTally("aic", 1, 1), CoreTally("aiv", 1, 1), CoreTally("(unknown)", 1, 1)),
        runs=3,
        tasks=2,
        nodes=(Tally("alloc", 2), Tally("outside", 1)),
        mix_tasks=1,
        spmd_tasks=1,
        phases=(Tally("scheduler", 1), Tally("orchestrator", 1)),
        edges=3,
        edge_pairs=2,
        marks=1,
        counters=2,
        notes=("A note.",),
        whose=Whose.of(trace.meta),
    )


def test_an_empty_trace_is_all_zero() -> None:
    empty = capture(make_trace())
    assert (empty.runs, empty.tasks, empty.core_count, empty.edge_pairs) == (0, 0, 0, 0)
    assert (empty.cores, empty.nodes, empty.phases) == ((), (), ())


def test_a_level_from_the_future_has_no_meaning_here() -> None:
    assert capture(make_trace({"level": 9})).level_doc == "not a level lanescope knows"

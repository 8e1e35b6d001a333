"""One run in nanoseconds, whole."""

from __future__ import annotations

import json

from tests.analyze.hand import make_trace, phase, task
from tests.analyze.streams.made import full, of_streams, ran

from lanescope.analyze.compare.diff import diff
from lanescope.analyze.compare.measures import GROUPS, measures
from lanescope.trace import Trace


def small() -> Trace:
    """Two tasks on one core: 2..12 and, behind it, 15..20, with a finish at 24."""
    return make_trace(
        {"level": 4},
        cores=[{"core": 0, "kind": "aiv", "name": "AIV_0"}],
        functions=[{"func": 0, "name": "A"}],
        tasks=[
            task(0, 0, 1, 2, 12, 13, task=1, func=0),
            task(0, 13, 14, 15, 20, 24, task=2, func=1),
        ],
        edges=[{"pred": 1, "succ": 2}],
        phases=[
            phase("dispatch", 0, 3),
            phase("dispatch", 10, 14, controller=1),
            phase("submit", 0, 1, lane="orchestrator"),
        ],
    )


def test_every_measure_of_a_small_run() -> None:
    result = measures(small())
    core_time = {"running": 15.0, "scheduler": 1.0, "switch": 4.0, "nothing": 4.0}
    path = {"run": 15.0, "switch": 4.0, "scheduler": 1.0, "finish": 4.0, "static": 15.0}
    zeros = ("data", "queued", "orchestrator", "blocked", "lost", "unexplained")
    assert result.to_dict() == {
        "name": "hand",
        "values": {
            "run": {"makespan": 24.0},
            "core time": dict.fromkeys(zeros, 0.0) | core_time,
            "critical path": dict.fromkeys(("orchestrator", "launch", "idle"), 0.0) | path,
            "function": {"A": 10.0, "func_1": 5.0},
            "phase": {"scheduler dispatch": 7.0, "orchestrator submit": 1.0},
            "core": {"AIV_0": 15.0},
        },
        "counts": {"A": 1, "func_1": 1},
        "lengths": {"A": [10], "func_1": [5]},
    }
    used = list(dict.fromkeys(group for group, _ in result.values))
    assert used == [group for group in GROUPS if group in used]
    assert repr(result) == "<Measures of 'hand': makespan 24.0 ns, 24 measures>"


def test_the_dict_is_json() -> None:
    result = measures(small()).to_dict()
    assert json.loads(json.dumps(result)) == result


def test_a_run_without_names_counts_by_number() -> None:
    result = measures(make_trace(tasks=[task(5, None, None, 0, 4, None, func=2)]))
    assert result.values["core", "core 5"] == 4.0
    assert result.values["function", "func_2"] == 4.0


def test_an_empty_trace_has_no_measures() -> None:
    assert measures(make_trace()).to_dict() == {
        "name": "hand",
        "values": {},
        "counts": {},
        "lengths": {},
    }


def test_a_run_on_streams_has_words_of_its_own() -> None:
    groups = measures(full()).to_dict()["values"]
    assert list(groups) == [
        *("run", "device time", "critical path", "host row", "kernel", "stream"),
    ]
    assert sum(groups["device time"].values()) == groups["run"]["makespan"] == 330.0
    assert sum(groups["critical path"].values()) == 450.0
    assert groups["host row"]["cudaLaunchKernel"] == 25.0
    assert groups["stream"] == {"s0": 160.0, "s1": 80.0}


def test_kernels_may_be_new_or_gone() -> None:
    base, new = measures(full()), measures(of_streams([ran(0, "odd", 0, 9), ran(0, "gemm", 9, 10)]))
    rows = {row.name: row.verdict for row in diff([base], [new]).rows if row.group == "kernel"}
    assert rows == {
        "gemm": "unsure",
        "reduce": "gone",
        "copy": "gone",
        "fill": "gone",
        "odd": "new",
    }

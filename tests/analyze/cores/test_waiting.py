"""What a core waited for before each run: by hand, and in sum the verdict's table."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.cores.test_verdict import CORES, submit
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import a2a3, simulated

from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.cores.waiting import LABELS, core_activity
from lanescope.native import tiling
from lanescope.trace import Trace
from lanescope.trace.numbering import different, numbered, places, replaced
from lanescope.workloads import build_workload


def waits(trace: Trace) -> list[dict[str, float]]:
    """Per run, what is not 0."""
    activity = core_activity(trace)
    assert activity is not None
    before = activity.waits().before
    return [
        {what: float(ns[k]) for what, ns in before.items() if ns[k]}
        for k in range(len(activity.rows))
    ]


def test_a_run_is_told_what_its_core_waited_for() -> None:
    """The trace of test_every_reason_has_its_place."""
    trace = make_trace(
        {"level": 4},
        cores=CORES[:2],
        tasks=[
            task(0, 90, 95, 96, 100, 100, task=3),
            task(1, 5, 8, 10, 20, 22, task=1),
            task(1, 30, 35, 40, 50, 100, task=2),
        ],
        edges=[{"pred": 1, "succ": 2, "kind": "explicit"}, {"pred": 2, "succ": 3}],
        phases=[submit(1, 0, 1), submit(2, 1, 2), submit(3, 2, 80)],
    )
    assert waits(trace) == [
        {"data": 45, "orchestrator": 30, "scheduler": 10, "switch": 6},
        {"switch": 5},
        {"scheduler": 10, "switch": 10},
    ]
    activity = core_activity(trace)
    assert activity is not None
    assert activity.waits().after["nothing"].tolist() == [0, 50]


def test_idle_cores_of_a_kind_share_what_they_wait_for() -> None:
    """One task is ready from 10 to 30 while both vector cores are idle."""
    trace = make_trace(
        {"level": 2},
        cores=CORES[1:],
        tasks=[task(1, 0, 0, 0, 10, 10, task=1), task(2, 30, 30, 30, 40, 40, task=2)],
        edges=[{"pred": 1, "succ": 2}],
    )
    assert waits(trace) == [{}, {"scheduler": 10, "data": 10, "nothing": 10}]


@pytest.mark.parametrize("workload", ["mixed", "paged_attention", "spmd_mix"])
@pytest.mark.parametrize("level", [1, 2, 4])
def test_runs_and_what_comes_after_them_add_up_to_the_verdict(workload: str, level: int) -> None:
    trace = simulated(build_workload(workload, {}), a2a3(), level=level)
    activity, said = core_activity(trace), verdict(trace)
    assert activity is not None and said.chip is not None
    waits = activity.waits()
    before, after = waits.before, waits.after
    for what in LABELS:
        if what == "running":
            assert not before[what].any() and not after[what].any()
            continue
        kind_of = activity.cores.kind_of
        of_run = kind_of[activity.cores.place(trace.tasks["core"][activity.rows])]
        for number, kind in enumerate(said.kinds[1:]):
            told = before[what][of_run == number].sum(dtype=np.float64)
            told += after[what][kind_of == number].sum(dtype=np.float64)
            assert told == pytest.approx(kind.ns(what), rel=1e-6, abs=1)


def test_a_trace_without_tasks_has_no_activity() -> None:
    assert core_activity(make_trace()) is None


def test_ids_near_and_far_are_numbered_alike() -> None:
    near = np.array([7, 3, 9, 3])
    for values in (near, near * 10**15):
        ids, place = numbered(values)
        assert ids[place].tolist() == values.tolist()
        assert different(values).tolist() == ids.tolist()
        assert places(ids, values).tolist() == place.tolist()
        assert places(ids, values + 1).tolist() == [-1] * 4
        assert replaced(values, ids, np.array([30, 70, 90])).tolist() == [70, 30, 90, 30]


@pytest.mark.parametrize(("name", "most"), [("MOST_CORES", 3), ("MOST_KINDS", 2)])
def test_cores_and_kinds_up_to_the_most_are_answered(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three cores of two kinds."""
    trace = make_trace(
        tasks=[task(core, 0, 0, 0, 10, 10, task=core) for core in range(3)],
        cores=[{"core": core, "kind": ("aic", "aiv")[core % 2]} for core in range(3)],
    )
    monkeypatch.setattr(tiling, name, most)
    assert core_activity(trace) is not None
    monkeypatch.setattr(tiling, name, most - 1)
    assert core_activity(trace) is None

"""Busy shares per bin and histograms of durations."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.cores.over_time import busy_over_time


def test_share_is_of_all_cores_of_the_kind() -> None:
    tasks = [task(0, None, None, 0, 10, None), task(2, None, None, 10, 20, None)]
    kinds = ("aic", "aic", "aiv")
    cores = [{"core": core, "kind": kind} for core, kind in enumerate(kinds)]
    aic, aiv = busy_over_time(make_trace(tasks=tasks, cores=cores), Span(0, 20), 2)
    assert (aic.kind, aic.cores, aic.share.tolist()) == ("aic", 2, [0.5, 0.0])
    assert (aiv.kind, aiv.cores, aiv.share.tolist()) == ("aiv", 1, [0.0, 1.0])


def test_the_result_is_short_and_turns_into_lists() -> None:
    cores = [{"core": 0, "kind": "aic"}]
    trace = make_trace(tasks=[task(0, None, None, 0, 10, None)], cores=cores)
    (aic,) = busy_over_time(trace, Span(0, 20), 2)
    assert aic.to_dict() == {"kind": "aic", "cores": 1, "share": [1.0, 0.0]}
    assert repr(aic) == "<BusyShare of aic: 1 core, 50.0% busy, 2 bins>"


def test_a_trace_without_cores_has_no_shares() -> None:
    assert busy_over_time(make_trace(), Span(0, 20), 2) == ()


def test_runs_that_overlap_on_a_core_make_it_no_busier_than_busy() -> None:
    tasks = [task(0, None, None, 0, 10, None), task(0, None, None, 5, 10, None)]
    trace = make_trace(tasks=tasks, cores=[{"core": 0, "kind": "aic"}])
    (aic,) = busy_over_time(trace, Span(0, 20), 2)
    assert aic.share.tolist() == [1.0, 0.0]

"""Busy shares per bin and histograms of durations."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.cores.over_time import busy_over_time
from lanescope.analyze.tasks.durations import durations


def test_share_is_of_all_cores_of_the_kind() -> None:
    tasks = [task(0, None, None, 0, 10, None), task(2, None, None, 10, 20, None)]
    kinds = ("aic", "aic", "aiv")
    cores = [{"core": core, "kind": kind} for core, kind in enumerate(kinds)]
    aic, aiv = busy_over_time(make_trace(tasks=tasks, cores=cores), Span(0, 20), 2)
    assert (aic.kind, aic.cores, aic.share.tolist()) == ("aic", 2, [0.5, 0.0])
    assert (aiv.kind, aiv.cores, aiv.share.tolist()) == ("aiv", 1, [0.0, 1.0])


def test_durations_fall_into_quarter_octaves() -> None:
    lengths = (16, 18, 19, 32, 0)
    tasks = [task(0, None, None, 0, length, None, func=4) for length in lengths]
    shape = durations(make_trace(tasks=tasks))[4]
    assert (shape.first, sum(shape.counts)) == (0, 5)
    assert {k: n for k, n in enumerate(shape.counts) if n} == {0: 1, 16: 3, 20: 1}
    assert shape.edge_ns(16) == 16.0

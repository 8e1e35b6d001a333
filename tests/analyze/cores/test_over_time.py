"""Busy shares per bin and histograms of durations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.cores.over_time import busy_over_time, covered_per_bin


def test_time_is_shared_between_the_bins_it_lies_in() -> None:
    start, end = np.array([0, 15]), np.array([5, 35])
    assert covered_per_bin(start, end, Span(0, 40), 4).tolist() == [5, 5, 10, 5]


def test_every_nanosecond_is_counted_once() -> None:
    rng = np.random.default_rng(5)
    start = rng.integers(-50, 900, 500)
    end = start + rng.integers(0, 300, 500)
    found = covered_per_bin(start, end, Span(0, 1000), 13)
    inside = np.clip(end, 0, 1000) - np.clip(start, 0, 1000)
    assert found.sum() == pytest.approx(inside.sum())
    width = 1000 / 13
    third = np.clip(end, 2 * width, 3 * width) - np.clip(start, 2 * width, 3 * width)
    assert found[2] == pytest.approx(third.sum())


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

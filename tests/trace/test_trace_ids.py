"""Ids that a source gives its tasks, beside the numbers that a trace of several runs gives them."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace, phase, task

from lanescope.trace import MISSING, Trace
from lanescope.trace.trace_ids import source_ids, with_source_ids


def numbered(*ids: int) -> Trace:
    """Tasks 0 and 1, with the ids that the source gives them."""
    own = [{"id": one} for one in ids] or [{}, {}]
    return make_trace(
        tasks=[task(0, 5 * n, 1, 2, 3, 4, task=n, **own[n]) for n in range(2)],
        phases=[phase("dispatch", 0, 1, task=1), phase("poll", 1, 2)],
        edges=[{"pred": 0, "succ": 1, "kind": "data"}],
    )


def test_every_table_has_the_ids_of_the_source() -> None:
    trace = numbered(70, 80)
    found = with_source_ids(trace)
    assert found.tasks["task"].tolist() == [70, 80]
    assert found.phases["task"].tolist() == [80, MISSING]
    assert (found.edges["pred"].tolist(), found.edges["succ"].tolist()) == ([70], [80])
    assert source_ids(trace, np.array([1, 0, 5, MISSING])).tolist() == [80, 70, MISSING, MISSING]


def test_a_trace_whose_numbers_are_the_sources_own_stays_as_it_is() -> None:
    trace = numbered()
    assert with_source_ids(trace) is trace
    ids = np.array([1, 9])
    assert source_ids(trace, ids) is ids

"""Places of cores and numbers of kinds."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace

from lanescope.analyze.columns.core_index import CoreIndex

CORES = [{"core": 40, "kind": "aiv"}, {"core": 7, "kind": "aic"}, {"core": 9, "kind": "aiv"}]


def test_cores_keep_the_order_of_the_table() -> None:
    index = CoreIndex(make_trace(cores=CORES))
    assert index.kinds == ["aiv", "aic"]
    assert index.cores.tolist() == [40, 7, 9]
    assert index.kind_of.tolist() == [0, 1, 0]


def test_a_core_that_is_not_there_has_no_place() -> None:
    index = CoreIndex(make_trace(cores=CORES))
    assert index.place(np.array([9, 40, 7, 8, 41, -1])).tolist() == [2, 0, 1, -1, -1, -1]


def test_a_trace_without_cores_has_no_places() -> None:
    index = CoreIndex(make_trace())
    assert (index.kinds, index.place(np.array([0, 1])).tolist()) == ([], [-1, -1])

"""Bars as packets of bytes: how wide they are."""

from __future__ import annotations

import numpy as np

from lanescope.formats.perfetto.rows import SliceEncoder
from lanescope.formats.views import Argument, Bars
from lanescope.formats.views.layout import lay
from lanescope.trace import MISSING


def size(values: list[int]) -> int:
    """Bytes of one bar per value, which is its argument."""
    start = np.arange(len(values))
    bars = Bars(
        np.zeros(len(values), np.int32),
        start,
        start + 1,
        np.zeros(len(values), np.int64),
        ("bar",),
        (Argument("number", np.array(values, np.int64)),),
    )
    view = lay("view", ["lane"], (bars,))
    return len(SliceEncoder(view, 1).encode(0, len(view.order)))


def test_a_value_that_is_not_known_takes_no_more_bytes_than_the_others() -> None:
    assert size([1, MISSING]) == size([1, 2])
    assert size([300, MISSING]) == size([300, 2]) == size([1, 2]) + 2
    assert size([-1, MISSING]) == size([-1, 2]) == size([1, 2]) + 18

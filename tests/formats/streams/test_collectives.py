"""Collectives with their group and number, by the best that is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.formats.streams.test_build import bundle, recording

from lanescope.formats.streams import CollectiveRows, stream_trace
from lanescope.trace import MISSING, MISSING32


def table(**columns: Any) -> dict[str, list[Any]]:
    """Rows 0 to 2 of the recording: they start at 1400, 1200 and 1100."""
    given = recording()
    given.collectives = CollectiveRows(row=np.array([0, 1, 2]), **columns)
    return stream_trace(given, bundle()).collectives.to_dict()


def test_what_is_told_of_a_collective_stays_with_it_in_the_order_of_time() -> None:
    found = table(
        group=["a", "b", "a"],
        sequence=np.array([5, MISSING, 3]),
        kind=["send", "", "recv"],
        bytes=np.array([10, 20, 30]),
        bytes_out=np.array([11, MISSING, 31]),
        type=["f", "g", ""],
        peers=["0,1", "", "2"],
        size=np.array([2, 3, MISSING32]),
        source=np.array([0, 1, MISSING32]),
        target=np.array([MISSING32, 0, 1]),
        matched="name",
    )
    assert found == {
        "group": ["a", "b", "a"],
        "sequence": [3, 0, 5],
        "matched": ["name", "group", "name"],
        "kind": ["recv", None, "send"],
        "bytes": [30, 20, 10],
        "bytes_out": [31, None, 11],
        "type": [None, "g", "f"],
        "peers": ["2", None, "0,1"],
        "size": [None, 3, 2],
        "source": [None, 1, 0],
        "target": [1, 0, None],
        "task": [0, 1, 2],
        "core": [0, 0, 1],
        "start_ns": [100, 200, 400],
        "end_ns": [200, 300, 500],
        "rank": [None, None, None],
    }


def test_without_numbers_they_are_counted_in_their_group_or_on_their_stream() -> None:
    found = table(group=["", "", ""], kind=["send"] * 3)
    assert found["group"] == ["stream 7: gemm", "stream 7: gemm", "stream 8: copy"]
    assert (found["sequence"], found["matched"]) == ([0, 1, 0], ["stream"] * 3)
    for name in ("bytes", "bytes_out", "type", "peers", "size", "source", "target"):
        assert set(found[name]) == {None}

"""The C functions through their Python faces; json_rows has its own tests in tests/formats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope import native
from lanescope.errors import LanescopeError
from lanescope.native import Array


def test_a_library_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    built = native.NATIVE_VERSION
    monkeypatch.setattr(native, "NATIVE_VERSION", 99)
    native.library.cache_clear()
    with pytest.raises(LanescopeError, match=f"is version {built}, this Python code needs 99"):
        native.library()
    native.library.cache_clear()


def stacked(slices: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    ordered = sorted(slices, key=lambda s: (s[0], -s[1]))
    start, end = np.array(ordered, np.int64).reshape(-1, 2).T
    return stacked_on(np.zeros(len(ordered)), start, end)


def stacked_on(lane: Array, start: Array, end: Array) -> tuple[list[int], list[int]]:
    stacked = native.stack_slices(lane, start, end)
    assert stacked is not None
    sublane, order = stacked
    return sublane.tolist(), order.tolist()


def test_slices_one_after_the_other_share_a_lane() -> None:
    assert stacked([(0, 5), (5, 9)]) == ([0, 0], [0, 1, 2, 3])


def test_a_slice_inside_another_nests() -> None:
    assert stacked([(0, 9), (2, 5)]) == ([0, 0], [0, 2, 3, 1])


def test_a_slice_that_sticks_out_gets_a_lane_of_its_own() -> None:
    assert stacked([(0, 5), (3, 9)])[0] == [0, 1]


def test_lanes_do_not_mix() -> None:
    stacked = stacked_on(np.array([0, 1]), np.array([0, 3]), np.array([5, 9]))
    assert stacked == ([0, 0], [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("lane", "start", "end"),
    [([1, 0], [0, 3], [5, 9]), ([0, 0], [3, 0], [5, 9]), ([0, 0], [3, 3], [5, 9])],
    ids=["lane", "start", "longest first"],
)
def test_slices_that_are_not_sorted_are_not_stacked(
    lane: list[int], start: list[int], end: list[int]
) -> None:
    columns = np.array(lane), np.array(start), np.array(end)
    assert native.stack_slices(*columns) is None
    assert native.stack_slices(*(column[::-1] for column in columns)) is not None


def test_too_many_at_once_is_said() -> None:
    start = np.arange(1025)
    with pytest.raises(LanescopeError, match="more than 1024 slices of one lane overlap"):
        native.stack_slices(np.zeros(1025), start, start + 5000)


intervals = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=30)


@given(intervals)
def test_on_every_sublane_slices_are_disjoint_or_nested(some: list[tuple[int, int]]) -> None:
    slices = sorted(((a, a + d) for a, d in some), key=lambda s: (s[0], -s[1]))
    sublane, order = stacked(slices)
    assert sorted(order) == list(range(2 * len(slices)))
    for lane in set(sublane):
        open_slices: list[int] = []
        now = -1
        for event in order:
            index, ends = divmod(event, 2)
            if sublane[index] != lane:
                continue
            time = slices[index][ends]
            assert time >= now
            now = time
            if ends:
                assert open_slices.pop() == index
            else:
                open_slices.append(index)
        assert open_slices == []


def test_rows_are_scattered_to_their_offsets() -> None:
    target = np.zeros(10, np.uint8)
    native.scatter_rows(target, np.array([6, 1]), np.array([[1, 2], [3, 4]], np.uint8))
    assert target.tolist() == [0, 3, 4, 0, 0, 0, 1, 2, 0, 0]
    with pytest.raises(IndexError, match="does not fit"):
        native.scatter_rows(target, np.array([9]), np.array([[1, 2]], np.uint8))


def test_a_varint_outside_its_row_is_refused() -> None:
    rows = np.zeros(2, "V4")
    with pytest.raises(IndexError, match="does not fit into the row"):
        native.put_varints(rows, 2, 3, np.array([1, 2]))
    with pytest.raises(ValueError, match="as many as the values"):
        native.put_varints(rows, 0, 3, np.array([1]))
    native.put_varints(rows, 1, 3, np.array([1, 300]))
    assert rows.tobytes() == b"\x00\x81\x80\x00\x00\xac\x82\x00"


edges = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


@given(edges)
def test_cyclic_nodes_are_those_on_or_between_cycles(some: list[tuple[int, int]]) -> None:
    reach = np.zeros((8, 8), bool)
    for a, b in some:
        reach[a, b] = True
    for k in range(8):
        reach |= np.outer(reach[:, k], reach[k])
    on_cycle = reach.diagonal()
    expected = on_cycle.copy()
    for node in range(8):
        after = any(on_cycle[k] and reach[k, node] for k in range(8))
        before = any(on_cycle[k] and reach[node, k] for k in range(8))
        expected[node] |= after and before
    pred, succ = np.array(some, np.int64).reshape(-1, 2).T
    assert native.cyclic_nodes(8, pred, succ).tolist() == expected.tolist()


def test_a_million_node_chain_costs_no_stack() -> None:
    nodes = np.arange(1_000_000)
    assert not native.cyclic_nodes(len(nodes), nodes[:-1], nodes[1:]).any()
    assert native.cyclic_nodes(len(nodes), nodes, np.roll(nodes, -1)).all()

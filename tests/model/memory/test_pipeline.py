"""Passes that copy the next layers while one computes, added up by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lanescope.model.memory.pipeline import pipelined_s

TIMES = st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), min_size=1, max_size=12)


def test_two_slots_hide_copies_behind_compute() -> None:
    # Copies of 2, computes of 3: the first copy shows, then compute is the bound.
    assert pipelined_s([2, 2, 2], [3, 3, 3]) == 2 + 9
    # Copies of 3, computes of 2: copies are the bound, the last compute shows.
    assert pipelined_s([3, 3, 3], [2, 2, 2]) == 9 + 2


def test_a_third_copy_waits_for_a_free_slot() -> None:
    # Copies end at 1 and 2; layer 1 computes 1 to 11, only then is its slot free: copy 11 to 12.
    assert pipelined_s([1, 1, 1], [10, 1, 1]) == 13


def test_resident_layers_first_let_only_two_copies_run_ahead() -> None:
    # Layers 1 and 2 resident (10 each): both slots are full at 2, the third copy starts at 21.
    assert pipelined_s([0, 0, 1, 1, 5], [10, 10, 1, 1, 1]) == 27


@given(TIMES)
def test_a_pipeline_is_between_the_longer_and_the_sum(times: list[tuple[float, float]]) -> None:
    copies, computes = zip(*times, strict=True)
    seconds = pipelined_s(copies, computes)
    assert max(sum(copies), sum(computes)) <= seconds * (1 + 1e-9) + 1e-9
    assert seconds <= sum(copies) + sum(computes) + 1e-9


@given(TIMES, st.integers(1, 4))
def test_more_slots_are_never_slower(times: list[tuple[float, float]], slots: int) -> None:
    copies, computes = zip(*times, strict=True)
    fewer = pipelined_s(copies, computes, slots=slots)
    assert pipelined_s(copies, computes, slots=slots + 1) <= fewer + 1e-9

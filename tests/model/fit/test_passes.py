"""A pass over equal layers, added up by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.model.fit.passes import HIDDEN_SHARE, LayerPass, prefetched_s, serial_s

SECONDS = st.floats(0, 10)


def test_two_slots_hide_copies_behind_compute() -> None:
    # Three layers, copies of 2, computes of 3: the first copy shows, then compute is the bound.
    assert prefetched_s(LayerPass(6, 0, 9, 0, 3, 0.0)) == pytest.approx(2 + 9)
    assert serial_s(LayerPass(6, 0, 9, 0, 3, 0.0)) == pytest.approx(15)


def test_resident_layers_come_first_and_one_may_be_resident_in_part() -> None:
    # Four layers of 1, 2.5 resident: 1 s and 2 s are copied, done at 3, then one layer.
    assert prefetched_s(LayerPass(3, 0, 4, 0, 4, 0.625)) == pytest.approx(4)


def test_starts_show_only_where_the_board_would_be_done_sooner() -> None:
    # Four resident layers: 1 s each, started every 2 s; then copies give the host time.
    assert serial_s(LayerPass(0, 0, 4, 8, 4, 1.0)) == 8
    assert serial_s(LayerPass(40, 0, 4, 8, 4, 0.0)) == pytest.approx(44)
    assert prefetched_s(LayerPass(0, 0, 4, 8, 4, 1.0)) == 8


def test_two_links_in_series_hide_half_of_the_faster() -> None:
    assert prefetched_s(LayerPass(6, 2, 0, 0, 0, 0.0)) == 6 + (1 - HIDDEN_SHARE) * 2
    assert prefetched_s(LayerPass(2, 6, 0, 0, 0, 0.0)) == 6 + (1 - HIDDEN_SHARE) * 2
    assert serial_s(LayerPass(6, 2, 1, 0, 0, 0.0)) == 9


@given(SECONDS, SECONDS, SECONDS, SECONDS, st.integers(0, 9), st.floats(0, 1))
def test_prefetch_is_never_slower_and_nothing_beats_the_longest(
    link: float, storage: float, chip: float, start: float, layers: int, resident: float
) -> None:
    one = LayerPass(link, storage, chip, start, layers, resident)
    if resident == 1.0:
        one = one._replace(link_s=0.0, storage_s=0.0)
    fast, slow = prefetched_s(one), serial_s(one)
    assert fast <= slow + 1e-9
    copies = max(one.link_s, one.storage_s)
    longest = max(chip, start, copies if layers == 0 or resident < 1 else 0.0)
    assert fast >= longest - 1e-6

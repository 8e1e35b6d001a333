"""Regions of a model that only its shape describes: without gaps, and bytes shared out evenly."""

from __future__ import annotations

import pytest

from lanescope.model.manifest.from_shape import _packed, _shared_out


def test_parts_lie_behind_each_other_and_empty_ones_have_no_region() -> None:
    parts = [(0, 5, "weight", "a", "s"), (1, 0, "kv", "b", "s"), (2, 7, "kv", "c", "s")]
    found = [(one.layer, one.offset, one.size_bytes, one.name) for one in _packed(iter(parts), 10)]
    assert found == [(0, 10, 5, "a"), (2, 15, 7, "c")]


@pytest.mark.parametrize(
    ("size", "layers", "shares"), [(7, 3, [2, 2, 3]), (6, 3, [2, 2, 2]), (1, 2, [0, 1])]
)
def test_bytes_are_shared_out_as_evenly_as_whole_bytes_allow(
    size: int, layers: int, shares: list[int]
) -> None:
    assert _shared_out(size, layers) == shares

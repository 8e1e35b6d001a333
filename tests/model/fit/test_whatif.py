"""What another board would give."""

from __future__ import annotations

import pytest
from tests.model.fit.small import LOAD, board

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.whatif import policy_bytes, tornado, ways_out
from lanescope.model.manifest import ManifestRegion


def test_ways_out_name_memory_and_link() -> None:
    ways = {(way.what, way.effect): way for way in ways_out(LOAD, board(500))}
    assert ways["memory", "kv-swap"].more == 500
    assert ways["memory", "resident"].more == 710
    assert ways["memory", "resident"].tokens_per_s == pytest.approx(100 / 1210, rel=0.01)
    # 710 bytes in the 5 s that the memory takes: 142 bytes/s, 132 more than 10.
    assert ways["link", "link no longer the bound"].more == pytest.approx(132)
    assert ways_out(LOAD, board(1210)) == []


def test_the_tornado_ranks_the_bound_first() -> None:
    rows = tornado(LOAD, board(500))
    assert rows[0].name == "link_bytes_per_s"
    assert rows[0].at_high == pytest.approx(1.1 / 71.0)
    assert rows[-1].name == "memory_bytes_per_s"
    assert rows[-1].swing == 0


def test_policies_per_pass() -> None:
    regions = tuple(ManifestRegion(layer, layer * 100, 100, "weight") for layer in range(10))
    assert policy_bytes(regions, 750) == {"fifo": 1000, "lru": 1000, "pinned": 250, "belady": 250}
    assert set(policy_bytes(regions, 1000).values()) == {0}


def test_a_link_that_is_not_the_bound_or_not_there_is_no_way_out() -> None:
    """All 1210 bytes take 1210 s in the memory; 710 over the link take less than a second."""
    memory = [("memory", 500, "kv-swap"), ("memory", 710, "resident")]
    fast = ways_out(LOAD, board(500, link=1000.0, memory=1.0))
    assert [(way.what, way.more, way.effect) for way in fast] == memory
    none = ways_out(LOAD, board(500, link=None))
    assert [(way.what, way.more, way.effect) for way in none] == memory[1:]


def test_without_other_work_no_link_is_fast_enough() -> None:
    values = {name: board().values[name] for name in ("capacity_bytes", "link_bytes_per_s")}
    assert {way.what for way in ways_out(LOAD, FitBoard("test", values))} == {"memory"}


def test_weights_that_fit_need_memory_for_the_rest_alone() -> None:
    """1100 bytes hold the weights: 110 more hold everything."""
    ways = ways_out(LOAD, board(1100))
    assert [(way.more, way.effect) for way in ways if way.what == "memory"] == [(110, "resident")]

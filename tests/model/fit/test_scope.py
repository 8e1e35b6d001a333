"""What the model refuses, with its reason, and the group of what it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.model.fit.small import FOOTPRINT, LOAD, SHAPE, board

from lanescope.model.fit.board import FitBoard
from lanescope.model.fit.load import Load, residency_of
from lanescope.model.fit.scope import GROUPS, group_of, refusal

MOE = replace(SHAPE, experts=8, active_experts=2)


def reason(load: Load, on: FitBoard) -> str | None:
    return refusal(load, on, residency_of(load, on.capacity_bytes))


@pytest.mark.parametrize(
    ("load", "on", "part"),
    [
        (LOAD, board(500, link=None), "no link to stream over"),
        (replace(LOAD, from_storage=1.0), board(500), "no rate of it is known"),
        (replace(LOAD, kv_host_share=1.0), board(5000), "computes? attention on the host"),
        (replace(LOAD, kv_host_share=1.0, shape=SHAPE), board(500), "grouped heads"),
        (replace(LOAD, shape=SHAPE), board(400), "400 B does not hold one layer of 500 B"),
    ],
)
def test_what_is_outside_is_refused_with_its_reason(load: Load, on: FitBoard, part: str) -> None:
    import re

    found = reason(load, on)
    assert found is not None
    assert re.search(part, found)


def test_what_is_inside_is_not_refused() -> None:
    assert reason(LOAD, board(500)) is None
    assert reason(replace(LOAD, shape=SHAPE), board(600)) is None
    assert reason(LOAD, board(1210, link=None)) is None


@pytest.mark.parametrize(
    ("load", "capacity", "group"),
    [
        (LOAD, 1210, "resident"),
        (LOAD, 500, "weights over the link"),
        (replace(LOAD, from_storage=1.0), 500, "weights from storage"),
        (LOAD, 1050, "KV over the link"),
        (replace(LOAD, shape=MOE), 500, "experts over the link"),
        (replace(LOAD, shape=MOE), 1210, "resident"),
        (replace(LOAD, active_share=0.1), 500, "experts over the link"),
    ],
)
def test_groups_follow_from_where_the_bytes_come_from(
    load: Load, capacity: int, group: str
) -> None:
    assert group_of(load, residency_of(load, capacity)) == group
    assert group in GROUPS
    assert FOOTPRINT.total == 1210

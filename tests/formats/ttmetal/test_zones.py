"""Begins and ends of zones, paired on their core and RISC."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.formats.ttmetal.log import END, MOMENT, START, DeviceLog
from lanescope.formats.ttmetal.zones import MOST_ZONES, Zones, _full, paired

TYPES = {"+": START, "-": END, ".": MOMENT}


def log(*rows: str) -> DeviceLog:
    """Rows of core (slot, x and y), RISC, zone, type and time: "013 1 0 + 50"; run = RISC + 5."""
    cells = [row.split() for row in rows]
    numbers = np.array([[int(one[0]), int(one[1]), int(one[2])] for one, *_ in cells]).reshape(
        -1, 3
    )
    risc, zone, time = (np.array([int(row[k]) for row in cells], np.int64) for k in (1, 2, 4))
    return DeviceLog(
        path=Path("a.csv"),
        arch="x",
        hz=10**9,
        slot=numbers[:, 0],
        x=numbers[:, 1],
        y=numbers[:, 2],
        risc=risc,
        riscs=["BRISC", "NCRISC"],
        time=time,
        run=risc + 5,
        host_id=risc + 70,
        zone=zone,
        zones=["a", "b"],
        type=np.array([TYPES[row[3]] for row in cells], np.int64),
    )


def spans(zones: Zones) -> list[tuple[int, ...]]:
    columns = (zones.core, zones.risc, zones.zone, zones.start, zones.end)
    return [*zip(*(column.tolist() for column in columns), strict=True)]


def test_zones_lie_by_core_risc_and_begin_with_the_longest_first() -> None:
    zones = paired(
        log(
            *("021 0 0 + 10", "021 0 0 - 20", "012 1 0 + 5", "012 1 0 - 9"),
            *("012 0 1 + 1", "012 0 0 + 1", "012 0 0 - 4", "012 0 1 - 3", "100 0 0 . 7"),
        )
    )
    assert zones.cores.tolist() == [[0, 1, 2], [0, 2, 1], [1, 0, 0]]
    assert spans(zones) == [
        (0, 0, 0, 1, 4),
        (0, 0, 1, 1, 3),
        (0, 1, 0, 5, 9),
        (1, 0, 0, 10, 20),
        (2, 0, 0, 7, 7),
    ]
    assert zones.run.tolist() == [5, 5, 6, 5, 5]
    assert zones.host_id.tolist() == [70, 70, 71, 70, 70]
    assert (zones.unpaired.tolist(), zones.full.tolist()) == ([0, 0, 0], [0, 0, 0])


@pytest.mark.parametrize(
    ("rows", "found", "alone"),
    [
        (["+ 1", "+ 2", "- 3", "- 4"], [(1, 4), (2, 3)], 0),
        (["+ 1", "- 2", "+ 3", "- 4"], [(1, 2), (3, 4)], 0),
        (["+ 1", "- 1"], [(1, 1)], 0),
        (["- 1", "+ 1"], [], 2),
        (["- 1", "+ 2", "- 3"], [(2, 3)], 1),
        (["+ 1", "+ 2", "- 3"], [(2, 3)], 1),
        (["+ 4", "- 3"], [], 2),
        (["- 4", "+ 3"], [(3, 4)], 0),
        (["+ 1", ". 2", "- 3"], [(1, 3), (2, 2)], 0),
    ],
)
def test_a_begin_belongs_to_the_end_that_closes_it(
    rows: list[str], found: list[tuple[int, int]], alone: int
) -> None:
    zones = paired(log(*(f"000 0 0 {row}" for row in rows)))
    assert [(start, end) for *_, start, end in spans(zones)] == found
    assert zones.unpaired.tolist() == [alone]


def test_only_zones_of_one_name_and_risc_and_core_are_paired() -> None:
    zones = paired(log("000 0 0 + 1", "000 0 1 - 2", "000 1 0 - 2", "001 0 0 - 2", "000 0 0 - 3"))
    assert spans(zones) == [(0, 0, 0, 1, 3)]
    assert zones.unpaired.tolist() == [2, 1]


def test_a_log_without_rows_has_no_zones() -> None:
    zones = paired(log())
    assert (spans(zones), zones.unpaired.tolist(), zones.full.tolist()) == ([], [], [])


@pytest.mark.parametrize(("count", "full"), [(MOST_ZONES - 1, 0), (MOST_ZONES, 1)])
def test_a_risc_that_used_all_its_room_in_a_run_is_full(count: int, full: int) -> None:
    lane = np.repeat([4, 4, 3, 7], [count, 9, 5, 9])
    run = np.repeat([2, 1, 2, 2], [count, 9, 5, 9])
    core = np.repeat([1, 1, 1, 2], [count, 9, 5, 9])
    assert _full(lane, run, core, 4).tolist() == [0, full, 0, 0]
    assert MOST_ZONES == 125

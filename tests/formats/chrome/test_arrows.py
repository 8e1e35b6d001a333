"""Flows as arrows from slice to slice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.formats.chrome.arrows import chrome_arrows
from lanescope.formats.chrome.events import pair_events, read_events


def slice_(ts: float, dur: float, tid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "ts": ts, "dur": dur, "pid": 1, "tid": tid, "name": "x", **more}


def flow(ph: str, ts: float, tid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": ph, "ts": ts, "pid": 1, "tid": tid, "cat": "c", "name": "f", "id": 1, **more}


def joined(folder: Path, *rows: dict[str, Any]) -> list[tuple[int, int]]:
    path = folder / "a.json"
    path.write_text(json.dumps(list(rows)))
    events = read_events(path)
    source, target = chrome_arrows(events, pair_events(events))
    return [*zip(source.tolist(), target.tolist(), strict=True)]


# thread 1   0[-------------)100  200[--)210      thread 2   0[--)10   50[------)90
#              10[----)40                                        60[-)70
SLICES = [
    slice_(0, 100),
    slice_(10, 30),
    slice_(200, 10),
    slice_(0, 10, 2),
    slice_(50, 40, 2),
    slice_(60, 10, 2),
]


@pytest.mark.parametrize(
    ("ts", "tid", "touched"),
    [
        (0, 1, 0),
        (10, 1, 1),
        (40, 1, 1),
        (41, 1, 0),
        (100, 1, 0),
        (101, 1, None),
        (199, 1, None),
        (210, 1, 2),
        (211, 1, None),
        (0, 2, 3),
        (11, 2, None),
        (70, 2, 5),
        (71, 2, 4),
        (5, 3, None),
        (5, 0, None),
    ],
)
def test_a_flow_begins_at_the_innermost_slice_around_it(
    tmp_path: Path, ts: float, tid: int, touched: int | None
) -> None:
    """It ends at the slice of thread 7: around its end, or else the next."""
    rows = [*SLICES, slice_(300, 1, 7), flow("s", ts, tid), flow("f", 300.5, 7, bp="e")]
    assert joined(tmp_path, *rows) == ([] if touched is None else [(touched, 6)])
    rows[-1] |= {"ts": 299, "bp": "x"}
    assert joined(tmp_path, *rows) == ([] if touched is None else [(touched, 6)])


@pytest.mark.parametrize(
    ("ts", "tid", "bp", "touched"),
    [
        (0, 1, None, 0),
        (1, 1, None, 1),
        (10, 1, None, 1),
        (11, 1, None, 2),
        (11, 1, "e", 1),
        (150, 1, None, 2),
        (150, 1, "e", None),
        (200, 1, None, 2),
        (201, 1, None, None),
        (201, 1, "e", 2),
        (11, 2, None, 4),
        (61, 2, None, None),
    ],
)
def test_a_flow_ends_at_the_next_slice_or_at_that_around_it(
    tmp_path: Path, ts: float, tid: int, bp: str | None, touched: int | None
) -> None:
    end = flow("f", ts, tid) if bp is None else flow("f", ts, tid, bp=bp)
    rows = [*SLICES, slice_(300, 1, 7), flow("s", 300, 7), end]
    assert joined(tmp_path, *rows) == ([] if touched is None else [(6, touched)])


def test_a_flow_goes_through_its_steps_by_time(tmp_path: Path) -> None:
    rows = [
        *(slice_(10 * k, 5) for k in range(5)),
        flow("f", 40, bp="e"),
        flow("t", 30),
        flow("t", 10),
        flow("s", 0),
        flow("t", 11),
    ]
    assert joined(tmp_path, *rows) == [(0, 1), (1, 3), (3, 4)]


def test_flows_of_another_category_name_or_id_are_others(tmp_path: Path) -> None:
    ends = [flow("f", 20, bp="e", **{key: "o"}) for key in ("cat", "name", "id")]
    assert joined(tmp_path, slice_(0, 5), slice_(20, 5), flow("s", 0), *ends) == []
    assert joined(tmp_path, slice_(0, 5), slice_(20, 5), flow("s", 0), flow("f", 20)) == [(0, 1)]


def test_slices_with_a_number_of_their_own_are_joined_by_it(tmp_path: Path) -> None:
    rows = [
        slice_(50, 1, bind_id="0x1", flow_in=True),
        slice_(0, 1, bind_id="0x1", flow_out=True),
        slice_(20, 1, bind_id="0x1", flow_in="true", flow_out=1),
        slice_(10, 1, bind_id="0x1", flow_in=1, flow_out="true"),
        slice_(5, 1, bind_id="0x2", flow_out=True),
        slice_(60, 1, bind_id="0x1", flow_in=False),
        slice_(70, 1, flow_in=True),
    ]
    assert joined(tmp_path, *rows) == [(1, 5), (5, 3), (3, 2), (2, 0)]


def test_without_slices_nothing_is_joined(tmp_path: Path) -> None:
    assert joined(tmp_path, flow("s", 0), flow("f", 5)) == []
    assert joined(tmp_path, slice_(0, 5)) == []

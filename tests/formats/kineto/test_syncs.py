"""Rows of the category `cuda_sync` as waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from tests.formats.kineto.files import events

from lanescope.formats.kineto.lanes import StreamLanes
from lanescope.formats.kineto.syncs import sync_waits
from lanescope.formats.streams import WaitRows
from lanescope.formats.streams.recording import WAIT_KINDS
from lanescope.trace import MISSING

LANES = StreamLanes([], np.array([[0, 7], [0, 8], [1, 7]]), [0, 1])


def sync(name: str, kind: str | None = None, **args: Any) -> dict[str, Any]:
    told = {} if kind is None else {"cuda_sync_kind": kind}
    return {"ph": "X", "ts": 3, "dur": 2, "name": name, "args": {"device": 0, **told, **args}}


def waits(folder: Path, *rows: dict[str, Any]) -> tuple[WaitRows, int]:
    found = events(folder, *rows)
    return sync_waits(found, np.arange(len(rows)), LANES)


def test_the_kind_is_told_by_the_arguments_or_else_by_the_name(tmp_path: Path) -> None:
    found, odd = waits(
        tmp_path,
        sync("Context Sync", "Stream Wait Event"),
        sync("x", "event sync"),
        sync("Stream Sync"),
        sync("Context Sync", "New Kind"),
        sync("x", "New Kind"),
        sync("x"),
        {"ph": "X", "ts": 3},
    )
    assert [WAIT_KINDS[kind] for kind in found.kind.tolist()] == [
        "stream waits event",
        "host waits event",
        "host waits stream",
        "host waits device",
    ]
    assert odd == 3


def test_streams_that_are_not_told_or_have_no_rows_are_not_known(tmp_path: Path) -> None:
    pairs: dict[tuple[Any, Any], tuple[int, int]] = {
        (7, 8): (0, 1),
        (0xFFFFFFFF, 7): (-1, 0),
        (-1, 0xFFFFFFFF): (-1, -1),
        (None, -1): (-1, -1),
        (9, None): (-1, -1),
    }
    found, _ = waits(tmp_path, *(sync("Stream Sync", stream=a, wait_on_stream=b) for a, b in pairs))
    assert [*zip(found.lane.tolist(), found.on_lane.tolist(), strict=True)] == list(pairs.values())


def test_an_event_is_known_by_the_call_that_recorded_it(tmp_path: Path) -> None:
    key = "wait_on_cuda_event_record_corr_id"
    found, _ = waits(
        tmp_path,
        *(sync("Event Sync", correlation=5, **{key: number}) for number in (2, 1, 0, -1)),
        sync("Event Sync"),
    )
    assert found.on_launch.tolist() == [2, 1, MISSING, MISSING, MISSING]
    assert found.launch.tolist() == [5, 5, 5, 5, MISSING]
    assert (found.start.tolist(), found.end.tolist()) == ([3000] * 5, [5000] * 5)

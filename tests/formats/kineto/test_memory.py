"""Moments that tell how much memory is in use, as values over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.kineto.files import events

from lanescope.formats.kineto.memory import memory_moments, memory_series


def moment(ts: float, device: int, kind: int, **totals: Any) -> dict[str, Any]:
    told = {f"Total {name}": value for name, value in totals.items()}
    args = {**told, "Device Id": device, "Device Type": kind}
    return {"ph": "i", "name": "[memory]", "ts": ts, "args": args}


def test_only_moments_called_memory_tell_of_it(tmp_path: Path) -> None:
    one = moment(1, 0, 1, Allocated=3)
    found = events(tmp_path, {**one, "name": "[Memory]"}, {**one, "ph": "X"}, {**one, "name": "x"})
    assert memory_moments(found).tolist() == [0]


def test_every_device_has_its_series_by_time(tmp_path: Path) -> None:
    """The host comes first; what is 0 all the time, or not told, is no series."""
    found = events(
        tmp_path,
        moment(5, 1, 1, Allocated=8, Reserved=0),
        moment(4, 0, 1, Allocated=5, Reserved=9),
        moment(2, 0, 1, Allocated=0),
        moment(3, 0, 0, Allocated=0, Reserved=7),
        moment(6, 2, 1, Allocated=0, Reserved=0),
        moment(7, 3, 1),
    )
    series = memory_series(found, memory_moments(found))
    assert [(one.name, one.time.tolist(), one.value.tolist()) for one in series] == [
        ("memory reserved, host", [3000], [7]),
        ("memory allocated, device 0", [2000, 4000], [0, 5]),
        ("memory reserved, device 0", [4000], [9]),
        ("memory allocated, device 1", [5000], [8]),
    ]


def test_moments_at_the_same_time_stay_in_order(tmp_path: Path) -> None:
    found = events(tmp_path, moment(1, 0, 1, Allocated=2), moment(1, 0, 1, Allocated=1))
    [series] = memory_series(found, memory_moments(found))
    assert (series.time.tolist(), series.value.tolist()) == ([1000, 1000], [2, 1])

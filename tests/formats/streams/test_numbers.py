"""Ids of launches and operators, numbered from 0."""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams import DeviceRows, HostRows, StreamRecording, WaitRows
from lanescope.formats.streams.numbers import LaunchNumbers, Renumbered
from lanescope.trace import MISSING


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_ids_of_all_columns_are_numbered_in_rising_order() -> None:
    numbers = Renumbered.of_columns(array(90, MISSING, 7), None, array(MISSING), array(-2, 7))
    assert numbers.ids.tolist() == [-2, 7, 90]
    assert numbers.of(array(7, 90, MISSING, -2, 8)).tolist() == [1, 2, MISSING, 0, MISSING]


def test_without_ids_nothing_is_numbered() -> None:
    for numbers in (Renumbered.of_columns(None), Renumbered.of_columns(array(MISSING), array())):
        assert numbers.ids.tolist() == []
        assert numbers.of(array(3, MISSING)).tolist() == [MISSING, MISSING]


def test_launches_operators_and_arrows_are_numbered_apart() -> None:
    recording = StreamRecording(
        work=DeviceRows(launch=array(5), op=array(50)),
        host=HostRows(launch=array(4), op=array(60), flow=array(600)),
        waits=WaitRows(launch=array(3), on_launch=array(2)),
    )
    numbers = LaunchNumbers.of(recording)
    assert numbers.launch.ids.tolist() == [2, 3, 4, 5]
    assert numbers.op.ids.tolist() == [50, 60]
    assert numbers.flow.ids.tolist() == [600]

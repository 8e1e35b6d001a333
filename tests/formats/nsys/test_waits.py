"""Waits, and the record of the event that each is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.nsys.files import FAR, GPID, LONG, NONE, OTHER, Row, columns, tables

from lanescope.errors import InputError
from lanescope.formats.columns import Columns
from lanescope.formats.nsys.lanes import LaunchKeys, NsysStreams
from lanescope.formats.nsys.waits import WAITS, _records, wait_rows
from lanescope.formats.streams.recording import WAIT_KINDS
from lanescope.trace import MISSING

AGAIN = "; export it again with a newer version"
NO_EVENT = (1 << 32) - 1
WORK = columns(globalPid=[GPID] * 2, deviceId=[0] * 2, contextId=[1] * 2, streamId=[7, 8])
STREAMS = NsysStreams.of([WORK], {})
LAUNCHES = LaunchKeys.of(WORK["globalPid"])


def asked(*rows: tuple[int, int, int, int]) -> Columns:
    """Rows of process, correlation, event and number of the record."""
    names = ("globalPid", "correlationId", "eventId", "eventSyncId")
    return columns(**{name: [row[k] for row in rows] for k, name in enumerate(names)})


def test_a_wait_is_for_the_last_record_of_its_event_before_it() -> None:
    events = asked(
        *((GPID, n, 3, MISSING) for n in (30, 10, 20)),
        (GPID, 15, 4, MISSING),
        (OTHER, 22, 3, MISSING),
    )
    waits = asked(
        *((GPID, n, 3, MISSING) for n in (10, 11, 20, 21, 31)),
        (GPID, 31, 4, MISSING),
        (GPID, 31, 5, MISSING),
        (OTHER, 31, 3, MISSING),
        (OTHER, 31, 4, MISSING),
    )
    assert _records(waits, events).tolist() == [-1, 1, 1, 2, 0, 3, -1, 4, -1]


def test_a_number_of_the_record_counts_before_its_event() -> None:
    """Its order does not matter: the record may be asked for later than the wait."""
    events = asked((GPID, 10, 3, 7), (GPID, 50, 3, 8), (GPID, 20, 3, 9))
    waits = asked((GPID, 30, 3, 8), (GPID, 30, 3, 7), (GPID, 30, 3, 6))
    assert _records(waits, events).tolist() == [1, 0, 2]


@pytest.mark.parametrize("number", [0, NO_EVENT, MISSING])
def test_a_number_that_stands_for_no_event_joins_nothing(number: int) -> None:
    events, waits = asked((GPID, 10, number, number)), asked((GPID, 30, number, number))
    assert _records(waits, events).tolist() == [-1]
    one = asked((GPID, 10, 1, 1))
    assert _records(asked((GPID, 30, 1, number)), one).tolist() == [0]


def test_without_waits_or_records_nothing_is_joined() -> None:
    some = asked((GPID, 10, 1, 1))
    assert _records(asked(), some).tolist() == []
    assert _records(some, asked()).tolist() == [-1]


def wait(kind: int, **more: int) -> Row:
    place = {"contextId": 1, "streamId": 7, "globalPid": GPID, "correlationId": 40}
    return {"start": 94, "end": 95, **place, "eventId": 3, "syncType": kind, **more}


def test_every_kind_of_wait_knows_its_streams_and_calls(tmp_path: Path) -> None:
    record = {"globalPid": GPID, "contextId": 1, "streamId": 8, "correlationId": 20, "eventId": 3}
    export = tables(
        tmp_path,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION=[
            wait(4),
            wait(5),
            wait(2, start=1),
            wait(1, streamId=9),
            wait(0),
            wait(3),
        ],
        CUPTI_ACTIVITY_KIND_CUDA_EVENT=[record],
    )
    found, odd = wait_rows(export, STREAMS, LAUNCHES)
    assert odd == 2
    assert [WAIT_KINDS[kind] for kind in found.kind.tolist()] == [
        "host waits device",
        "stream waits event",
        "host waits event",
        "host waits stream",
    ]
    assert found.lane.tolist() == [-1, 0, -1, 0]
    assert found.on_lane.tolist() == [-1, 1, 1, -1]
    assert found.launch.tolist() == [40] * 4
    assert found.on_launch.tolist() == [MISSING, 20, 20, MISSING]
    assert (found.start.tolist(), found.end.tolist()) == ([94, 1, 94, 94], [95] * 4)


def test_without_the_table_nothing_waits(tmp_path: Path) -> None:
    found, odd = wait_rows(tables(tmp_path), STREAMS, LAUNCHES)
    assert (found.kind.tolist(), found.start.tolist(), odd) == ([], [], 0)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"start": 1, "syncType": 2}, f"has no column 'end'; it has start, syncType{AGAIN}"),
        ({"end": 1, "syncType": 2}, f"has no column 'start'; it has end, syncType{AGAIN}"),
        ({"start": 1, "end": None}, f"row 0, 'end': a whole number was expected{NONE}"),
        ({"start": 1 << 61, "end": 2}, f"row 0, 'start': {FAR}: {1 << 61}{LONG}"),
        ({"start": 1, "end": -(1 << 61)}, f"row 0, 'end': {FAR}: {-(1 << 61)}{LONG}"),
    ],
)
def test_a_wait_without_times_is_refused(tmp_path: Path, row: Row, sentence: str) -> None:
    export = tables(tmp_path, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION=[row])
    with pytest.raises(InputError) as refused:
        wait_rows(export, STREAMS, LAUNCHES)
    assert str(refused.value) == f"{tmp_path}: table {WAITS} {sentence}"

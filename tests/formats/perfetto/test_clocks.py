"""Times of packets by other clocks: which snapshot counts, and which clocks are of one sequence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.formats.perfetto.packets import CLEARED, packet, snapshot

from lanescope.formats.perfetto.clocks import TraceClocks, _Reading
from lanescope.formats.perfetto.packets import read_packets
from lanescope.formats.proto_rows import ProtoFile
from lanescope.trace import MISSING

BOOT, REALTIME = 6, 1


def reading(
    clock: int,
    value: int,
    trace_ns: int | None,
    packet: int = 0,
    *,
    sequence: int = 1,
    incremental: bool = False,
    unit_ns: int = 1,
) -> _Reading:
    return _Reading(packet, sequence, clock, value, trace_ns, incremental, unit_ns)


def times(
    *rows: tuple[int, int, int], readings: tuple[_Reading, ...], primary: int = BOOT
) -> tuple[list[int], int]:
    """Rows are time, clock and sequence."""
    time, clock, sequence = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    found, unknown = TraceClocks(primary, readings).trace_times(time, clock, sequence)
    return found.tolist(), unknown


def test_a_packet_counts_from_the_last_snapshot_before_it_or_from_the_first() -> None:
    readings = (reading(3, 100, 5000, 2), reading(3, 200, 9000, 4))
    rows = [(110, 3, 1)] * 3 + [(210, 3, 1)] * 3
    found = ([5010, 5010, 5010, 5110, 9010, 9010], 0)
    assert times(*rows, readings=readings) == found


def test_times_of_the_traces_own_clock_stay_as_they_are() -> None:
    rows = [(7, 0, 1), (8, BOOT, 1), (MISSING, 3, 1), (9, 3, 1)]
    assert times(*rows, readings=(reading(3, 0, 50),)) == ([7, 8, MISSING, 59], 0)


def test_times_of_a_clock_that_nobody_explains_are_counted() -> None:
    rows = [(7, 3, 1), (8, 5, 1), (9, 3, 1)]
    assert times(*rows, readings=(reading(3, 1, None),)) == ([7, 8, 9], 3)
    both = (reading(3, 1, None), reading(3, 2, 40))
    assert times(*rows, readings=both) == ([45, 8, 47], 1)


@pytest.mark.parametrize(("clock", "own"), [(63, False), (64, True), (127, True), (128, False)])
def test_clocks_64_to_127_are_of_one_sequence(clock: int, own: bool) -> None:
    readings = (reading(clock, 0, 100, 0, sequence=1), reading(clock, 0, 200, 1, sequence=2))
    rows = [(5, clock, 1), (5, clock, 2), (5, clock, 1), (5, clock, 3)]
    found = ([105, 205, 105, 5], 1) if own else ([105, 205, 205, 205], 0)
    assert times(*rows, readings=readings) == found


def test_steps_of_a_clock_are_summed_up_from_each_snapshot_on() -> None:
    readings = (
        reading(64, 10, 1000, 0, incremental=True, unit_ns=100),
        reading(64, 20, 9000, 3, incremental=True, unit_ns=100),
    )
    rows = [(0, 64, 1), (1, 64, 1), (2, 64, 1), (0, 64, 1), (4, 64, 1)]
    assert times(*rows, readings=readings) == ([1000, 1100, 1300, 9000, 9400], 0)


def test_utc_is_what_the_first_snapshot_with_both_clocks_says() -> None:
    readings = (
        reading(REALTIME, 7, None),
        reading(3, 8, 2),
        reading(REALTIME, 500, 40, unit_ns=10),
        reading(REALTIME, 900, 41),
    )
    assert TraceClocks(BOOT, readings).utc_ns == 4960
    assert TraceClocks(BOOT, readings[:2]).utc_ns is None
    assert TraceClocks(REALTIME, ()).utc_ns == 0


def clocks(folder: Path, *packets: bytes) -> TraceClocks:
    (folder / "a.pftrace").write_bytes(b"".join(packets))
    return read_packets(ProtoFile.open(folder / "a.pftrace", "a trace")).clocks


def test_readings_stand_beside_the_traces_clock_of_their_snapshot(tmp_path: Path) -> None:
    found = clocks(
        tmp_path,
        packet(CLEARED),
        packet(snapshot((BOOT, 50), (3, 7, 1, 10)), sequence=4),
        packet(snapshot((3, 8, 0, 0))),
    )
    assert found == TraceClocks(
        BOOT,
        (
            reading(BOOT, 50, 50, 1, sequence=4),
            reading(3, 7, 50, 1, sequence=4, incremental=True, unit_ns=10),
            reading(3, 8, None, 2),
        ),
    )


def test_the_trace_may_have_another_clock_of_its_own_with_a_unit(tmp_path: Path) -> None:
    found = clocks(
        tmp_path,
        packet(snapshot((BOOT, 50), (3, 7, 0, 10), primary=3)),
        packet(snapshot((3, 8, 0, 0), (BOOT, 9), primary=5)),
    )
    assert found.primary == 3
    assert [(one.clock, one.trace_ns) for one in found.readings] == [
        *((BOOT, 70), (3, 70)),
        *((3, 8), (BOOT, 8)),
    ]


@pytest.mark.parametrize(
    ("value", "unit", "sound"),
    [
        ((1 << 61) - 1, 1, True),
        (1 << 61, 1, False),
        (1 << 60, 2, False),
        ((1 << 60) - 1, 2, True),
        (-(1 << 61), 1, False),
    ],
)
def test_a_reading_of_more_than_73_years_relates_no_clocks(
    tmp_path: Path, value: int, unit: int, sound: bool
) -> None:
    found = clocks(tmp_path, packet(snapshot((BOOT, value, 0, unit), (3, 5))))
    assert [one.clock for one in found.readings] == ([BOOT, 3] if sound else [3])
    assert found.readings[-1].trace_ns == (value * unit if sound else None)

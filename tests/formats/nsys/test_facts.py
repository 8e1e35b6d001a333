"""What an export says of itself, the machine and its clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.nsys.files import GPID, OTHER, Row, columns, tables

from lanescope.formats.nsys.facts import session_facts, session_start
from lanescope.formats.nsys.lanes import NsysStreams
from lanescope.trace import MISSING

NEAR, FAR = (1 << 61) - 1, 1 << 61


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        ([{"utcEpochNs": 1, "systemClockNs": 0}], (1, 0)),
        ([{"utcEpochNs": NEAR, "systemClockNs": NEAR}], (NEAR, NEAR)),
        ([{"utcEpochNs": 1, "systemClockNs": FAR}], (1, None)),
        ([{"utcEpochNs": 1, "systemClockNs": -1}], (1, None)),
        ([{"utcEpochNs": 1}], (1, None)),
        ([{"utcEpochNs": 0, "systemClockNs": 5}], (None, None)),
        ([{"utcEpochNs": FAR, "systemClockNs": 5}], (None, None)),
        ([{"utcEpochNs": 1}] * 2, (None, None)),
        ([], (None, None)),
    ],
)
def test_the_start_of_one_session_is_known_in_utc(
    tmp_path: Path, rows: list[Row], known: tuple[int | None, int | None]
) -> None:
    export = tables(tmp_path, TARGET_INFO_SESSION_START_TIME=rows) if rows else tables(tmp_path)
    assert session_start(export) == known


def streams(*keys: tuple[int, int]) -> NsysStreams:
    """Streams of these processes and devices."""
    part = columns(
        globalPid=[process for process, _ in keys],
        deviceId=[device for _, device in keys],
        contextId=[1] * len(keys),
        streamId=[7] * len(keys),
    )
    return NsysStreams.of([part], {})


def facts(
    folder: Path, lanes: NsysStreams, *, ranks: dict[int, int] | None = None, **export: list[Row]
) -> dict[str, Any]:
    return session_facts(tables(folder, **export), lanes, ranks or {}, (None, None))


def test_one_process_and_device_are_those_of_the_trace(tmp_path: Path) -> None:
    one = facts(tmp_path, streams((GPID, 3)), ranks={GPID: 6, OTHER: 7})
    assert one == {
        "chip": "",
        "device": 3,
        "process": 111,
        "rank": 6,
        "host": "",
        "extra": {"nsys": {"kernel_names": "demangled"}},
    }


def test_several_processes_and_devices_are_none(tmp_path: Path) -> None:
    two = facts(tmp_path, streams((GPID, 3), (OTHER, 4)), ranks={GPID: 6, OTHER: 7})
    assert (two["device"], two["process"], two["rank"]) == (None, None, None)
    same = facts(tmp_path, streams((GPID, 3), (OTHER, 3)), ranks={GPID: 6, OTHER: 6})
    assert (same["device"], same["process"], same["rank"]) == (3, None, 6)
    none = facts(tmp_path, streams((MISSING, MISSING)), ranks={GPID: 6})
    assert (none["device"], none["process"], none["rank"]) == (None, None, None)


def test_the_clock_of_a_known_start_is_that_of_the_session(tmp_path: Path) -> None:
    told = session_facts(tables(tmp_path), streams((GPID, 3)), {}, (5, 2))
    assert (told["epoch_clock"], told["epoch_error_ns"]) == ("session", 2)
    assert "epoch_clock" not in facts(tmp_path, streams((GPID, 3)))


def test_chips_host_and_versions_are_texts_of_at_most_256_letters(tmp_path: Path) -> None:
    told = facts(
        tmp_path,
        streams((GPID, 0)),
        TARGET_INFO_GPU=[{"name": name} for name in ("H100", None, "x" * 300, "H100")],
        TARGET_INFO_SYSTEM_ENV=[
            {"name": "Other", "value": "no"},
            {"name": None, "value": "no"},
            {"name": "Hostname", "value": None},
            {"name": "Hostname", "value": "h" * 257},
            {"name": "Hostname", "value": "later"},
        ],
        META_DATA_EXPORT=[
            {"name": "EXPORT_SCHEMA_VERSION", "value": "3.11"},
            {"name": "EXPORT_PRODUCT_VERSION", "value": "2024.2"},
            {"name": "EXPORT_OTHER", "value": "no"},
        ],
    )
    assert told["chip"] == ("H100 and " + "x" * 300)[:256]
    assert told["host"] == "h" * 256
    assert told["extra"]["nsys"] == {
        "EXPORT_PRODUCT_VERSION": "2024.2",
        "EXPORT_SCHEMA_VERSION": "3.11",
        "kernel_names": "demangled",
    }

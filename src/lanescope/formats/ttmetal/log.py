"""The device log, `profile_log_device.csv`, as columns: one row per moment on a RISC of a core.

    ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64
    PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], …

Older versions write `stat value` for `data`, `begin` and `end` for the types, and put blanks around
every value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.csv_columns import CsvColumns, read_columns, require
from lanescope.formats.ttmetal.cells import COUNTER, no_counter, refuse
from lanescope.formats.ttmetal.cycles import FASTEST_MHZ
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array

HEAD = re.compile(rb"\s*ARCH:\s*([\w.-]*)\s*,\s*CHIP_FREQ\[MHz\]:\s*([^,\s]*)")
_PLACE = ("PCIe slot", "core_x", "core_y")
_NEEDED = (*_PLACE, "RISC processor type", "time[cycles since reset]", "zone name", "type")
_WANTED = (*_NEEDED, "run host ID", "trace id", "trace id counter")
START, END, MOMENT = range(3)
_TYPES = {"zone_start": START, "begin": START, "zone_end": END, "end": END}
GRID = 1 << 16


@dataclass(frozen=True, slots=True)
class DeviceLog:
    """The rows of the file."""

    path: Path
    arch: str
    hz: int
    slot: Array
    x: Array
    y: Array
    risc: Array
    riscs: list[str]
    time: Array
    run: Array
    """Run host ID and, where a recorded program was replayed, which replay: one number for both."""
    host_id: Array
    zone: Array
    zones: list[str]
    type: Array
    """START, END or MOMENT."""

    def of_chip(self, chip: int) -> DeviceLog:
        """The rows of one chip."""
        mine = self.slot == chip
        columns = ("slot", "x", "y", "risc", "time", "run", "host_id", "zone", "type")
        return replace(self, **{name: getattr(self, name)[mine] for name in columns})


def read_log(path: Path, head: bytes) -> DeviceLog:
    """Read the log; `head` is the beginning of the file.

    Raises:
        InputError: The first line has no rate, a column is missing, or a value is no number.
    """
    arch, hz = _first_line(path, head)
    columns = read_columns(path, _WANTED, skip=1)
    require(columns, _NEEDED, "a device log")
    place = [_inside(columns, name) for name in _PLACE]
    risc, riscs = _texts(columns, "RISC processor type")
    zone, zones = columns.texts("zone name")
    kind, kinds = _texts(columns, "type")
    types = np.array([_TYPES.get(name.lower(), MOMENT) for name in kinds] or [MOMENT])
    time = columns.integers("time[cycles since reset]")
    refuse(columns, "time[cycles since reset]", no_counter(time), COUNTER)
    run, host_id = _runs(columns)
    return DeviceLog(
        path=path,
        arch=arch,
        hz=hz,
        slot=place[0],
        x=place[1],
        y=place[2],
        risc=risc,
        riscs=riscs,
        time=time,
        run=run,
        host_id=host_id,
        zone=np.where(zone >= 0, zone, len(zones)),
        zones=[*zones, "(no name)"],
        type=types[kind],
    )


def _first_line(path: Path, head: bytes) -> tuple[str, int]:
    found = HEAD.match(head)
    text = found[2].decode("utf-8", "replace") if found else ""
    try:
        mhz = float(text)
    except ValueError:
        mhz = 0.0
    if found is None or not 0 < mhz <= FASTEST_MHZ:
        expected = f"a rate above 0 and at most {FASTEST_MHZ:,} was expected"
        problem = f"line 1, 'CHIP_FREQ[MHz]': {expected}, found {text[:40]!r}"
        raise InputError(path, f"{problem}; without it cycles are no time")
    return found[1].decode("utf-8", "replace"), round(mhz * 1_000_000)


def _inside(columns: CsvColumns, name: str) -> Array:
    values = columns.integers(name)
    refuse(columns, name, (values < 0) | (values >= GRID), "a number from 0 to 65535")
    return values


def _texts(columns: CsvColumns, name: str) -> tuple[Array, list[str]]:
    code, texts = columns.texts(name)
    refuse(columns, name, code < 0, "a word")
    return code, texts


def _runs(columns: CsvColumns) -> tuple[Array, Array]:
    """A number per different run, in the order of (host id, trace, replay), and the host's id."""
    names = [name for name in ("run host ID", "trace id", "trace id counter") if name in columns]
    if not names or not columns.rows:
        return np.zeros(columns.rows, np.int64), np.full(columns.rows, MISSING)
    keys = [columns.integers(name) for name in names]
    run = np.zeros(columns.rows, np.int64)
    for key in keys:
        ids, place = numbered(key)
        _, run = numbered(run * len(ids) + place)
    return run, keys[0] if names[0] == "run host ID" else np.full(columns.rows, MISSING)

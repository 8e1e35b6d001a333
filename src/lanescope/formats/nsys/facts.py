"""What an export says about itself, the machine and its clock.

Rows count nanoseconds from the start of the session, at which UTC was `utcEpochNs` (user guide).
New exports also have `systemClockNs`, and it is not documented whether rows count from there. So
that time is the doubt of the UTC. `DeviceEnvironment` holds the user's environment; it is not read.
"""

from __future__ import annotations

from typing import Any

from lanescope.formats.columns import Columns, Tables
from lanescope.formats.nsys.lanes import NsysStreams, process_number
from lanescope.trace import MISSING

_SESSION = "TARGET_INFO_SESSION_START_TIME"
_KEPT = ("EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION")
_LONGEST = 256


def session_start(tables: Tables) -> tuple[int | None, int | None]:
    """UTC at 0 ns of the session, and by how much it may be wrong."""
    rows = tables.read(_SESSION, ("utcEpochNs", "systemClockNs"))
    if rows.count != 1 or not 0 < int(rows["utcEpochNs"][0]) < 1 << 61:
        return None, None
    doubt = int(rows["systemClockNs"][0])
    return int(rows["utcEpochNs"][0]), doubt if 0 <= doubt < 1 << 61 else None


def session_facts(
    tables: Tables,
    streams: NsysStreams,
    ranks: dict[int, int],
    epoch: tuple[int | None, int | None],
) -> dict[str, Any]:
    """Fields of Meta: who the trace is of."""
    processes = sorted({int(key) for key in streams.keys[:, 0].tolist() if key != MISSING})
    devices = sorted({lane.device for lane in streams.lanes if lane.device is not None})
    chips = dict.fromkeys(_texts(tables.read("TARGET_INFO_GPU", texts=("name",)), "name"))
    known = sorted({ranks[one] for one in processes if one in ranks})
    facts: dict[str, Any] = {
        "chip": " and ".join(chips)[:_LONGEST],
        "device": devices[0] if len(devices) == 1 else None,
        "process": process_number(processes[0]) if len(processes) == 1 else None,
        "rank": known[0] if len(known) == 1 else None,
        "host": _value(tables, "TARGET_INFO_SYSTEM_ENV", "Hostname"),
    }
    if epoch[0] is not None:
        facts |= {"epoch_clock": "session", "epoch_error_ns": epoch[1]}
    kept = {key: value for key in _KEPT if (value := _value(tables, "META_DATA_EXPORT", key))}
    facts["extra"] = {"nsys": kept | {"kernel_names": "demangled"}}
    return facts


def _value(tables: Tables, table: str, name: str) -> str:
    """The value of a name, in a table of names and values."""
    rows = tables.read(table, texts=("name", "value"))
    names, values = rows.texts["name"], rows.texts["value"]
    for code, value in zip(names.codes.tolist(), values.codes.tolist(), strict=True):
        if code >= 0 and value >= 0 and names.texts[code] == name:
            return str(values.texts[value])[:_LONGEST]
    return ""


def _texts(rows: Columns, name: str) -> list[str]:
    column = rows.texts[name]
    return [column.texts[code] for code in column.codes.tolist() if code >= 0]

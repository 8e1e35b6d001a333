"""What the head of a Kineto file tells: rank, device, and which UTC its times count from."""

from __future__ import annotations

from typing import Any

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.kineto.events import KinetoEvents
from lanescope.formats.kineto.lanes import HostThreads, StreamLanes
from lanescope.formats.streams import StepRows
from lanescope.trace.table import Array

_OLDEST_UTC_NS = 10**18
"""September 2001. Files before 2024 have absolute times, later ones count from a base."""
_KEPT = (
    "schemaVersion",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "trace_id",
)
_LARGEST = 1 << 16
"""Bytes of a value of the head that `extra` keeps at most."""


def utc_ns(json: JsonFile | None, events: KinetoEvents, rows: Array) -> int | None:
    """UTC at 0 of the file's clock; None where the file does not tell.

    Files since 2024 name the base, which is the start of a quarter of a year and so the same on
    all ranks. Source: kineto `output_json.h`, `ChromeTraceBaseTime`.
    """
    base = _value(json, "baseTimeNanoseconds", int)
    if base is not None and 0 < base < 1 << 62:
        return int(base)
    absolute = len(rows) and int(events.start[rows].min()) >= _OLDEST_UTC_NS
    return 0 if absolute else None


def file_facts(
    json: JsonFile | None,
    about: dict[str, Any],
    properties: list[Any],
    lanes: StreamLanes,
    threads: HostThreads,
    steps: StepRows,
) -> dict[str, Any]:
    """Fields of Meta: who the trace is of."""
    by_id = {one.get("id"): one for one in properties if isinstance(one, dict)}
    used = [by_id[device] for device in lanes.devices if device in by_id]
    chips = dict.fromkeys(str(one.get("name", "")) for one in used or by_id.values())
    facts: dict[str, Any] = {
        "rank": _count(about.get("rank")),
        "world": _count(about.get("world_size")),
        "chip": " and ".join(name for name in chips if name),
        "device": lanes.devices[0] if len(lanes.devices) == 1 else None,
        "process": threads.processes[0] if len(threads.processes) == 1 else None,
        "step": int(steps.step[0]) if len(set(steps.step.tolist())) == 1 else None,
    }
    run = _value(json, "trace_id", str)
    if run:
        facts["run"] = run[:256]
    kept: dict[str, Any] = {
        key: value for key in _KEPT if (value := _value(json, key, Any)) is not None
    }
    if used:
        kept["deviceProperties"] = used
    if about:
        kept["distributedInfo"] = about
    small = {
        key: value for key, value in kept.items() if len(msgspec.json.encode(value)) <= _LARGEST
    }
    facts["extra"] = {"kineto": small} if small else {}
    return facts


def _value(json: JsonFile | None, key: str, kind: Any) -> Any:
    if json is None or key not in json:
        return None
    try:
        return json.decode(key, kind)
    except InputError:
        return None


def _count(value: Any) -> int | None:
    """A number of 0 or more; 2023's files also write it as text."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < 1 << 31 else None

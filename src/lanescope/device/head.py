"""The head of a region, checked and copied: its sizes, clock, cores, names and lane table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.device.kinds import RECORD_KINDS
from lanescope.device.layouts import constant, layout
from lanescope.errors import InputError
from lanescope.native import library

Array = npt.NDArray[Any]

PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
"""Names of the protocols, by the number in the header."""
ON_FULL = ("block", "drop")
"""What a producer does without a free buffer, by the number in the header."""
_OWNER_COUNTS = {
    "core": "core_count",
    "pipe": "core_count",
    "scheduler": "scheduler_count",
    "orchestrator": "orchestrator_count",
    "host": "host_count",
}
"""RecordKind.owner to the field of the header that says how many such owners there are."""
_CONTRADICTS = "the region's header contradicts itself, so it is damaged"


@dataclass(frozen=True, slots=True)
class Core:
    """One entry of the core table; -1 where cluster or controller is not known."""

    kind: str = ""
    cluster: int = -1
    controller: int = -1
    clock_hz: int = 0
    """Rate of the core's own clock, in Hz; 0 where it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The first bytes of a region, with every offset in them checked."""

    header: Any
    """The header (ls_header)."""
    cores: tuple[Core, ...]
    functions: Mapping[int, str]
    """Number to name: of functions, and of what has names from LS_MARK_NAMES on."""
    lanes: Array
    """The lane table (ls_lane), as it was when the head was read."""

    @property
    def lane_bytes(self) -> int:
        """Size of the lane table, in bytes."""
        return len(self.lanes) * layout("ls_lane").itemsize

    def lane_name(self, lane: int) -> str:
        """Return whose records a lane holds: `core 3`, `scheduler 0`."""
        kind, owner = RECORD_KINDS[self.lanes["kind"][lane]], self.lanes["owner"][lane]
        who = "core" if kind.owner == "pipe" else kind.owner
        pipe = f" pipe {self.lanes['pipe'][lane]}" if int(self.header["pipe_count"]) > 1 else ""
        return f"{who} {owner}{pipe}"


def read_head(data: Array, *, source: str | PathLike[str], region_bytes: int | None = None) -> Head:
    """Check and copy the head of a region.

    `source` names the region in errors. `region_bytes` is how much of the region is really there.

    Raises:
        InputError: this is no region, or it is damaged or of another version.
    """
    header = check_header(data, source=source, region_bytes=region_bytes)
    if int(header["prefix_bytes"]) > len(data):
        raise InputError(source, _CONTRADICTS)
    lanes = _rows(data, header["lanes"], "ls_lane", header["lane_count"])
    for index in range(len(lanes)):
        problem = _lane_problem(lanes[index], header)
        if problem:
            raise InputError(source, f"lane {index}: {problem}; the region's head is damaged")
    if _overlaps(lanes):
        raise InputError(source, "lanes share buffers; the region's head is damaged")
    return Head(
        header=header,
        cores=tuple(
            Core(
                _text(entry["kind"]),
                int(entry["cluster"]),
                int(entry["controller"]),
                int(entry["clock_hz"]),
            )
            for entry in _rows(data, header["cores"], "ls_core_entry", header["core_count"])
        ),
        functions={
            int(entry["func"]): _text(entry["name"])
            for entry in _rows(data, header["names"], "ls_name_entry", header["name_count"])
            if entry["name"]
        },
        lanes=lanes,
    )


def check_header(
    data: Array, *, source: str | PathLike[str], region_bytes: int | None = None
) -> Any:
    """Check and copy the header of a region (ls_header); the bytes behind it need not be there.

    Raises:
        InputError: this is no region, or it is damaged or of another version.
    """
    header_type = layout("ls_header")
    if len(data) < header_type.itemsize:
        raise InputError(source, f"expected a region, found {len(data)} bytes, too few for one")
    header = data[: header_type.itemsize].copy().view(header_type)[0]
    problem = _header_problem(header, region_bytes)
    if problem:
        raise InputError(source, problem)
    return header


def _header_problem(header: Any, region_bytes: int | None) -> str:
    """Return what is wrong with a header; empty where it is right."""
    if int(header["magic"]) != constant("LS_REGION_MAGIC"):
        return "expected a region, but the first 8 bytes are not L_REGION"
    if int(header["version"]) != constant("LS_REGION_VERSION"):
        return (
            f"the region is of version {header['version']}, this lanescope reads version "
            f"{constant('LS_REGION_VERSION')}; use the lanescope that belongs to the program"
        )
    if region_bytes is not None and int(header["region_bytes"]) > region_bytes:
        return f"the region should have {header['region_bytes']} bytes, found {region_bytes}"
    prefix = int(header["prefix_bytes"])
    tables = (
        ("cores", "core_count", "ls_core_entry"),
        ("names", "name_count", "ls_name_entry"),
        ("lanes", "lane_count", "ls_lane"),
    )
    most = constant("LS_MOST_OWNERS")
    counted = (
        all(int(header[count]) <= most for count in ("name_count", *_OWNER_COUNTS.values()))
        and int(header["core_count"]) * int(header["pipe_count"]) <= most
        and int(header["lane_count"]) <= _most_lanes(header)
    )
    inside = all(
        int(header[offset]) + int(header[count]) * layout(entry).itemsize <= prefix
        for offset, count, entry in tables
    )
    flags = int(header["flags"])
    sane = (
        prefix <= int(header["region_bytes"])
        and counted
        and inside
        and flags & ~constant("LS_FLAGS_KNOWN") == 0
        and int(library().ls_native_flags_closed(flags)) == flags
        and int(header["protocol"]) < len(PROTOCOLS)
        and int(header["on_full"]) < len(ON_FULL)
        and 0 < int(header["clock_hz"]) < 1 << 62
        and int(header["func_shift"]) < 64
    )
    return "" if sane else _CONTRADICTS


def _most_lanes(header: Any) -> int:
    """Return how many lanes the producers of a header can have: one for each kind of record."""
    return sum(
        int(header[_OWNER_COUNTS[kind.owner]])
        * (int(header["pipe_count"]) if kind.owner == "pipe" else 1)
        for kind in RECORD_KINDS
    )


def _lane_problem(lane: Any, header: Any) -> str:
    """Return what is wrong with a row of the lane table; empty where it is right."""
    if int(lane["kind"]) >= len(RECORD_KINDS):
        return f"{lane['kind']} is not a kind of record"
    kind = RECORD_KINDS[lane["kind"]]
    if int(lane["record_bytes"]) != kind.record_bytes:
        return f"records of {lane['record_bytes']} bytes, expected {kind.record_bytes}"
    records, buffers = int(lane["buffer_records"]), int(lane["buffer_count"])
    if not 0 < records <= constant("LS_MOST_RECORDS"):
        return f"{records} records per buffer"
    if not 0 < buffers <= constant("LS_MOST_BUFFERS"):
        return f"{buffers} buffers"
    stride = int(lane["buffer_stride"])
    end = int(lane["buffers"]) + buffers * stride
    if (
        stride < layout("ls_buffer").itemsize + records * kind.record_bytes
        or int(lane["buffers"]) < int(header["prefix_bytes"])
        or end > int(header["region_bytes"])
    ):
        return "its buffers are not inside the region"
    if kind.owner == "pipe" and not int(lane["pipe"]) < int(header["pipe_count"]) < 1 << 16:
        return f"pipe {lane['pipe']} of {header['pipe_count']}"
    if int(lane["owner"]) >= int(header[_OWNER_COUNTS[kind.owner]]):
        return f"it belongs to number {lane['owner']}, which does not exist"
    return ""


def _overlaps(lanes: Array) -> bool:
    """Say whether two lanes have a part of their buffers in common; each lane is right by itself.

    So all buffers together are no larger than the region.
    """
    order = np.argsort(lanes["buffers"])
    begin = lanes["buffers"][order].astype(np.int64)
    end = begin + (lanes["buffer_count"] * lanes["buffer_stride"])[order].astype(np.int64)
    return bool((begin[1:] < end[:-1]).any())


def _rows(data: Array, offset: int, name: str, count: int) -> Array:
    entry = layout(name)
    start = int(offset)
    return data[start : start + int(count) * entry.itemsize].copy().view(entry)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")

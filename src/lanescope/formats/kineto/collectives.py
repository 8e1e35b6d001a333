"""Collectives of a Kineto file: kernels with their group and sequence number where it tells them.

The keys are on the kernel's row since 2024, `Seq` since 2026; else on the operator
`record_param_comms`, which has the same external id. Older files have neither. Source: kineto
`output_json.cpp`; HolisticTraceAnalysis issue #360.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from lanescope.formats.kineto.categories import HOST
from lanescope.formats.kineto.events import KinetoEvents
from lanescope.formats.streams import CollectiveRows
from lanescope.formats.streams.kernels import collective_kind, kind_of_kernel
from lanescope.trace import MISSING, MISSING32
from lanescope.trace.table import Array

_NUMBER = re.compile(r"\d+")
_DTYPE_BYTES = {
    "byte": 1,
    "char": 1,
    "bool": 1,
    "short": 2,
    "half": 2,
    "bfloat16": 2,
    "int": 4,
    "float": 4,
    "long": 8,
    "double": 8,
    "complexfloat": 8,
    "complexdouble": 16,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
}
"""Size of an element by the name that PyTorch writes (c10 `ScalarType.h`)."""


def collective_rows(
    events: KinetoEvents, device: Array, communicates: Array, about: dict[str, Any]
) -> CollectiveRows:
    """The collectives among the device's rows.

    Args:
        events: The file's rows.
        device: Rows of streams, in the order of the recording.
        communicates: Mask of those whose kernel communicates.
        about: The file's `distributedInfo`.
    """
    place = np.flatnonzero(communicates)
    told = _told_by(events, device[place])
    groups = {
        str(group["pg_name"]): group.get("ranks")
        for group in about.get("pg_config") or ()
        if isinstance(group, dict) and group.get("pg_name", "") != ""
    }
    names = [events.text("args.Collective name", row) if row >= 0 else "" for row in told.tolist()]
    kernels = [events.text("name", row) for row in device[place].tolist()]
    kinds = [
        collective_kind(name) if name else kind_of_kernel(kernel)
        for name, kernel in zip(names, kernels, strict=True)
    ]
    group = _texts(events, "args.Process Group Name", told)
    peers = [
        _peers(groups.get(name), written)
        for name, written in zip(
            group, _texts(events, "args.Process Group Ranks", told), strict=True
        )
    ]
    types = _texts(events, "args.dtype", told)
    width = np.array([_DTYPE_BYTES.get(one.lower(), MISSING) for one in types], np.int64)
    return CollectiveRows(
        row=place,
        group=group,
        sequence=_numbers(events, "Seq", told),
        kind=kinds,
        bytes=_bytes(_numbers(events, "In msg nelems", told), width),
        bytes_out=_bytes(_numbers(events, "Out msg nelems", told), width),
        type=types,
        peers=peers,
        size=_small(_numbers(events, "Group size", told)),
        source=_small(_numbers(events, "Src Rank", told)),
        target=_small(_numbers(events, "Dst Rank", told)),
    )


def _told_by(events: KinetoEvents, rows: Array) -> Array:
    """Row that describes the collective of each kernel: its own, else its operator's; -1: none."""
    described = events.arg("Collective name") != MISSING
    external = events.external_id()
    of_host = events.is_one_of("cat", set(HOST))
    operators = np.flatnonzero(described & of_host & (external != MISSING))
    if not len(operators):
        return np.where(described[rows], rows, -1)
    order = np.argsort(external[operators], kind="stable")
    ids = external[operators][order]
    at = np.minimum(np.searchsorted(ids, external[rows]), len(ids) - 1)
    same = ids[at] == external[rows]
    return np.where(described[rows], rows, np.where(same, operators[order][at], -1))


def _texts(events: KinetoEvents, key: str, rows: Array) -> list[str]:
    return [events.text(key, row) if row >= 0 else "" for row in rows.tolist()]


def _numbers(events: KinetoEvents, key: str, rows: Array) -> Array:
    return np.where(rows >= 0, events.arg(key)[rows], MISSING)


def _bytes(elements: Array, width: Array) -> Array:
    known = (elements != MISSING) & (width != MISSING)
    return np.where(known, elements * np.where(known, width, 0), MISSING)


def _small(values: Array) -> Array:
    known = (values >= 0) & (values < 1 << 31)
    return np.where(known, values, MISSING32)


def _peers(ranks: Any, written: str) -> str:
    """Ranks of a group: from the file's head, which is whole, else from the row, if not cut."""
    if isinstance(ranks, list) and ranks:
        return ",".join(str(rank) for rank in ranks)
    if "…" in written or "..." in written:
        return ""
    return ",".join(_NUMBER.findall(written))

"""Reads published points from their table; a row that cannot be says why."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from validation.points import Point

COLUMNS = tuple(
    "id system model weights_GB resident_GB batch link_GBps link_src measured unit kind source "
    "note".split()
)


def read_points(path: Path, known: Sequence[Point] = ()) -> list[Point]:
    """The file's points in order.

    A point that says "same", or names no placement, takes it from the last one before it of the
    same source and model; where its file has none, from the `known` points.
    """
    with path.open(newline="") as file:
        table = csv.DictReader(line for line in file if not line.startswith("#"))
        missing = [name for name in COLUMNS if name not in (table.fieldnames or ())]
        if missing:
            raise ValueError(f"{path}: expected the columns {', '.join(missing)}, found none")
        rows = [{name: (row.get(name) or "").strip() for name in COLUMNS} for row in table]
    points: list[Point] = []
    for row in rows:
        earlier = [
            point
            for point in [*known, *points]
            if (point.source, point.model) == (row["source"], row["model"])
        ]
        points.append(_placed(_same(row, earlier), earlier))
    return points


def _same(row: dict[str, str], earlier: Sequence[Point]) -> Point:
    """The point of a row; a system of "same, …" is that of the one before it."""
    if not row["system"].startswith("same"):
        return _point(row)
    if not earlier:
        problem = "its system is that of another row ('same'), which is not here"
        return replace(_point(row), problem=problem)
    before = earlier[-1]
    system = before.system.partition("; then ")[0] + "; then "
    system += row["system"].removeprefix("same").strip(", ")
    note = f"{row['note']}; same setting: {before.note}"
    return _point({**row, "system": system, "note": note})


_UNITS = {"tok/s": 1.0, "tok/s/GPU": 1.0, "tokens/s": 1.0}
_TIMES = {"s/tok": 1.0, "s/token": 1.0, "ms/tok": 1e-3, "ms/token": 1e-3}


def _measured(row: dict[str, str]) -> float:
    """Tokens per second; a time per token is turned round."""
    value, unit = float(row["measured"]), row["unit"].strip()
    if unit in _TIMES:
        return 1 / (value * _TIMES[unit])
    if unit in _UNITS or not unit:
        return value
    raise ValueError(f"its unit {unit!r} is not known")


def _point(row: dict[str, str]) -> Point:
    try:
        return _read(row)
    except (ValueError, ZeroDivisionError, KeyError, TypeError) as error:
        problem = f"its row cannot be read ({error})"
        numbers = {"weights_GB": "0", "resident_GB": "0", "batch": "1", "measured": "1"}
        readable = {**row, **numbers, "link_GBps": "", "unit": ""}
        return replace(_read(readable), problem=problem)


def _read(row: dict[str, str]) -> Point:
    given = row["link_GBps"].strip()
    link = None if not given else _number(given, "link_GBps", above=0.0) * 1e9
    measured = _measured(row)
    if not (isfinite(measured) and measured > 0):
        raise ValueError(f"measured: expected a rate above 0, found {row['measured']!r}")
    batch = int(row["batch"])
    if batch < 1:
        raise ValueError(f"batch: expected 1 or more, found {batch}")
    return Point(
        id=row["id"],
        system=row["system"],
        model=row["model"],
        kind=row["kind"],
        source=row["source"],
        note=row["note"] or "",
        weight_bytes=_number(row["weights_GB"] or "0", "weights_GB") * 1e9,
        resident_bytes=_number(row["resident_GB"] or "0", "resident_GB") * 1e9,
        batch=batch,
        measured=measured,
        given_link_bytes_per_s=link,
        given_link_source=row["link_src"] or "",
    )


def _number(text: str, column: str, *, above: float = -1e-300) -> float:
    value = float(text)
    if not (isfinite(value) and above < value <= 1e6):
        raise ValueError(f"{column}: expected a number that can be, found {text!r}")
    return value


def _placed(point: Point, earlier: Sequence[Point]) -> Point:
    """FlexGen's percentages: weights, cache, activations on GPU and CPU; the rest is on disk."""
    if "block schedule" not in point.kind or "resident" in point.note or "all CPU" in point.note:
        return point
    if match := re.search(r"(\d+) (\d+) (\d+) (\d+) \d+ \d+", point.note):
        gpu, cpu, kv_gpu, kv_cpu = (int(match[n]) for n in (1, 2, 3, 4))
        return replace(
            point,
            disk_weight_share=min(1.0, max(0.0, 1 - cpu / (100 - gpu))) if gpu < 100 else 0.0,
            disk_kv=kv_gpu + kv_cpu == 0,
            kv_host_share=min(1.0, max(0.0, 1 - kv_gpu / 100)),
        )
    before = next((one for one in reversed(earlier) if one.system == point.system), None)
    if before is None:
        return point
    return replace(
        point,
        disk_weight_share=before.disk_weight_share,
        disk_kv=before.disk_kv,
        kv_host_share=before.kv_host_share,
    )

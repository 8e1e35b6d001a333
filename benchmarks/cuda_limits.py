"""Limits of what cuda_record.py and cuda_graph.py find. Needs no GPU: a test tries them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Figures = dict[str, Any]

OF_PROTON = 0.5
"""So much of what Proton's buffer in global memory costs a task in a loop may cost."""
MOST_REGISTERS = 8
"""More than without recording."""
LEAST_RECORDS_PER_S = 600e6
MOST_LAUNCH_MS = 0.05
MOST_CLOCK_ERROR_NS = 200
LONG_S = 60.0
MOST_AT_LEVEL_4 = 0.08
"""Of the makespan of `paged_attention` with 1,024 tasks."""
FARTHEST_WHAT_IF = 0.05


def missed(figures: Figures) -> list[str]:
    """A sentence per limit that figures of cuda_record miss; those not measured have no limits."""
    return [line for what in figures if what in _LIMITS for line in _LIMITS[what](figures)]


def _cost(figures: Figures) -> Iterator[str]:
    proton = figures.get("proton", {})
    for name, found in figures["cost"].items():
        grid = name.rpartition(" ")[2]
        if "loop=1" not in name or f"global {grid}" not in proton:
            continue
        most = OF_PROTON * proton[f"global {grid}"]["added_cycles"]
        if found["added_cycles"] > most:
            yield f"cost, {name}: {found['added_cycles']} cycles per task, at most {most:.1f}"


def _launch(figures: Figures) -> Iterator[str]:
    added = figures["launch"]["on_ms"] - figures["launch"]["off_ms"]
    if added > MOST_LAUNCH_MS:
        yield f"launch: {added:.3f} ms more with recording, at most {MOST_LAUNCH_MS} ms"


def _flood(figures: Figures) -> Iterator[str]:
    flood = figures["flood"]
    for collectors, found in flood.items():
        if found["lost"]:
            yield f"flood, {collectors} collectors: {found['lost']:,} records lost"
    best = max(found["records_per_s"] for found in flood.values())
    if best < LEAST_RECORDS_PER_S:
        yield f"flood: {best / 1e6:.0f} M records/s, at least {LEAST_RECORDS_PER_S / 1e6:.0f} M"


def _endless(figures: Figures) -> Iterator[str]:
    endless = figures["endless"]
    if endless["lost"]:
        yield f"endless: {endless['lost']:,} of {endless['records']:,} records lost"
    if endless["seconds"] < LONG_S:
        yield f"endless: the kernel ran {endless['seconds']:.0f} s, at least {LONG_S:.0f} s"


def _clock(figures: Figures) -> Iterator[str]:
    clock = figures["clock"]
    if clock["stated_error_ns"] > MOST_CLOCK_ERROR_NS:
        yield (
            f"clock: the stated error is {clock['stated_error_ns']} ns, "
            f"at most {MOST_CLOCK_ERROR_NS} ns"
        )
    if clock["shortest_hop_ns"] < -clock["stated_error_ns"]:
        yield (
            f"clock: a hop is shown {-clock['shortest_hop_ns']} ns backwards, more than the stated "
            f"error of {clock['stated_error_ns']} ns"
        )


def _short(figures: Figures) -> Iterator[str]:
    worst = max(figures["short"]["stated_error_ns"])
    if worst > MOST_CLOCK_ERROR_NS:
        yield f"short: the stated error is {worst} ns, at most {MOST_CLOCK_ERROR_NS} ns"


def _budget(figures: Figures) -> Iterator[str]:
    for name, found in figures["budget"].items():
        (off, on), blocks = found["registers"], found["blocks_per_unit"]
        if on > off + MOST_REGISTERS:
            yield f"budget, {name}: {on - off} registers more, at most {MOST_REGISTERS}"
        if blocks[0] != blocks[1]:
            yield f"budget, {name}: {blocks[1]} CTAs per SM, without recording {blocks[0]}"


_LIMITS = {
    "cost": _cost,
    "launch": _launch,
    "flood": _flood,
    "endless": _endless,
    "clock": _clock,
    "short": _short,
    "budget": _budget,
}


def graph_missed(figures: Figures) -> bool:
    """Whether a row of cuda_graph misses a limit; at level 4 only one graph has one."""
    row = {"workload": "paged_attention", "batches": 256, "level": 4}
    limited = row.items() <= figures.items()
    too_much = limited and figures.get("added", 0.0) > MOST_AT_LEVEL_4
    return too_much or abs(figures.get("error", 0.0)) > FARTHEST_WHAT_IF

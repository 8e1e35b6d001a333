"""The lanes of the page: controllers, then cores with their pipes; group and losses of each."""

from __future__ import annotations

import itertools
from typing import Any

from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.lanes import (
    PAGE_ORDER,
    Lane,
    LaneKind,
    Lanes,
    controller_lanes,
    core_lanes,
    stalls_of_cores,
)
from lanescope.trace.vocabulary import vocabulary

_MOST_GROUPS = 4


def lanes_of(trace: Trace) -> Lanes:
    """The lanes that the page shows; every core of the chip has one, also one that ran nothing."""
    phases, marks, stalls = trace.phases, trace.marks, trace.stalls
    others = ~stalls_of_cores(trace)
    threads = [
        (phases["lane"], phases["controller"]),
        (stalls["lane"][others], stalls["controller"][others]),
    ]
    core = trace.tasks["core"]
    seen = [core[(core != MISSING32) | trace.ran()]]
    seen += [table["core"][table["core"] != MISSING32] for table in (marks, stalls)]
    timed = marks["start_ns"] != MISSING
    cores = core_lanes(trace, seen, PAGE_ORDER, marked=(marks["core"][timed], marks["pipe"][timed]))
    return controller_lanes(trace, threads, PAGE_ORDER).followed_by(cores)


def lane_facts(trace: Trace, lanes: Lanes) -> list[dict[str, Any]]:
    """What the page knows of each lane.

    `lost` is how many of its records were lost, `kind_name` the kind of its core, or else what sort
    of lane it is.
    """
    words = vocabulary(trace)
    kinds = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "kind"), strict=True))
    group = _groups(trace, lanes)
    threads = "Controllers" if words.family == "cores" else "Host threads"
    threads = "Host and launches" if len(trace.launches) else threads
    lost: dict[str, int] = {}
    for entry in trace.meta.ledger:
        lost[entry.lane] = lost.get(entry.lane, 0) + entry.dropped + entry.unmatched
    facts = []
    for lane in lanes.lanes:
        facts.append(
            {
                "name": lane.name,
                "kind": lane.kind,
                "kind_name": (kinds.get(lane.core) or words.lane)
                if lane.kind is LaneKind.CORE
                else str(lane.kind),
                "group": threads if lane.core is None else group[lane.core],
                "core": lane.core,
                "lost": sum(lost.get(name, 0) for name in _ledger_names(lane)),
            }
        )
    return facts


def _ledger_names(lane: Lane) -> set[str]:
    """The names by which a ledger may call a lane."""
    names = {lane.name} if lane.kind is not LaneKind.PIPE else set()
    return names | {f"core {lane.core}"} if lane.kind is LaneKind.CORE else names


def ledger_lanes(lanes: Lanes) -> dict[str, int]:
    """The number of the lane that a ledger calls so."""
    return {name: k for k, lane in enumerate(lanes.lanes) for name in _ledger_names(lane)}


def _groups(trace: Trace, lanes: Lanes) -> dict[int, str]:
    """The group of each core: its rank, or where there is one only its kind.

    There is one group where kinds change often from core to core. Streams are grouped by device.
    """
    ranks = dict(zip(trace.cores["core"].tolist(), trace.cores["rank"].tolist(), strict=True))
    if len(set(ranks.values())) > 1:
        return {core: f"Rank {rank}" for core, rank in ranks.items()}
    words = vocabulary(trace)
    if words.family != "cores":
        return _by_device(trace, lanes, f"{words.lane}s")
    kinds = dict(zip(trace.cores["core"].tolist(), trace.text("cores", "kind"), strict=True))
    cores = [lane.core for lane in lanes.lanes if lane.kind is LaneKind.CORE]
    group = {
        core: f"{kinds[core]} cores" if kinds.get(core) else "Cores"
        for core in cores
        if core is not None
    }
    changes = sum(one != other for one, other in itertools.pairwise(group.values()))
    return dict.fromkeys(group, "Cores") if changes >= _MOST_GROUPS else group


def _by_device(trace: Trace, lanes: Lanes, several: str) -> dict[int, str]:
    """The group of each lane that is no core: its device, where there are several."""
    used = dict(zip(trace.cores["core"].tolist(), trace.cores["device"].tolist(), strict=True))
    devices = set(used.values())
    cores = [lane.core for lane in lanes.lanes if lane.core is not None]
    title = several[0].upper() + several[1:]
    return {
        core: f"Device {used[core]} {several}"
        if len(devices) > 1 and used.get(core, MISSING32) != MISSING32
        else title
        for core in cores
    }

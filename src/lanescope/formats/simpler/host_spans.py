"""Adds the spans of the host's logs to a trace: a lane per thread of the host, one per device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lanescope.formats.simpler.host_lanes import LaneSpans
from lanescope.trace import MISSING32, Table, Trace, Words


def with_host_spans(trace: Trace, lanes: Sequence[LaneSpans], zero_ns: Sequence[int]) -> Trace:
    """The trace with these lanes behind its own phases.

    `zero_ns` is the host's clock at the trace's 0 ns, per run; spans of no run take the first.
    """
    if not lanes:
        return trace
    words = Words(trace.words)
    numbers = _first_free(trace, lanes)
    phases, controllers = [trace.phases], []
    several = len(trace.runs) > 1
    keys: dict[tuple[str, str, int | None], int] = {}
    for lane in lanes:
        key = lane.lane, lane.name, lane.rank
        if key not in keys:
            keys[key] = numbers[lane.lane]
            numbers[lane.lane] += 1
            controllers.append((lane, keys[key]))
        zero = zero_ns[lane.run or 0]
        count = len(lane.start_ns)
        run = lane.run if several and lane.run is not None else MISSING32
        phases.append(
            Table.build(
                "phases",
                {
                    "lane": np.full(count, words.code(lane.lane), np.int32),
                    "controller": np.full(count, keys[key], np.int32),
                    "kind": words.codes(lane.names),
                    "start_ns": lane.start_ns - zero,
                    "end_ns": lane.end_ns - zero,
                    "run": np.full(count, run, np.int32),
                },
            )
        )
    added = {
        "lane": words.codes([lane.lane for lane, _ in controllers]),
        "controller": np.array([number for _, number in controllers], np.int32),
        "name": words.codes([_name(lane) for lane, _ in controllers]),
        "kind": words.codes([lane.kind for lane, _ in controllers]),
        "rank": np.array([_rank(lane) for lane, _ in controllers], np.int32),
    }
    return replace(
        trace,
        words=words.freeze(),
        phases=_below("phases", phases),
        controllers=_below("controllers", [trace.controllers, Table.build("controllers", added)]),
    )


def _name(lane: LaneSpans) -> str:
    return lane.name if lane.rank is None else f"rank {lane.rank} {lane.name}"


def _rank(lane: LaneSpans) -> int:
    return MISSING32 if lane.rank is None else lane.rank


def _first_free(trace: Trace, lanes: Sequence[LaneSpans]) -> dict[str, int]:
    """Per kind of lane the first controller number that no phase has."""
    phases = trace.phases
    free = {}
    for name in dict.fromkeys(lane.lane for lane in lanes):
        mine = phases["controller"][phases["lane"] == trace.code(name)]
        free[name] = int(mine.max(initial=-1)) + 1
    return free


def _below(name: str, tables: Sequence[Table]) -> Table:
    columns = [column.name for column in tables[0].schema.columns]
    return Table.build(name, {c: np.concatenate([table[c] for table in tables]) for c in columns})

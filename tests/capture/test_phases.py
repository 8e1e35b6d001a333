"""Rows of phases, counters and edges, from records made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.capture.buffers import head_of, payload_of

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.gather import gather
from lanescope.capture.ledger import LaneCounts
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.trace import MISSING, MISSING32, Meta, Trace
from lanescope.trace.flags import Feature
from lanescope.trace.meta import RecordingFacts

HOST_NAMES, COUNTER_NAMES = 3 << 16, 4 << 16
NO_TASK = 2**64 - 1
GHZ = 1_000_000_000


def records(kind: str, *rows: Mapping[str, Any]) -> Array:
    """Records of a kind; what a row does not name is 0."""
    own = np.zeros(len(rows), layout(f"ls_{kind}"))
    for number, row in enumerate(rows):
        for name, value in row.items():
            own[name][number] = value
    return own


def head(functions: Mapping[int, str] | None = None, **changes: Any) -> Head:
    options = {"buffers": dict.fromkeys(KINDS, 2), "hosts": 1, "schedulers": 2} | changes
    flags = level_features(4) | Feature.PMU
    names = functions or {}
    return head_of(
        RegionConfig(
            flags=flags, cores=(Core("aic"),) * 2, clock_hz=GHZ, functions=names, **options
        )
    )


def assembled(
    own: Head, lanes: Mapping[tuple[str, int], Array], plan: Trace | None = None
) -> Trace:
    """The trace of the records of some lanes, (kind, owner) each."""
    arrays = [
        lanes.get((KINDS[lane["kind"]], int(lane["owner"])), records(KINDS[lane["kind"]]))
        for lane in own.lanes
    ]
    counters = own.lanes.copy()
    counters["recorded"] = [len(array) for array in arrays]
    gathered = gather([payload_of(arrays)], own)
    return assemble(CaptureContents(own, gathered, LaneCounts(counters), plan=plan))


def column(trace: Trace, table: str, name: str) -> list[str]:
    return [trace.word(code) for code in trace.table(table)[name].tolist()]


def test_a_schedulers_phase_has_its_loop_its_tasks_and_its_queues() -> None:
    dispatch = {"kind": 1, "start": 100, "end": 130, "loop": 2**31 + 5, "tasks": 3, "task": 7}
    dispatch |= {"pop_hit": 5, "pop_miss": 6, "depth_start": [1, 2, 3], "depth_end": [4, 5, 6]}
    other = {"kind": 0, "start": 200, "end": 210, "pop_hit": 5, "pop_miss": 6, "task": NO_TASK}
    other |= {"tasks": 2**31}
    nameless = {"kind": 3, "start": 300, "end": 301, "tasks": 2**31 - 1}
    rows = records("scheduler_phase", dispatch, other, nameless)
    trace = assembled(head(), {("scheduler_phase", 1): rows})
    phases = trace.phases
    assert column(trace, "phases", "lane") == ["scheduler"] * 3
    assert column(trace, "phases", "kind") == ["dispatch", "complete", "kind_3"]
    assert phases["controller"].tolist() == [1, 1, 1]
    assert phases["start_ns"].tolist() == [0, 100, 200]
    assert phases["end_ns"].tolist() == [30, 110, 201]
    assert phases["loop"].tolist() == [2**31 + 5, 0, 0]
    assert phases["tasks"].tolist() == [3, MISSING32, 2**31 - 1]
    assert phases["task"].tolist() == [7, MISSING, 0]
    assert phases["pop_hit"].tolist() == [5, MISSING32, MISSING32]
    assert phases["pop_miss"].tolist() == [6, MISSING32, MISSING32]
    assert [phases[f"queue{n}_start"].tolist()[0] for n in range(3)] == [1, 2, 3]
    assert [phases[f"queue{n}_end"].tolist()[0] for n in range(3)] == [4, 5, 6]


def test_phases_of_orchestrators_and_hosts_have_their_own_column() -> None:
    names = {HOST_NAMES: "copy in", HOST_NAMES + 1: "launch", COUNTER_NAMES: "stalls", 1: "add"}
    submit = {"kind": 0, "start": 10, "end": 20, "submit": 4, "task": 2}
    scope = {"kind": 1, "start": 20, "end": 30, "submit": 2**32 - 1, "task": NO_TASK}
    copied = {"name": 0, "start": 5, "end": 9, "bytes": 4096, "task": NO_TASK}
    other = {"name": 2, "start": 50, "end": 60, "bytes": NO_TASK, "task": 3}
    trace = assembled(
        head(names, name_room=8),
        {
            ("orchestrator_phase", 0): records("orchestrator_phase", submit, scope),
            ("host_phase", 0): records("host_phase", copied, other),
        },
    )
    phases = trace.phases
    assert column(trace, "phases", "lane") == ["orchestrator"] * 2 + ["host"] * 2
    assert column(trace, "phases", "kind") == ["submit", "scope_end", "copy in", "kind_2"]
    assert phases["submit"].tolist() == [4, MISSING32, MISSING32, MISSING32]
    assert phases["bytes"].tolist() == [MISSING, MISSING, 4096, MISSING]
    assert phases["task"].tolist() == [2, MISSING, MISSING, 3]
    assert phases["start_ns"].tolist() == [5, 15, 0, 45]


@pytest.mark.parametrize(("phases", "level"), [("host_phase", 1), ("scheduler_phase", 4)])
def test_phases_of_the_host_say_nothing_of_controllers(phases: str, level: int) -> None:
    """Where nothing was seen of controllers, the trace is one of the cores alone."""
    rows = {("core_task", 0): records("core_task", {"start": 110, "end": 150, "task": 9})}
    rows[phases, 0] = records(phases, {"start": 5, "end": 9})
    assert assembled(head(), rows).meta.level == level


TASK = {"start": 110, "end": 150, "task": 9, "token": 0}
SEEN = {"dispatch": 100, "finish": 160, "task": 9, "token": 0}
COUNTS = list(range(10, 20))


@pytest.mark.parametrize(
    ("functions", "planned", "names"),
    [
        ({COUNTER_NAMES + 1: "stalls"}, (), ["pmu_total_cycles", "stalls"]),
        ({}, ("a", "", "c"), ["pmu_total_cycles", "a", "c"]),
        ({}, (), ["pmu_total_cycles", *(f"counter_{n}" for n in range(10))]),
    ],
)
def test_counters_are_named_by_the_region_the_plan_or_their_place(
    functions: dict[int, str], planned: tuple[str, ...], names: list[str]
) -> None:
    """The second sample has no task row, so it has no token."""
    room = len(records("pmu", {})["counters"][0])
    sample = {"task": 9, "token": 0, "total_cycles": 77, "counters": COUNTS[:room]}
    lost = {"task": 8, "token": 5, "total_cycles": 78}
    facts = RecordingFacts(pmu_counters=planned)
    plan = (
        Trace(meta=Meta(name="plan", tool="test", origin="measured", recording=facts))
        if planned
        else None
    )
    trace = assembled(
        head(functions, name_room=4),
        {
            ("core_task", 1): records("core_task", TASK),
            ("controller_task", 1): records("controller_task", SEEN),
            ("pmu", 1): records("pmu", sample, lost),
        },
        plan,
    )
    table = trace.counters
    names = names[: room + 1]
    assert column(trace, "counters", "name") == [name for name in names for _ in range(2)]
    slots = {"stalls": 1, "a": 0, "c": 2} | {f"counter_{n}": n for n in range(room)}
    values = [77.0 if name == "pmu_total_cycles" else float(10 + slots[name]) for name in names]
    assert table["value"].tolist()[::2] == values
    assert table["task"].tolist() == [9, 8] * len(names)
    assert table["token"].tolist() == [0, MISSING] * len(names)
    assert set(table["core"].tolist()) == {1}
    [entry] = [one for one in trace.meta.ledger if one.kind == "pmu" and one.total]
    assert (entry.lane, entry.delivered, entry.unmatched) == ("core 1", 1, 1)


def test_edges_keep_their_order_and_name_tasks_that_nothing_else_names() -> None:
    rows = records(
        "edge",
        {"pred": 9, "succ": 12, "kind": 3, "arg": 2, "flags": 1},
        {"pred": 4, "succ": 9, "kind": 0},
        {"pred": 12, "succ": 4, "kind": 77},
    )
    own = head()
    trace = assembled(
        own,
        {
            ("edge", 0): rows,
            ("core_task", 0): records("core_task", TASK),
            ("controller_task", 0): records("controller_task", SEEN),
        },
    )
    assert list(zip(*(trace.edges[name].tolist() for name in ("pred", "succ")), strict=True)) == [
        *((9, 12), (4, 9), (12, 4))
    ]
    assert column(trace, "edges", "kind") == ["tensormap", "fanout", "kind_77"]
    assert trace.edges["arg"].tolist() == [2, 0, 0]
    assert trace.edges["flags"].tolist() == [1, 0, 0]
    outside = trace.tasks["core"] < 0
    assert trace.tasks["task"][outside].tolist() == [4, 12]
    assert [trace.word(code) for code in trace.tasks["kind"][outside].tolist()] == ["outside"] * 2

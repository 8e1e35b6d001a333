"""The arrays that the machine gets of a graph, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip, PerfmonCosts, RecordingCosts, load_chip
from lanescope.platforms.sim.costs import (
    RecordingOverhead,
    core_rates,
    durations_ps,
    known_costs_ns,
    record_costs,
)
from lanescope.platforms.sim.given import (
    _manners,
    _partner_kinds,
    _sorted_within,
    core_codes,
    machine_costs,
    machine_input,
)
from lanescope.platforms.sim.pmu import choose
from lanescope.platforms.sim.setup import SimSetup
from lanescope.platforms.sim.timeline import lengths_ps
from lanescope.trace.flags import Feature
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind
from lanescope.workloads.pipes import CoreRates, PipeKernel, PipeOp


@pytest.mark.parametrize(
    "successors", [[2, 3, 0, 1, 3], [3, 2, 0, 1, 3], [2, 3, 1, 3, 0], [3, 2, 3, 1, 0]]
)
def test_successors_rise_within_each_task(successors: list[int]) -> None:
    """Task 0 has two, task 1 none, task 2 has three."""
    offsets = np.array([0, 2, 2, 5])
    assert _sorted_within(offsets, np.array(successors)).tolist() == [2, 3, 0, 1, 3]


def test_where_one_tasks_successors_end_and_the_next_ones_begin_they_may_fall() -> None:
    offsets = np.array([0, 2, 4])
    given = np.array([5, 6, 1, 2])
    assert _sorted_within(offsets, given) is given
    assert _sorted_within(offsets, np.array([5, 6, 2, 1])).tolist() == [5, 6, 1, 2]
    equal = np.array([3, 3, 3, 3])
    assert _sorted_within(offsets, equal) is equal


# ---- a graph and a chip ----------------------------------------------------------------------


def chip(**changes: Any) -> Chip:
    """Two clusters of a cube core and two vector cores, with one scheduler."""
    return replace(load_chip("a2a3"), **{"clusters": 2, "schedulers": 1, **changes})


def graph() -> TaskGraph:
    builder = GraphBuilder("g")
    with builder.scope():
        builder.task("A", kind="aiv", spin_ns=3)
        with builder.scope():
            builder.task("B", kind="aic", after=[0], spin_ns=5)
    builder.task("A", kind="aiv", after=[0, 1])
    return builder.graph()


def setup(own: Chip | None = None, **options: Any) -> SimSetup:
    return SimSetup(**{"chip": own or chip(), "features": Feature(0), **options})


def plain(given: Mapping[str, Any], *names: str) -> list[object]:
    values = (given[name] for name in names)
    return [value.tolist() if isinstance(value, np.ndarray) else value for value in values]


def test_the_machine_gets_the_graph_and_the_chip() -> None:
    given = machine_input(graph(), setup(first_token=9, pre_dispatch=2), region_address=77)
    assert plain(given, "tasks", "first", "target", "func", "kind") == [
        *(3, [0, 2, 3, 3], [1, 2, 2], [0, 1, 0], [0, 1, 0])
    ]
    assert plain(given, "node", "blocks", "partners") == [[0] * 3, [1] * 3, [0] * 3]
    assert plain(given, "partner_kind", "manner", "wait") == [[0] * 3, None, None]
    assert plain(given, "length", "scopes", "scope_count") == [[3000, 5000, 0], [1, 2, 0, 2], 2]
    assert plain(given, "ending_first", "ending") == [[0, 0, 0, 2, 2], [0, 1]]
    assert plain(given, "cores", "kinds", "core_kind", "core_scheduler") == [
        *(6, 2, [1, 1, 0, 0, 0, 0], [0] * 6)
    ]
    assert plain(given, "clusters", "cluster_first", "cluster_cores") == [
        *(2, [0, 3, 6], [0, 2, 3, 1, 4, 5])
    ]
    assert plain(given, "orchestrators", "schedulers", "pre_dispatch") == [1, 1, 2]
    assert plain(given, "region", "first_token", "sweeps") == [77, 9, 0]
    assert given["release_tasks"] == chip().scheduler.release_tasks > 0
    assert plain(given, "core_rotates", "tells_first") == [1, 1]
    recorded = ("records_phases", "records_submits", "reads_counters", "reads_engines")
    assert plain(given, *recorded) == [0, 0, 0, 0]
    assert plain(given, "depth_queues", "depth_mixed") == [2, 0]
    assert not {"window", "consumers", "kernel", "unit_first"} & given.keys()


@pytest.mark.parametrize(
    ("protocol", "rotates", "first"),
    [
        ("staging", 0, 0),
        ("controller-rotated", 0, 0),
        ("producer-rotated", 1, 1),
        ("after-finish", 0, 1),
    ],
)
def test_a_protocol_says_who_rotates_and_who_tells_first(
    protocol: str, rotates: int, first: int
) -> None:
    given = machine_input(graph(), setup(protocol=protocol), region_address=0)
    assert plain(given, "core_rotates", "tells_first") == [rotates, first]


@pytest.mark.parametrize(
    ("features", "told"),
    [
        (Feature.CHIP_SWIMLANE_PHASE_BUFFERS, [1, 0, 0]),
        (Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES, [0, 1, 0]),
        (Feature.CORE_SWIMLANE, [0, 0, 1]),
        (Feature.CHIP_SWIMLANE_TASK_LIFECYCLE | Feature.PMU, [0, 0, 0]),
    ],
)
def test_a_feature_says_what_controllers_record(features: Feature, told: list[int]) -> None:
    given = machine_input(graph(), setup(features=features), region_address=0)
    assert plain(given, "records_phases", "records_submits", "reads_engines") == told


def test_counters_are_read_where_some_were_chosen() -> None:
    found = choose(chip(), 2)
    assert found is not None
    assert machine_input(graph(), setup(pmu=found), region_address=0)["reads_counters"] == 1


@pytest.mark.parametrize(
    ("kinds", "partners", "depths"),
    [(1, False, 1), (3, False, 3), (4, False, 3), (2, True, 2), (3, True, 2), (4, True, 2)],
)
def test_three_depths_are_recorded_and_the_mixed_queue_is_one_of_them(
    kinds: int, partners: bool, depths: int
) -> None:
    """Kinds that no task needs have no core; who checks a graph refuses them."""
    wide = replace(graph(), kinds=("aiv", "aic", "x", "y")[:kinds], kind=np.zeros(3, np.int32))
    columns: dict[str, Any] = {"partners": np.array([0, int(partners), 0])}
    given = machine_input(replace(wide, **columns), setup(), region_address=0)
    assert plain(given, "depth_queues", "depth_mixed") == [depths, int(partners)]


def test_columns_that_are_left_out_are_not_given() -> None:
    names = ("blocks", "partners", "nodes", "scopes")
    absent: dict[str, Any] = dict.fromkeys(names)
    given = machine_input(replace(graph(), **absent), setup(), region_address=0)
    assert plain(given, "node", "blocks", "partners", "partner_kind", "depth_mixed") == [
        *(None, None, None, None, 0)
    ]
    assert "scopes" not in given
    none: dict[str, Any] = {"scopes": np.zeros((0, 2), np.int64)}
    assert "scopes" not in machine_input(replace(graph(), **none), setup(), region_address=0)


def test_manners_are_bits_and_waits_picoseconds() -> None:
    early, together = np.array([1, 0, 1]), np.array([0, 1, 1])
    for columns, manner in (
        ({"early": early}, [1, 0, 1]),
        ({"together": together}, [0, 2, 2]),
        ({"early": early, "together": together}, [1, 2, 3]),
        ({}, None),
    ):
        own: dict[str, Any] = columns
        assert plain({"m": _manners(replace(graph(), **own))}, "m") == [manner]
    waits: dict[str, Any] = {"wait_ns": np.array([0, 4, 0])}
    given = machine_input(replace(graph(), **waits), setup(), region_address=0)
    assert plain(given, "wait") == [[0, 4000, 0]]


def test_partners_are_vector_cores_where_the_graph_has_some() -> None:
    assert plain({"k": _partner_kinds(replace(graph(), kinds=("aic", "aiv")))}, "k") == [[1] * 3]
    assert plain({"k": _partner_kinds(replace(graph(), kinds=("aic",)))}, "k") == [[-1] * 3]


def test_cores_of_a_cluster_share_a_scheduler() -> None:
    given = machine_input(graph(), setup(chip(clusters=3, schedulers=2)), region_address=0)
    assert plain(given, "core_scheduler") == [[0, 1, 0, 0, 0, 1, 1, 0, 0]]
    assert core_codes(replace(graph(), kinds=("aic",)), chip()) == [0, 0, -1, -1, -1, -1]
    assert core_codes(graph(), chip()) == [1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(("window", "held"), [(2, True), (3, False), (4, False)])
def test_a_window_smaller_than_the_graph_has_the_consumers_of_each_task(
    window: int, held: bool
) -> None:
    own = chip()
    own = replace(own, orchestrator=replace(own.orchestrator, window_tasks=window))
    given = machine_input(graph(), setup(own), region_address=0)
    assert given["orchestrators"] == 1
    assert ("window" in given) is ("consumers" in given) is held
    if held:
        assert plain(given, "window", "consumers") == [2, [1, 2, 2]]


def test_a_host_that_builds_the_graph_has_no_window_and_releases_nothing() -> None:
    own = chip(orchestrators=0)
    own = replace(own, orchestrator=replace(own.orchestrator, window_tasks=1))
    given = machine_input(graph(), setup(own), region_address=0)
    assert plain(given, "orchestrators", "release_tasks") == [0, 0]
    assert "window" not in given


def test_drawn_lengths_are_those_of_units_and_others_stay() -> None:
    builder = GraphBuilder("g")
    builder.task("A", kind="aiv", spin_ns=3, blocks=2)
    builder.task("B", kind="aiv")
    builder.task("A", kind="aiv", spin_ns=4)
    drawn = replace(builder.graph(), unit_ps=np.array([10, 20, 30, 40]))
    given = machine_input(drawn, setup(), region_address=0)
    assert plain(given, "length", "unit_first", "unit_length") == [
        *([3000, 0, 4000], [0, 2, 3, 4], [10, 20, 0, 40])
    ]


def piped() -> TaskGraph:
    """A and C move data through the chip's memory, B does not; N has no kernel."""
    load = PipeOp("mte2", bytes=64, route="gm_to_ub", sets=(0,))
    moving = PipeKernel("A", (load, PipeOp("vector", cycles=5, waits=(0,)), PipeOp("vector")))
    still = PipeKernel("B", (PipeOp("scalar", cycles=2),))
    builder = GraphBuilder("g")
    builder.task("B", kind="aiv", kernel=still)
    builder.task("A", kind="aiv", kernel=moving)
    builder.task("N", kind="aiv", spin_ns=1)
    builder.task("N", kind="aiv", kernel=None)
    cube = PipeKernel("C", (PipeOp("mte2", bytes=8, route="gm_to_l1"), PipeOp("cube", cycles=3)))
    builder.task("C", kind="aic", kernel=cube)
    return builder.graph()


def test_kernels_that_share_the_memory_are_given_operation_by_operation() -> None:
    own = chip()
    own = replace(own, memory=replace(own.memory, hbm_bytes_per_s=10**12))
    given = machine_input(piped(), setup(own), region_address=0)
    _, moving, _, cube = piped().kernels
    assert moving is not None and cube is not None
    lengths = lengths_ps(moving, core_rates(own, "aiv")) + lengths_ps(cube, core_rates(own, "aic"))
    assert plain(given, "kernel", "kernel_first") == [[-1, 0, -1, -1, 1], [0, 3, 5]]
    assert plain(given, "op_length", "op_bytes") == [lengths, [64, 0, 0, 8, 0]]
    assert plain(given, "op_before") == [[0, 1, 1, 0, 0]]
    assert plain(given, "op_after_first", "op_after") == [[0, 1, 2, 2, 2, 2], [1, 2]]
    assert given["memory_bytes_per_s"] == 10**12


def test_without_a_limit_of_the_memory_or_without_transfers_no_kernel_is_given() -> None:
    own = chip()
    free = replace(own, memory=replace(own.memory, hbm_bytes_per_s=None))
    limited = replace(own, memory=replace(own.memory, hbm_bytes_per_s=10**12))
    assert "kernel" not in machine_input(piped(), setup(free), region_address=0)
    still = replace(piped(), kernels=(piped().kernels[0],) * 4)
    assert "kernel" not in machine_input(still, setup(limited), region_address=0)


# ---- costs -----------------------------------------------------------------------------------

RECORDING = RecordingCosts(
    core_record_ps=2,
    staging_copy_ps=3,
    staging_shared_ps=5,
    count_ps=7,
    rotate_ps=11,
    controller_record_ps=13,
    scheduler_phase_ps=17,
    orchestrator_phase_ps=19,
    host_latency_ps=23,
    resolve_least_ps=29,
)
TIMING, LIFECYCLE = Feature.CHIP_SWIMLANE_CORE_TIMING, Feature.CHIP_SWIMLANE_TASK_LIFECYCLE
PHASES = Feature.CHIP_SWIMLANE_PHASE_BUFFERS
SUBMITS = Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES


@pytest.mark.parametrize(
    ("features", "protocol", "costs"),
    [
        (Feature(0), "staging", (0, 0, 0, 0, 0, 0)),
        (TIMING, "staging", (2, 3, 0, 0, 11, 5)),
        (TIMING, "controller-rotated", (2, 7, 0, 0, 11, 0)),
        (TIMING, "producer-rotated", (2, 0, 0, 0, 11, 0)),
        (TIMING, "after-finish", (2, 7, 0, 0, 11, 0)),
        (LIFECYCLE, "staging", (0, 13, 0, 0, 0, 0)),
        (TIMING | LIFECYCLE, "staging", (2, 16, 0, 0, 11, 5)),
        (PHASES, "staging", (0, 0, 17, 0, 0, 0)),
        (SUBMITS, "staging", (0, 0, 0, 19, 0, 0)),
    ],
)
def test_each_level_and_protocol_has_its_costs(
    features: Feature, protocol: str, costs: tuple[int, ...]
) -> None:
    own = chip(recording=RECORDING)
    found = record_costs(own, features, protocol)
    assert found == RecordingOverhead(*costs)
    given = machine_costs(setup(own, features=features, protocol=protocol))
    assert (given.core_record, given.task_record, given.scheduler_phase) == costs[:3]
    assert (given.orchestrator_phase, given.rotate, given.staging_shared) == costs[3:]
    assert (given.host_latency, given.resolve_least) == (23, 29)


def test_known_costs_are_told_in_ns_and_those_that_are_0_are_left_out() -> None:
    own = chip(recording=RECORDING, pmu=None, perfmon=None)
    every = TIMING | LIFECYCLE | PHASES | SUBMITS | Feature.PMU | Feature.CORE_SWIMLANE
    assert known_costs_ns(own, every, "staging") == {
        "core_task": 0.002,
        "core_moved": 0.003,
        "staging_shared": 0.005,
        "controller_task": 0.013,
        "scheduler_phase": 0.017,
        "orchestrator_phase": 0.019,
    }
    assert known_costs_ns(own, TIMING, "producer-rotated") == {"core_task": 0.002}
    assert known_costs_ns(own, LIFECYCLE, "staging") == {"controller_task": 0.013}
    assert known_costs_ns(own, Feature(0), "staging") == {}


@pytest.mark.parametrize("name", ["a2a3", "a5"])
def test_counters_and_engines_cost_whoever_reads_them(name: str) -> None:
    own = load_chip(name)
    assert own.pmu is not None
    pmu = replace(own.pmu, register_read_ps=100, record_ps=7)
    engines = PerfmonCosts(block="chip6", buffer_bytes=1 << 10, drain_ps=31, burst_ps=37)
    own = replace(own, pmu=pmu, perfmon=engines, recording=RECORDING)
    chosen = choose(own, 2)
    assert chosen is not None
    reading = 100 * chosen.unit.registers.reads_per_task
    both = Feature.PMU | Feature.CORE_SWIMLANE
    costs = machine_costs(setup(own, features=both, pmu=chosen))
    assert chosen.by_core is (name == "a5")
    assert costs.counters_read == (0 if chosen.by_core else reading)
    assert (costs.counters_record, costs.drain, costs.burst) == (7, 31, 37)
    told = {"engine_drain": 0.031, "burst": 0.037}
    counters = {"pmu_controller": 7 if chosen.by_core else reading + 7}
    counters |= {"pmu_core": reading} if chosen.by_core else {}
    told |= {kind: ps / 1000 for kind, ps in counters.items()}
    assert known_costs_ns(own, both, "producer-rotated") == told
    none = machine_costs(setup(own))
    assert (none.counters_read, none.counters_record, none.drain, none.burst) == (0, 0, 0, 0)
    lacking = replace(own, pmu=None, perfmon=None)
    none = machine_costs(setup(lacking, features=both, pmu=chosen))
    assert (none.counters_read, none.counters_record, none.drain, none.burst) == (0, 0, 0, 0)


def test_other_costs_are_those_of_the_chip_and_a_dispatch_is_dearer_for_each_other_scheduler() -> (
    None
):
    own = chip(schedulers=3)
    own = replace(own, scheduler=replace(own.scheduler, contention_ps=9))
    found = machine_costs(setup(own))
    assert found.dispatch == own.scheduler.dispatch_ps + 18
    assert (found.submit, found.submit_edge, found.scope_end) == (
        *(own.orchestrator.submit_ps, own.orchestrator.submit_edge_ps),
        own.orchestrator.scope_end_ps,
    )
    assert (found.loop, found.poll_core, found.complete) == (
        *(own.scheduler.loop_ps, own.scheduler.poll_core_ps, own.scheduler.complete_ps),
    )
    assert (found.dispatch_latency, found.finish_latency, found.setup) == (
        *(own.link.dispatch_latency_ps, own.link.finish_latency_ps, own.core.setup_ps),
    )
    alone = machine_costs(setup(replace(own, schedulers=1)))
    assert alone.dispatch == own.scheduler.dispatch_ps


def test_a_core_has_the_routes_of_its_kind() -> None:
    own, memory = chip(), chip().memory
    assert core_rates(own, "aiv") == CoreRates(
        own.clock.aiv_hz,
        {"gm_to_ub": memory.gm_to_ub_bytes_per_s, "ub_to_gm": memory.ub_to_gm_bytes_per_s},
    )
    assert core_rates(own, "aic").bytes_per_s == {
        "gm_to_l1": memory.gm_to_l1_bytes_per_s,
        "l0c_to_gm": memory.l0c_to_gm_bytes_per_s,
        "l1_to_l0a": memory.l1_to_l0a_bytes_per_s,
        "l1_to_l0b": memory.l1_to_l0b_bytes_per_s,
    }
    assert core_rates(own, "aic").core_hz == own.clock.aic_hz


def test_tasks_last_as_long_as_stated_or_as_their_kernel_on_their_kind_of_core() -> None:
    own = chip()
    own = replace(own, clock=replace(own.clock, aic_hz=10**9, aiv_hz=2 * 10**9))
    kernel = PipeKernel("k", (PipeOp("scalar", cycles=10),))
    builder = GraphBuilder("g")
    builder.task("A", kind="aiv", kernel=kernel)
    builder.task("A", kind="aic", kernel=kernel)
    builder.task("B", kind="aic", spin_ns=7)
    builder.task("B", kind="aic")
    assert durations_ps(builder.graph(), own).tolist() == [5_000, 10_000, 7_000, 0]
    assert durations_ps(GraphBuilder("empty").graph(), own).tolist() == []


@pytest.mark.parametrize("work", [WorkKind.COPY, WorkKind.MATMUL, WorkKind.CALLBACK])
def test_work_that_only_real_threads_do_is_refused(work: WorkKind) -> None:
    builder = GraphBuilder("g")
    builder.task("A", spin_ns=1)
    builder.task("A", work=work, amount=1)
    with pytest.raises(UsageError) as refused:
        durations_ps(builder.graph(), chip())
    assert str(refused.value) == (
        "g has tasks that copy, multiply or call a function; a simulated chip runs tasks of stated "
        "length, and kernels"
    )

"""What the thread platform records: every task once, in order, by core and scheduler."""

from __future__ import annotations

import numpy as np
import pytest
from tests.platforms.threads.drained import DrainedRegion

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.native import library
from lanescope.platforms.threads.machine import RunResult, ThreadMachine, run_graph
from lanescope.workloads import TaskGraph, build_workload

CORES = ("aic", "aiv", "aiv")
TASKS = 80
FIRST_TOKEN = 2**32 - 7
PROTOCOLS = ("LS_STAGING", "LS_CONTROLLER_ROTATED", "LS_PRODUCER_ROTATED", "LS_AFTER_FINISH")
LEAST_BUFFERS = {"LS_AFTER_FINISH": 2}


def recorded(
    graph: TaskGraph, machine: ThreadMachine, *, func_in_task: bool = False, **fields: int
) -> tuple[DrainedRegion, RunResult]:
    """Run the graph into a region made for the machine."""
    region = DrainedRegion(
        core_count=len(machine.cores),
        scheduler_count=machine.schedulers,
        pre_dispatch=machine.pre_dispatch,
        first_token=FIRST_TOKEN,
        **fields,
    )
    with region:
        result = run_graph(
            graph,
            machine,
            region_address=region.address,
            clock_hz=10**9,
            func_in_task=func_in_task,
        )
    return region, result


def small_graph() -> TaskGraph:
    return build_workload("random_dag", {"tasks": str(TASKS), "min_spin_ns": "0"})


def ordinals(records: np.ndarray) -> list[int]:
    """Numbers of the tasks at their core, from the tokens, which wrap around."""
    return (records["token"] - np.uint32(FIRST_TOKEN)).tolist()


@pytest.mark.parametrize("buffer_count", [1, 2, 8])
@pytest.mark.parametrize("buffer_records", [1, 3, 1024])
@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_task_arrives_once_and_in_order(
    protocol: str, pre_dispatch: int, buffer_records: int, buffer_count: int
) -> None:
    region, result = recorded(
        small_graph(),
        ThreadMachine(CORES, schedulers=2, pre_dispatch=pre_dispatch),
        protocol=constant(protocol),
        buffer_records=buffer_records,
        buffer_count=max(buffer_count, LEAST_BUFFERS.get(protocol, 1)),
    )
    assert result.tasks_done == TASKS
    assert not region.lanes["dropped"].any()
    for core, count in enumerate(result.tasks_per_core):
        seen = region.records("LS_CORE_TASK", core)
        told = region.records("LS_CONTROLLER_TASK", core)
        assert ordinals(seen) == ordinals(told) == list(range(count))
        assert seen["task"].tolist() == told["task"].tolist()
        assert np.all(told["dispatch"] <= seen["start"])
        assert np.all(seen["start"] <= seen["end"])
        assert np.all(seen["end"] <= told["finish"])
        assert np.all(seen["start"] - seen["receive_to_start"] >= told["dispatch"])


@pytest.mark.parametrize("pre_dispatch", [0, 2])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_dropped_is_counted(protocol: str, pre_dispatch: int) -> None:
    region, result = recorded(
        small_graph(),
        ThreadMachine(CORES, pre_dispatch=pre_dispatch),
        protocol=constant(protocol),
        on_full=constant("LS_DROP"),
        buffer_records=1,
        buffer_count=LEAST_BUFFERS.get(protocol, 1),
    )
    assert result.tasks_done == TASKS
    for kind in ("LS_CORE_TASK", "LS_CONTROLLER_TASK"):
        for core, count in enumerate(result.tasks_per_core):
            lane = region.lanes[region.lane(kind, core)]
            found = ordinals(region.records(kind, core))
            assert len(found) == lane["recorded"]
            assert len(found) + lane["dropped"] == count
            assert found == sorted(set(found))


def test_the_function_travels_in_the_task_word_if_asked_for() -> None:
    graph = small_graph()
    region, _ = recorded(graph, ThreadMachine(CORES), func_in_task=True, func_shift=48)
    for core in range(len(CORES)):
        word = region.records("LS_CORE_TASK", core)["task"].astype(np.int64)
        told = region.records("LS_CONTROLLER_TASK", core)
        assert (word >> 48).tolist() == told["func"].tolist()
        assert (word & (2**48 - 1)).tolist() == told["task"].tolist()
        assert told["func"].tolist() == graph.func[told["task"].astype(int)].tolist()


def test_the_orchestrator_records_every_submission() -> None:
    region, result = recorded(small_graph(), ThreadMachine(CORES))
    phases = region.records("LS_ORCHESTRATOR_PHASE", 0)
    assert phases["task"].tolist() == phases["submit"].tolist() == list(range(TASKS))
    assert phases["start"][0] >= result.start_cycles
    assert np.all(phases["start"][1:] >= phases["end"][:-1])


@pytest.mark.parametrize("schedulers", [1, 3])
def test_schedulers_record_the_phases_that_did_something(schedulers: int) -> None:
    graph = small_graph()
    region, _ = recorded(graph, ThreadMachine(CORES, schedulers=schedulers))
    lanes = [region.records("LS_SCHEDULER_PHASE", owner) for owner in range(schedulers)]
    phases = np.concatenate(lanes)
    tasks = {
        kind: int(phases["tasks"][phases["kind"] == constant(f"LS_PHASE_{kind}")].sum())
        for kind in ("COMPLETE", "RESOLVE", "DISPATCH")
    }
    assert tasks == {"COMPLETE": TASKS, "RESOLVE": len(graph.pred), "DISPATCH": TASKS}
    assert phases["pop_hit"].sum() == TASKS
    assert np.all(phases["start"] <= phases["end"])
    assert np.all(phases["depth_start"][:, 2] == 0)
    assert phases["depth_start"].max() > 0


def test_a_resolve_phase_lies_in_the_complete_phase_of_its_loop() -> None:
    region, _ = recorded(small_graph(), ThreadMachine(CORES))
    phases = region.records("LS_SCHEDULER_PHASE", 0)
    outer = {row["loop"]: row for row in phases if row["kind"] == constant("LS_PHASE_COMPLETE")}
    inner = phases[phases["kind"] == constant("LS_PHASE_RESOLVE")]
    assert len(inner) > 0
    for row in inner:
        around = outer[row["loop"]]
        assert around["start"] <= row["start"] <= row["end"] <= around["end"]


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_level_records_its_kinds_and_no_others(level: int) -> None:
    flags = int(library().ls_native_level_flags(level))
    region, result = recorded(small_graph(), ThreadMachine(CORES), flags=flags)
    assert result.tasks_done == TASKS
    assert sorted(set(region.lanes["kind"].tolist())) == list(range(level))
    assert sum(len(region.records("LS_CORE_TASK", core)) for core in range(3)) == TASKS


def test_a_run_marks_the_region_as_running() -> None:
    region, _ = recorded(small_graph(), ThreadMachine(CORES))
    assert region.header["state"] == constant("LS_RUNNING")


def test_a_second_run_goes_on_in_the_same_region() -> None:
    graph, machine = build_workload("chain", {"tasks": "10"}), ThreadMachine(("aiv",))
    with DrainedRegion(buffer_records=4, buffer_count=2) as region:
        for _ in range(2):
            run_graph(graph, machine, region_address=region.address, clock_hz=10**9)
    assert region.records("LS_CORE_TASK", 0)["task"].tolist() == [*range(10), *range(10)]


def test_a_cancelled_run_delivers_what_it_did() -> None:
    graph, cancel = small_graph(), np.ones(1, np.uint64)
    with DrainedRegion(core_count=3) as region:
        result = run_graph(
            graph,
            ThreadMachine(CORES),
            region_address=region.address,
            clock_hz=10**9,
            cancel=cancel,
        )
    assert result.tasks_done == region.lanes["recorded"].sum() == 0


def test_a_region_for_another_machine_is_refused() -> None:
    with (
        DrainedRegion(core_count=2) as region,
        pytest.raises(UsageError, match="the region was made for another machine than 3 cores, 1"),
    ):
        run_graph(
            small_graph(), ThreadMachine(CORES), region_address=region.address, clock_hz=10**9
        )

"""What each event counts, on kernels small enough to count by hand; and the tables of events."""

from __future__ import annotations

import pytest
from tests.platforms.sim.running import spin_kernel

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.platforms.sim.counting import ENDS, PLACES, RULES, counted, rule, total_cycles
from lanescope.platforms.sim.inside import TaskInside
from lanescope.platforms.sim.pmu_file import (
    NOT_MODELLED,
    CounterUnit,
    Event,
    EventGroup,
    counter_unit,
    counter_units,
    read_group,
)
from lanescope.platforms.sim.timeline import Timeline, alone
from lanescope.workloads.kernels import matmul_kernel
from lanescope.workloads.pipes import PIPES, ROUTES, CoreRates, PipeKernel, PipeOp

# A cycle is 1000 ps, and so is a byte.
EVEN = CoreRates(10**9, dict.fromkeys(ROUTES, 10**9))
VECTOR = PipeKernel(
    "by hand",
    (
        PipeOp("mte2", bytes=300, route="gm_to_ub", sets=(0,)),
        PipeOp("vector", cycles=40, waits=(0,), sets=(1,)),
        PipeOp("mte2", bytes=10, route="gm_to_ub"),
        PipeOp("mte3", bytes=129, route="ub_to_gm", waits=(1,)),
    ),
)
CUBE = PipeKernel(
    "by hand",
    (
        PipeOp("mte2", bytes=1024, route="gm_to_l1", sets=(0,)),
        PipeOp("mte1", bytes=600, route="l1_to_l0a", waits=(0,)),
        PipeOp("mte1", bytes=424, route="l1_to_l0b", sets=(1,)),
        PipeOp("cube", cycles=70, waits=(1,), sets=(2,)),
        PipeOp("fixp", bytes=512, route="l0c_to_gm", waits=(2,)),
    ),
)


def by_name(kernel: PipeKernel | None, unit: str, group: int) -> dict[str, int]:
    """Counter to what it counts, of those that are not 0."""
    timeline = Timeline(7, 5_999, ()) if kernel is None else alone(kernel, EVEN, 7)
    chosen = read_group(counter_unit(unit), group)
    events = counted(TaskInside(kernel, EVEN, timeline), chosen)
    return {event.name: events[event.id] for event in chosen.events if event.id in events}


@pytest.mark.parametrize(
    ("kernel", "unit", "group", "found"),
    [
        (VECTOR, "dav_2201", 1, {"vec_fp32_exec": 40}),
        (CUBE, "dav_2201", 1, {"cube_fp16_exec": 70}),
        (CUBE, "dav_3510", 1, {"cube_fp_instr_busy": 70}),
        (
            VECTOR,
            "dav_2201",
            2,
            {"vec_busy_cycles": 40, "mte2_busy_cycles": 310, "mte3_busy_cycles": 129},
        ),
        (
            CUBE,
            "dav_3510",
            2,
            {
                "cube_instr_busy": 70,
                "mte1_instr_busy": 1024,
                "mte2_instr_busy": 1024,
                "pmu_fix_instr_busy": 512,
            },
        ),
        # 300 bytes are two requests of 256 and three of 128; 10 are one of each; 129 one and two.
        (
            VECTOR,
            "dav_2201",
            4,
            {
                "ub_read_req": 2,
                "ub_write_req": 4,
                "l2_read_req": 3,
                "l2_write_req": 1,
                "main_read_req": 3,
                "main_write_req": 1,
            },
        ),
        (
            CUBE,
            "dav_2201",
            4,
            {
                "l1_read_req": 2 + 1,
                "l1_write_req": 8,
                "l2_read_req": 4,
                "l2_write_req": 2,
                "main_read_req": 4,
                "main_write_req": 2,
            },
        ),
        (CUBE, "dav_2201", 5, {"l0a_write_req": 2, "l0b_write_req": 2, "l0c_read_req": 2}),
        (
            CUBE,
            "dav_3510",
            5,
            {"pmu_wr_l0a_instr": 2, "pmu_wr_l0b_instr": 2, "fixp_rd_l0c_instr": 2},
        ),
        (
            VECTOR,
            "dav_3510",
            7,
            {"mte_sc_pmu_write_acc_ub_instr_0": 4, "mte_sc_pmu_read_acc_ub_instr_0": 2},
        ),
        (CUBE, "dav_2201", 6, {}),
        (CUBE, "dav_2201", 8, {}),
    ],
)
def test_a_kernel_counted_by_hand(
    kernel: PipeKernel, unit: str, group: int, found: dict[str, int]
) -> None:
    assert by_name(kernel, unit, group) == found


def test_the_total_is_the_tasks_length_in_whole_cycles() -> None:
    inside = TaskInside(None, EVEN, Timeline(7, 5_999, ()))
    assert total_cycles(inside) == 5
    # 300 to load, 40 to compute, 129 to store.
    assert total_cycles(TaskInside(VECTOR, EVEN, alone(VECTOR, EVEN, 0))) == 469


@pytest.mark.parametrize("unit", counter_units())
def test_a_task_without_a_kernel_counts_nothing(unit: str) -> None:
    for group in counter_unit(unit).groups:
        assert by_name(None, unit, group.number) == {}


def test_waiting_for_the_memory_is_busy() -> None:
    late = Timeline(0, 900_000, ((PIPES.index("mte2"), 0, 900_000, 0),))
    group = EventGroup(1, "x", (Event(0, 12, "mte2", "busy mte2"),))
    one = PipeKernel("load", (PipeOp("mte2", bytes=1, route="gm_to_ub"),))
    assert counted(TaskInside(one, EVEN, late), group) == {12: 900}


def test_busy_cycles_never_exceed_the_total() -> None:
    kernel = matmul_kernel(300, 200, 500)
    rates = CoreRates(
        1_850_000_007, {route: 70_000_001 * (n + 3) for n, route in enumerate(ROUTES)}
    )
    inside = TaskInside(kernel, rates, alone(kernel, rates, 0))
    events = counted(inside, read_group(counter_unit("dav_3510"), "pipe"))
    assert max(events.values()) <= total_cycles(inside)
    # An operation lasts whole picoseconds: in all of them together that may add one cycle.
    stated = sum(op.cycles for op in kernel.ops if op.pipe == "cube")
    assert stated <= events[0x301] <= stated + 1


def test_a_spin_keeps_the_scalar_busy() -> None:
    assert by_name(spin_kernel(5_000), "dav_2201", 2) == {"scalar_busy_cycles": 5}


def test_every_route_has_its_ends() -> None:
    assert ENDS.keys() == ROUTES.keys()


def known_units() -> list[tuple[str, CounterUnit]]:
    return [(name, counter_unit(name)) for name in counter_units()]


@pytest.mark.parametrize(("name", "unit"), known_units())
def test_the_tables_are_whole(name: str, unit: CounterUnit) -> None:
    counters = len(unit.registers.counters)
    assert counters == {"dav_2201": 8, "dav_3510": 10}[name] <= constant("LS_PMU_COUNTERS")
    assert [group.number for group in unit.groups] == [1, 2, 4, 5, 6, 7, 8]
    assert unit.reader in ("controller", "core")
    assert unit.sources.keys() == {
        *("registers", "events", "reader", "reading", "units", "request_bytes")
    }
    assert len(set(unit.registers.offsets())) == len(unit.registers.offsets())
    assert len(unit.registers.select) == counters
    for group in unit.groups:
        slots = [event.slot for event in group.events]
        assert len(set(slots)) == len(slots) and max(slots) < counters
        assert all(event.id > 0 and event.name for event in group.events)


@pytest.mark.parametrize(("name", "unit"), known_units())
def test_every_event_says_what_it_counts_or_why_not(name: str, unit: CounterUnit) -> None:
    for group in unit.groups:
        for event in group.events:
            word, about = rule(event)
            assert word in RULES
            if word in ("busy", "compute"):
                assert about in PIPES
            elif word in ("read", "write"):
                assert about in PLACES and event.request_bytes > 0
            else:
                assert event.counts == NOT_MODELLED and event.note, event.name


@pytest.mark.parametrize(("value", "number"), [(2, 2), ("pipe", 2), (" Memory_L0 ", 5), (True, 2)])
def test_a_group_by_number_or_name(value: object, number: int) -> None:
    assert read_group(counter_unit("dav_2201"), value).number == number


@pytest.mark.parametrize("value", [3, "pipes", "", 0, "0x2"])
def test_an_unknown_group_is_refused_with_those_there_are(value: object) -> None:
    with pytest.raises(UsageError) as error:
        read_group(counter_unit("dav_2201"), value)
    assert str(error.value) == (
        "expected a group of PMU events (1 arithmetic, 2 pipe, 4 memory, 5 memory_l0, "
        f"6 resource_conflict, 7 memory_ub, 8 l2_cache), found {value!r}"
    )

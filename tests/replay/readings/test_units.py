"""The units of a replay: blocks with their partners, lengths and setups."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.replay.readings.core_runs import core_runs
from lanescope.replay.readings.machine import machine_of
from lanescope.replay.readings.shapes import shapes_of
from lanescope.replay.readings.units import Units, units_of
from lanescope.results import plain
from lanescope.trace.schema import TaskFlag

CORES = [{"core": n, "kind": "aic" if n < 2 else "aiv"} for n in range(6)]


def units(*rows: Row, **meta: int) -> Units:
    trace = make_trace({"queues": ("aic", "aiv"), **meta}, tasks=rows, cores=CORES)
    columns, machine = nodes(trace), machine_of(trace)
    runs = core_runs(trace, columns, machine)
    return units_of(trace, runs, shapes_of(trace, columns, runs, machine=machine))


def run(core: int, number: int, start: int, end: int, **more: int) -> Row:
    """Received 10 ns before its start."""
    return task(core, 0, start - 10, start, end, end + 1, task=number, **more)


def test_units_of_a_node_stand_together_in_the_order_of_their_nodes() -> None:
    made = units(
        run(2, 9, 100, 150, func=0),
        run(0, 5, 100, 130, func=1),
        {"task": 7, "kind": "dummy"},
    )
    assert plain(made) == {
        "rows": [1, 0],
        "first": [0, 1, 1, 2],
        "lengths_ps": [30_000, 50_000],
        "setups_ps": [10_000, 10_000],
        "own_ps": {},
    }


def test_a_blocks_leading_core_comes_before_its_partners() -> None:
    """Two blocks of an aic and two aiv cores: the earlier starts are the first block."""
    made = units(
        run(2, 1, 120, 200),
        run(3, 1, 121, 200),
        run(4, 1, 101, 200),
        run(5, 1, 102, 200),
        run(0, 1, 119, 200),
        run(1, 1, 100, 200),
    )
    assert made.rows.tolist() == [5, 2, 3, 4, 0, 1]


def test_equal_lengths_seen_through_ticks_are_one_length() -> None:
    """Ticks of 20 ns. Runs of function 0 took 50 or 70 ns on aiv cores; on an aic core they are
    another group."""
    made = units(
        run(2, 1, 100, 150, func=0),
        run(2, 2, 200, 270, func=0),
        run(0, 3, 300, 370, func=0),
        run(2, 4, 400, 470, func=1),
        clock_hz=50_000_000,
    )
    assert made.lengths_ps.tolist() == [60_000, 60_000, 70_000, 70_000]


def test_the_setup_is_a_mean_without_early_tasks() -> None:
    """An early task waits for its inputs between receive and start."""
    made = units(
        task(0, 0, 96, 100, 110, 111, task=1),
        task(0, 0, 192, 200, 210, 211, task=2, flags=0),
        task(0, 0, 220, 300, 310, 311, task=3, flags=int(TaskFlag.EARLY_DISPATCH)),
        task(0, 0, None, 400, 410, 411, task=4),
    )
    assert made.setups_ps.tolist() == [6_000] * 4

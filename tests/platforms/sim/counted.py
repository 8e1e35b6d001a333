"""Captured counters as plain numbers, and whether they are what happened."""

from __future__ import annotations

from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.pmu import choose
from lanescope.platforms.sim.run import SimOutcome
from lanescope.trace import Trace


def require_same_counters(outcome: SimOutcome, chip: Chip, group: object) -> None:
    """What was captured of every task is what happened in it."""
    choice = choose(chip, group)
    assert choice is not None and outcome.trace is not None and outcome.result.truth is not None
    trace, truth = outcome.trace, outcome.result.truth
    events = choice.group.events
    wanted = {
        (true.core, true.token, true.task): {
            "pmu_total_cycles": true.cycles,
            **{event.name: true.events.get(event.id, 0) for event in events},
        }
        for true in truth.counters
    }
    assert len(wanted) == len(truth.tasks) > 0
    assert captured(trace) == wanted
    kinds = chip.core_kinds()
    cycles = {(true.core, true.token): true.cycles for true in truth.counters}
    for task in truth.tasks:
        length_ps = task.end_ps - task.start_ps
        assert (
            cycles[task.core, task.token] == length_ps * chip.kind_hz(kinds[task.core]) // PS_PER_S
        )


def captured(trace: Trace) -> dict[tuple[int, int, int], dict[str, int]]:
    found: dict[tuple[int, int, int], dict[str, int]] = {}
    columns = [trace.counters[name].tolist() for name in ("core", "token", "task", "value")]
    for core, token, task, value, name in zip(
        *columns, trace.text("counters", "name"), strict=True
    ):
        if name == "buffers_waiting":
            continue
        row = found.setdefault((core, token, task), {})
        assert name not in row and value == int(value)
        row[name] = int(value)
    return found

"""Chooses the level of one run within its budget, by trial runs of the same graph."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from lanescope.errors import UsageError
from lanescope.platforms.budget.choice import LevelChoice
from lanescope.platforms.budget.choose import allowed, choose_measured, choose_simulated
from lanescope.platforms.budget.limits import read_budget
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording, features_of
from lanescope.platforms.request import MachineRequest, is_simulated
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import region_config as simulated_region
from lanescope.platforms.sim.setup import SimSetup
from lanescope.platforms.threads.recorded import region_config as threads_region
from lanescope.workloads.graph import TaskGraph


def choose_level(
    graph: TaskGraph, machine: MachineRequest, asked: Recording, *, budget: str
) -> LevelChoice:
    """Choose level and buffers so that recording costs no more than the budget.

    `asked` is the most that may be chosen. The trial runs leave nothing behind.
    """
    limits = read_budget(budget)
    if asked.pmu is not None or asked.core_swimlane:
        raise UsageError(
            "--budget chooses between levels, and does not know what --pmu and --core-swimlane "
            "cost; leave them out"
        )
    options = allowed(limits, asked, _region_bytes(graph, machine))
    with tempfile.TemporaryDirectory(prefix="lanescope-budget-") as folder:
        numbers = count()

        def run_once(recording: Recording) -> RunOutcome:
            directory = Path(folder, f"{next(numbers)}.capture")
            outcome = execute(graph, machine, recording, directory=directory)
            if outcome.capture is not None:
                shutil.rmtree(outcome.capture)
            return outcome

        if is_simulated(machine.platform):
            return choose_simulated(limits, options, run_once)
        return choose_measured(limits, options, lambda one: run_once(one).makespan_ns)


def _region_bytes(graph: TaskGraph, machine: MachineRequest) -> Callable[[Recording], int]:
    """Return a function that says how many bytes a recording's region takes on the machine."""
    if not is_simulated(machine.platform):
        threads = machine.threads()
        return lambda recording: threads_region(graph, threads, recording).region_bytes()
    chip = load_chip(machine.platform)

    def size(recording: Recording) -> int:
        setup = SimSetup(
            chip=chip,
            features=features_of(recording),
            protocol=recording.protocol,
            pre_dispatch=machine.pre_dispatch,
        )
        return simulated_region(graph, setup, recording).region_bytes()

    return size

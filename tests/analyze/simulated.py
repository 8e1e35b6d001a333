"""Simulated runs with one thing changed, to see whether an analysis finds it."""

from __future__ import annotations

import tempfile
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim import given
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.costs import durations_ps
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.trace import Trace
from lanescope.workloads.graph import TaskGraph

SECTIONS = ("orchestrator", "scheduler", "link", "core", "recording")


@cache
def a2a3() -> Chip:
    """With a counter of 1 GHz, so that every time is a whole nanosecond."""
    chip = load_chip("a2a3")
    return replace(chip, provenance={}, clock=replace(chip.clock, counter_hz=10**9))


def free(chip: Chip, *sections: str) -> Chip:
    """The same chip; everything in these sections costs nothing."""
    return replace(chip, **{name: _zero(getattr(chip, name)) for name in sections})


def _zero(section: Any) -> Any:
    costs = [field.name for field in fields(section) if field.name.endswith("_ps")]
    return replace(section, **dict.fromkeys(costs, 0))


def changed(chip: Chip, section: str, **values: int | None) -> Chip:
    return replace(chip, **{section: replace(getattr(chip, section), **values)})


def recorded_halved(graph: TaskGraph, chip: Chip, recording: Recording, *, func: int) -> Trace:
    """The run with every task of one function half as long."""

    def shorter(*args: Any) -> Any:
        lengths = durations_ps(*args)
        return np.where(graph.func == func, lengths // 2, lengths)

    with patch.object(given, "durations_ps", shorter):
        return _recorded(graph, chip, recording)


def simulated(graph: TaskGraph, chip: Chip, *, level: int = 4, **more: Any) -> Trace:
    return _recorded(graph, chip, Recording(chip_swimlane=level, **more))


def _recorded(graph: TaskGraph, chip: Chip, recording: Recording) -> Trace:
    with tempfile.TemporaryDirectory() as folder:
        trace = simulate_recorded(graph, chip, recording, directory=Path(folder) / "c").trace
    assert trace is not None
    return trace

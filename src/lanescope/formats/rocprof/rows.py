"""What rocprofv3 recorded, as columns: both of its formats are read into this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.trace import MISSING
from lanescope.trace.table import Array


def _none() -> Array:
    return np.empty(0, np.int64)


def _no_sizes() -> Array:
    return np.empty((0, 3), np.int64)


def kernel_name(number: int) -> str:
    """What a kernel is called that has no symbol."""
    return "(no name)" if number == MISSING else f"kernel {number}"


@dataclass(frozen=True, slots=True)
class RocAgent:
    """A processor: a GPU with its number among the GPUs, or a CPU without one."""

    device: int | None
    name: str


@dataclass(slots=True, kw_only=True)
class Dispatches:
    """Kernels as they ran; MISSING where a value is not known."""

    process: Array = field(default_factory=_none)
    agent: Array = field(default_factory=_none)
    queue: Array = field(default_factory=_none)
    stream: Array = field(default_factory=_none)
    name: Array = field(default_factory=_none)
    names: list[str] = field(default_factory=list)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    correlation: Array = field(default_factory=_none)
    workgroup: Array = field(default_factory=_no_sizes)
    grid: Array = field(default_factory=_no_sizes)
    """in work items, not in workgroups"""
    shared: Array = field(default_factory=_none)
    registers: Array = field(default_factory=_none)


@dataclass(slots=True, kw_only=True)
class Copies:
    """Copies by the engines of a device."""

    process: Array = field(default_factory=_none)
    source: Array = field(default_factory=_none)
    target: Array = field(default_factory=_none)
    """agents"""
    name: Array = field(default_factory=_none)
    names: list[str] = field(default_factory=list)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    correlation: Array = field(default_factory=_none)
    bytes: Array = field(default_factory=_none)


@dataclass(slots=True, kw_only=True)
class Calls:
    """Calls of the runtime, and ranges that the user named (`is_range`)."""

    process: Array = field(default_factory=_none)
    thread: Array = field(default_factory=_none)
    name: Array = field(default_factory=_none)
    names: list[str] = field(default_factory=list)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    correlation: Array = field(default_factory=_none)
    is_range: Array = field(default_factory=lambda: np.empty(0, bool))


@dataclass(slots=True, kw_only=True)
class RocRows:
    """Everything that is read of one file, or of one process of it."""

    agents: dict[int, RocAgent] = field(default_factory=dict)
    dispatches: Dispatches = field(default_factory=Dispatches)
    copies: Copies = field(default_factory=Copies)
    calls: Calls = field(default_factory=Calls)
    threads: dict[tuple[int, int], str] = field(default_factory=dict)
    """(process, thread) → name"""
    facts: dict[str, Any] = field(default_factory=dict)
    """Fields of Meta."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Kind of record that is not read → how many there are."""

"""The memory that somebody asks for, in the words of the options, and a program charged on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.errors import UsageError
from lanescope.model.boards import Board
from lanescope.model.dram import BankTiming, load_preset
from lanescope.model.manifest import load_manifest
from lanescope.model.memory.models import MemoryModel
from lanescope.model.memory.program import MemoryRun, compute_lines, run_memory
from lanescope.model.memory.sizes import read_rate, read_size
from lanescope.model.memory.timing import Service, Timing
from lanescope.model.memory.walk import transfers_of

if TYPE_CHECKING:
    from lanescope.model.schedule.prediction import Prediction

_CLOSE = 0.01
"""Relative difference of two peaks that are taken as the same."""


@dataclass(frozen=True, kw_only=True)
class MemoryOptions:
    """What the user says of the memory; what is None comes from the manifest, else the board."""

    memory_model: str = "hbm"
    weight_manifest: str | Path | None = None
    capacity: str | float | None = None
    host_bandwidth: str | float | None = None
    memory_size: str | float | None = None
    policy: str | None = None
    dram: str | None = None

    @property
    def asks_for_more(self) -> bool:
        """Whether another memory than the board's plain one is asked for."""
        return self.memory_model != "hbm" or self.dram is not None


def charged_memory(prediction: Prediction, options: MemoryOptions) -> MemoryRun | None:
    """The predicted program's transfers on the memory; None where the plain one is asked for."""
    if not options.asks_for_more:
        return None
    core = prediction.core
    if core.board is None or core.clock_hz is None:
        raise UsageError("--memory-model needs a --board with a clock (or --clock-mhz)")
    lines = compute_lines(prediction)
    run = run_memory(
        transfers_of(prediction.program, core.names, lines.each),
        memory_model(options, core.board),
        cycles=lines.total,
        clock_hz=core.clock_hz,
    )
    return replace(run, warnings=(*run.warnings, *_approximations(options.dram, core.board)))


def memory_model(options: MemoryOptions, board: Board) -> MemoryModel:
    """The memory that the options ask for on a board."""
    path = options.weight_manifest
    manifest = None if path is None else load_manifest(path)
    capacity = None if options.capacity is None else read_size(options.capacity)
    if capacity is None and (manifest is None or manifest.capacity_bytes is None):
        capacity = board.memory.capacity_bytes.value
    return MemoryModel(
        options.memory_model,
        _timing(options.dram, board),
        manifest=manifest,
        capacity_bytes=capacity,
        link=_link_bytes_per_s(options.host_bandwidth, board),
        policy=options.policy,
        memory_bytes=None if options.memory_size is None else read_size(options.memory_size),
    )


def _timing(preset: str | None, board: Board) -> Timing:
    """Bank by bank with a preset; else at the board's effective bandwidth, or its peak."""
    if preset is not None:
        return BankTiming(load_preset(preset))
    memory = board.memory
    return Service((memory.effective_bytes_per_s or memory.peak_bytes_per_s).value)


def _link_bytes_per_s(host_bandwidth: str | float | None, board: Board) -> int | None:
    """The given rate, else what the board's link reaches, else its theoretical rate."""
    if host_bandwidth is not None:
        return read_rate(host_bandwidth)
    link = board.host_link
    given = None if link is None else link.effective_bytes_per_s or link.theoretical_bytes_per_s
    return None if given is None else given.value


def _approximations(preset: str | None, board: Board) -> list[str]:
    """A sentence where the memory of a preset is not the board's."""
    if preset is None:
        return []
    ours, theirs = load_preset(preset).peak_bytes_per_s, board.memory.peak_bytes_per_s.value
    if abs(ours / theirs - 1) < _CLOSE:
        return []
    return [
        f"the preset {preset} has a peak of {ours / 1e9:.4g} GB/s, the memory of {board.name} "
        f"{theirs / 1e9:.4g} GB/s: it only approximates the board"
    ]

"""The memory that somebody asks for, in the words of the options, and a program charged on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.errors import UsageError
from lanescope.model.boards import Board
from lanescope.model.cost.core import CHARGES
from lanescope.model.dram import BankTiming, load_preset
from lanescope.model.manifest import load_manifest
from lanescope.model.memory.access import PS_PER_S
from lanescope.model.memory.models import MemoryModel
from lanescope.model.memory.program import MemoryRun, run_memory
from lanescope.model.memory.sizes import read_rate, read_size
from lanescope.model.memory.statistics import Statistics
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


def charged_memory(prediction: Prediction, options: MemoryOptions) -> MemoryRun:
    """The predicted program's transfers on the memory that the options ask for."""
    core = prediction.core
    if options.memory_model == "hbm":
        _refuse_unused(options)
    if not options.asks_for_more:
        return plain_memory(prediction)
    if core.board is None or core.clock_hz is None:
        raise UsageError("--memory-model needs a --board with a clock (or --clock-mhz)")
    transfers = transfers_of(prediction.program, prediction.table)
    run = run_memory(transfers, memory_model(options, core.board), clock_hz=core.clock_hz)
    return replace(run, warnings=(*run.warnings, *_approximations(options.dram, core.board)))


def _refuse_unused(options: MemoryOptions) -> None:
    """A UsageError for an option that the plain memory takes no notice of."""
    for name in ("weight_manifest", "capacity", "host_bandwidth", "memory_size", "policy"):
        if getattr(options, name) is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} changes nothing with the memory model hbm, in which "
                "everything lies in the board's memory; choose another --memory-model"
            )


def plain_memory(prediction: Prediction) -> MemoryRun:
    """The board's own memory as the cost source charges it: bytes, and the time of its unit."""
    program, core, costs = prediction.program, prediction.core, prediction.line_costs
    counts = Statistics(model="hbm", timing=_charge_text(prediction))
    unit = None
    for name, cost in prediction.table.costs.items():
        opcode = program.isa.forms[name].opcode
        if not opcode.transfer:
            continue
        runs = int(costs.instructions[program.opcode == program.isa.forms[name].number].sum())
        counts.accesses += runs
        written = runs * cost.traffic_bytes // 2 if opcode.stores else 0
        counts.written_bytes += written
        counts.read_bytes += runs * cost.traffic_bytes - written
        unit = opcode.unit
    if unit is not None and core.clock_hz is not None:
        counts.total_ps = counts.memory_ps = prediction.busy[unit] * PS_PER_S // core.clock_hz
    return MemoryRun("hbm", counts)


def _charge_text(prediction: Prediction) -> str:
    """How the cost source charges transfers, in a few words."""
    core, source = prediction.core, prediction.table.source
    if source.memory == "free":
        return f"transfers are free in {source.name}"
    if source.memory == "cycles":
        charges = [f"{name} {core.names[name]}" for name in CHARGES if name in core.names]
        return f"{', '.join(charges)} cycles"
    rate = core.bandwidth
    return "no bandwidth" if rate is None else f"{rate.value / 1e9:g} GB/s"


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

"""The recorded times of the PLENA emulator, from its own static cycles and our memory models.

The transfers and their addresses come from the programs themselves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lanescope.model.cost.core import core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import load_cost_source
from lanescope.model.dram import BankTiming, load_preset
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import read_program
from lanescope.model.manifest import Manifest, ManifestRegion
from lanescope.model.memory import MemoryModel
from lanescope.model.memory.program import run_memory
from lanescope.model.memory.walk import Transfer, transfers_of
from lanescope.model.schedule.figures import predict_serial
from validation.ticked import TickedLink, Untimed

_LINK = 38_000_000
WEIGHT = Manifest((ManifestRegion(0, 9216, 36864, "weight"),))
"""W of the linear program: 128 × 256 elements and their scales."""


@dataclass(frozen=True)
class Recorded:
    """One recorded figure beside ours."""

    name: str
    ours: float
    recorded: float
    allowed: float
    """Relative error that must hold; 0: exactly equal."""

    @property
    def error(self) -> float:
        return self.ours / self.recorded - 1

    @property
    def holds(self) -> bool:
        return abs(self.error) <= self.allowed


def emulator_records(path: Path) -> list[Recorded]:
    """Every recorded figure whose program is known; the programs lie in `programs/` beside it."""
    linear, decoder = json.loads(path.read_text())["records"][:2]
    static = linear["static_profiler_cycles"]
    transfers = _program(path.parent, linear["asm"])
    swap = MemoryModel(
        "layer-swap", _timing("ddr4-2400"), manifest=WEIGHT, capacity_bytes=512 << 20, link=_LINK
    )
    stream = MemoryModel("host-stream", Untimed(), manifest=WEIGHT, link=TickedLink(_LINK))
    exact = MemoryModel("host-stream", Untimed(), manifest=WEIGHT, link=_LINK)
    hbm = MemoryModel("hbm", _timing("hbm2"))
    recorded_stream = linear["emulator_host_stream_38MBps_ns"]
    layer_static = decoder["static_profiler_cycles_current_compiler"]
    layer = _program(path.parent, decoder["asm"])
    layer_ns, layer_bytes = _run(hbm, layer_static, layer)
    return [
        Recorded("linear, hbm, ns", _run(hbm, static, transfers)[0],
                 linear["emulator_hbm2_8ch_ns"], 0.005),
        Recorded("linear, layer-swap, ns", _run(swap, static, transfers)[0],
                 linear["emulator_layer_swap_ns"], 0.005),
        Recorded("linear, host-stream in the emulator's whole ns per chunk, ns",
                 _run(stream, static, transfers)[0], recorded_stream, 0.0),
        Recorded("linear, host-stream in exact time, ns", _run(exact, static, transfers)[0],
                 recorded_stream, 0.005),
        Recorded("decoder layer, bytes", layer_bytes, decoder["hbm_bytes_read"], 0.0),
        Recorded("decoder layer, hbm, ns", layer_ns, decoder["emulator_hbm2_ns"], 0.005),
    ]  # fmt: skip


def _timing(preset: str) -> BankTiming:
    return BankTiming(load_preset(preset))


def _program(data: Path, name: str) -> list[Transfer]:
    """The program's transfers, each after the cycles that the peer's table gives before it."""
    settings = read_settings(data / "settings" / "main_plena_settings.toml", dc_en=1)
    core = core_setup(None, settings, {})
    program = read_program(data / "programs" / name, load_isa("plena"))
    prediction = predict_serial(program, load_cost_source("peer"), core)
    return list(transfers_of(program, prediction.table))


def _run(model: MemoryModel, static_ns: int, transfers: list[Transfer]) -> tuple[float, int]:
    """The emulator waits for every transfer, at 1 ns per cycle; time in ns, and bytes read."""
    found = run_memory(transfers, model, clock_hz=10**9).statistics
    return static_ns + found.total_ps / 1000, found.read_bytes

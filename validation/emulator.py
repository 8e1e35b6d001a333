"""The recorded times of the PLENA emulator, from its own static cycles and our memory models.

The transfers of both programs are laid out here as the compiler emits them: 64-byte chunks, one
scale chunk per row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lanescope.model.dram import BankTiming, load_preset
from lanescope.model.manifest import Manifest, Region
from lanescope.model.memory import MemoryModel, Piece
from lanescope.model.memory.link import TickedLink
from lanescope.model.memory.timing import Untimed

_CHUNK = 64
_LINK = 38_000_000
_W_OFFSET, _W_BYTES = 9216, 36864
WEIGHT = Manifest((Region(0, _W_OFFSET, _W_BYTES, "weight"),))

Transfers = Sequence[tuple[int, Sequence[Piece]]]
"""When a transfer begins, in cycles of compute alone, and what it reads."""


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
    """Every recorded figure whose program is known."""
    linear, decoder = json.loads(path.read_text())["records"][:2]
    static = linear["static_profiler_cycles"]
    transfers = linear_transfers(static)
    swap = MemoryModel(
        "layer-swap", _timing("ddr4-2400"), manifest=WEIGHT, capacity_bytes=512 << 20, link=_LINK
    )
    stream = MemoryModel("host-stream", Untimed(), manifest=WEIGHT, link=TickedLink(_LINK))
    exact = MemoryModel("host-stream", Untimed(), manifest=WEIGHT, link=_LINK)
    hbm = MemoryModel("hbm", _timing("hbm2"))
    recorded_stream = linear["emulator_host_stream_38MBps_ns"]
    layer_static = decoder["static_profiler_cycles_current_compiler"]
    layer_ns, layer_bytes = _run(hbm, layer_static, decoder_transfers(layer_static))
    return [
        Recorded("linear, hbm, ns", _run(hbm, static, transfers)[0],
                 linear["emulator_hbm2_8ch_ns"], 0.01),
        Recorded("linear, layer-swap, ns", _run(swap, static, transfers)[0],
                 linear["emulator_layer_swap_ns"], 0.01),
        Recorded("linear, host-stream in the emulator's whole ns per chunk, ns",
                 _run(stream, static, transfers)[0], recorded_stream, 0.0),
        Recorded("linear, host-stream in exact time, ns", _run(exact, static, transfers)[0],
                 recorded_stream, 0.01),
        Recorded("decoder layer, bytes", layer_bytes, decoder["hbm_bytes_read"], 0.0),
        Recorded("decoder layer, hbm, ns", layer_ns, decoder["emulator_hbm2_ns"], 0.01),
    ]  # fmt: skip


def _timing(preset: str) -> BankTiming:
    return BankTiming(load_preset(preset))


def _run(model: MemoryModel, static_ns: int, transfers: Transfers) -> tuple[float, int]:
    """The emulator waits for every transfer: static time plus each one's; and the bytes read."""
    memory = model.build()
    waited_ps = 0
    for begin_ns, pieces in transfers:
        waited_ps += memory.read(pieces, at_ps=begin_ns * 1000 + waited_ps).total_ps
    return static_ns + waited_ps / 1000, memory.statistics.read_bytes


def linear_transfers(static_ns: int) -> Transfers:
    """X[64,128] in 32 vector prefetches of 4 rows, then W[128,256] in 8 matrix prefetches."""
    rows = [
        _tile(0, 8192, pitch=128, rows=range(4 * step, 4 * step + 4), column=64 * half)
        for half in range(2)
        for step in range(16)
    ]
    tiles = [
        _tile(_W_OFFSET, 32768, pitch=256, rows=range(64 * k, 64 * k + 64), column=64 * column)
        for column in range(4)
        for k in range(2)
    ]
    pause = static_ns // 8
    return [(0, one) for one in rows] + [(pause * n, one) for n, one in enumerate(tiles)]


def decoder_transfers(static_ns: int) -> Transfers:
    """8 matrix and 80 vector prefetches, evenly through the program; rows are 64 wide."""
    tiles = [_tile(n * 8192, 4096, pitch=64, rows=range(64), column=0) for n in range(8)]
    rows = [
        _tile(1 << 20, 1 << 16, pitch=64, rows=range(4 * n, 4 * n + 4), column=0) for n in range(80)
    ]
    pause = static_ns // 88
    return [(pause * n, one) for n, one in enumerate([*tiles, *rows])]


def _tile(base: int, scales: int, *, pitch: int, rows: Sequence[int], column: int) -> list[Piece]:
    """Per row one chunk of elements and one whole chunk that holds its scales (one per 8)."""
    pieces = []
    for row in rows:
        offset = row * pitch + column
        pieces.append(Piece(base + offset, _CHUNK))
        pieces.append(Piece((base + scales + offset // 8) // _CHUNK * _CHUNK, _CHUNK))
    return pieces

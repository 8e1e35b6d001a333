"""The core that a program runs on: sizes, latencies, clock and memory bandwidth, by name.

Sizes come from a PLENA settings file or flags, latencies from the board or else from that file.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lanescope.model.boards import Board, Given
from lanescope.model.cost.settings import LATENCIES, SOFTPLUS, Settings

DEFAULT_SIZES = {
    "MLEN": 64,
    "VLEN": 64,
    "BLEN": 4,
    "HLEN": 16,
    "PREFETCH_M_ROWS": 64,
    "PREFETCH_V_ROWS": 4,
    "STORE_V_ROWS": 4,
    "ELEMENT_BITS": 8,
    "SCALE_BITS": 8,
    "BLOCK": 8,
    "VIEW_SERVICE": 0,
}
"""PLENA_Simulator f0703b2a plena_settings.toml, TRANSACTIONAL. VIEW_SERVICE: cycles of the banks
for a view of the Matrix SRAM; an instruction without a view needs none."""
_BOARD_SIZES = (
    *("PREFETCH_M_ROWS", "PREFETCH_V_ROWS", "STORE_V_ROWS"),
    *("ELEMENT_BITS", "SCALE_BITS", "BLOCK"),
)
"""Sizes that a board may state."""
CHARGES = ("prefetch_v", "prefetch_m", "store_v")
"""Cycles of a transfer that a board's file may state; a board calls it NAME_cycles."""


@dataclass(frozen=True, slots=True)
class CoreSetup:
    """A core as the cost formulas see it."""

    names: dict[str, int]
    """Sizes and latencies that a formula may name."""
    origin: str
    """Where the latencies come from, in words."""
    board: Board | None = None
    clock_hz: int | None = None
    bandwidth: Given[int] | None = None
    """The memory bandwidth that transfers are charged with."""
    bandwidth_kind: str = ""
    """`effective` or `peak`."""
    profiler: dict[str, int] = field(default_factory=dict)
    """Latencies that only the published profiler takes: those of the settings' LATENCY_PROFILE."""

    def names_of(self, profiler: bool) -> dict[str, int]:
        """What a formula may name, of the published profiler's costs or of others'."""
        return self.names | self.profiler if profiler else self.names


def core_setup(
    board: Board | None, settings: Settings | None, sizes: dict[str, int] | None = None
) -> CoreSetup:
    """Set up a core. Sizes come from flags, else settings, else the board, else defaults.

    Latencies come from the board, else from the settings. MLEN, VLEN and BLEN are the program's,
    which a board cannot know.
    VLEN is as MLEN where only MLEN is given. Matrix prefetches are whole tiles.
    """
    flags = dict(sizes or {})
    if "MLEN" in flags:
        flags.setdefault("VLEN", flags["MLEN"])
    given = DEFAULT_SIZES | _board_sizes(board) | (settings.sizes if settings else {}) | flags
    given["PREFETCH_M_ROWS"] = -(-given["PREFETCH_M_ROWS"] // given["MLEN"]) * given["MLEN"]
    names = given | (settings.latencies if settings else {})
    origin, profiler = (settings.origin, settings.profiler) if settings else ("", {})
    if board is not None and board.latency is not None:
        names |= _latencies(board)
        origin, profiler = f"latencies of board {board.name}", {}
    if "vector_exp" in names:
        # A board does not say it; an exponential of one cycle is the fast library's.
        names.setdefault("vector_softplus", SOFTPLUS[names["vector_exp"] == 1])
    names |= dict.fromkeys(CHARGES, 0)
    core = CoreSetup(names, origin or "no latencies", board, profiler=profiler)
    return core if board is None else _with_board(core, board)


def _board_sizes(board: Board | None) -> dict[str, int]:
    """Rows per transfer and bits of a weight, where the board states them."""
    core = board.core if board else None
    stated = {name: getattr(core, name.lower(), None) for name in _BOARD_SIZES}
    return {name: given.value for name, given in stated.items() if given is not None}


def _latencies(board: Board) -> dict[str, int]:
    stated = {name: getattr(board.latency, f"{name}_cycles", None) for name in LATENCIES}
    return {name: given.value for name, given in stated.items() if given is not None}


def _with_board(core: CoreSetup, board: Board) -> CoreSetup:
    """The core with the board's charges for transfers, its clock and its bandwidth."""
    charges = {name: getattr(board.memory, f"{name}_cycles") for name in CHARGES}
    known = {name: given.value for name, given in charges.items() if given is not None}
    effective = board.memory.effective_bytes_per_s
    return replace(
        core,
        names=core.names | known,
        clock_hz=board.clock.core_hz.value if board.clock else None,
        bandwidth=effective or board.memory.peak_bytes_per_s,
        bandwidth_kind="effective" if effective else "peak",
    )

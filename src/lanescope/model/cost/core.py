"""The core that a program runs on: sizes, latencies, clock and memory bandwidth, by name.

Sizes come from a PLENA settings file or flags, latencies from the board or else from that file.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lanescope.errors import InputError
from lanescope.model.boards import Board, Given
from lanescope.render.names import has_long_key

_MOST_BYTES = 1 << 20
_SECTION = "TRANSACTIONAL"
"""The part of the settings that PLENA's profiler and emulator read."""
_SIZES = {
    "MLEN": "MLEN",
    "VLEN": "VLEN",
    "BLEN": "BLEN",
    "HLEN": "HLEN",
    "PREFETCH_M_ROWS": "HBM_M_Prefetch_Amount",
    "PREFETCH_V_ROWS": "HBM_V_Prefetch_Amount",
    "STORE_V_ROWS": "HBM_V_Writeback_Amount",
}
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
LATENCIES = {
    "systolic_processing_overhead": "SYSTOLIC_PROCESSING_OVERHEAD",
    "vector_add": "VECTOR_ADD_CYCLES",
    "vector_mul": "VECTOR_MUL_CYCLES",
    "vector_exp": "VECTOR_EXP_CYCLES",
    "vector_reci": "VECTOR_RECI_CYCLES",
    "vector_max": "VECTOR_MAX_CYCLES",
    "vector_sum": "VECTOR_SUM_CYCLES",
    "scalar_fp_basic": "SCALAR_FP_BASIC_CYCLES",
    "scalar_fp_exp": "SCALAR_FP_EXP_CYCLES",
    "scalar_fp_sqrt": "SCALAR_FP_SQRT_CYCLES",
    "scalar_fp_reci": "SCALAR_FP_RECI_CYCLES",
    "scalar_int_basic": "SCALAR_INT_BASIC_CYCLES",
    "vector_softplus": "VECTOR_SOFTPLUS_CYCLES",
}
"""Name in formulas to name in the settings file; a board calls it NAME_cycles."""
_SOFTPLUS = {True: 2, False: 13}
"""Cycles with and without the fast library where a settings file does not say (PLENA_Simulator
2a68dfdb, load_config.rs); an exponential of one cycle is that library's."""
_BOARD_SIZES = (
    *("PREFETCH_M_ROWS", "PREFETCH_V_ROWS", "STORE_V_ROWS"),
    *("ELEMENT_BITS", "SCALE_BITS", "BLOCK"),
)
"""Sizes that a board may state."""
CHARGES = ("prefetch_v", "prefetch_m", "store_v")
"""Cycles of a transfer that a board's file may state; a board calls it NAME_cycles."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says of a core."""

    path: str
    sizes: dict[str, int] = field(default_factory=dict)
    latencies: dict[str, int] = field(default_factory=dict)
    """Cycles by name."""
    column: str = ""
    """The column of the file that the latencies come from."""


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


def read_settings(path: str | Path, *, dc_en: int | None = None) -> Settings:
    """Read a plena_settings.toml; `dc_en`, else the file's DC_EN, chooses the latency column."""
    document = _document(Path(path))
    section = document.get(_SECTION)
    if not isinstance(section, dict) or not isinstance(section.get("CONFIG"), dict):
        raise InputError(path, f"expected [{_SECTION}.CONFIG.…] sections, found none")
    config = section["CONFIG"]
    sizes = {
        name: _number(path, config[key], place=f"{_SECTION}.CONFIG.{key}", key="value")
        for name, key in _SIZES.items()
        if key in config
    }
    sizes |= _precision(section.get("PRECISION"))
    if dc_en is None:
        entry = config.get("DC_EN", {"value": 1})
        dc_en = _number(path, entry, place=f"{_SECTION}.CONFIG.DC_EN", key="value", least=0)
    column = "dc_lib_en" if dc_en else "dc_lib_dis"
    table = section.get("LATENCY", {})
    latencies = {
        name: _number(path, table[key], place=f"{_SECTION}.LATENCY.{key}", key=column, least=0)
        for name, key in LATENCIES.items()
        if key in table
    }
    return Settings(str(path), sizes, latencies, column)


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
    origin = f"latencies of {settings.path}, column {settings.column}" if settings else ""
    if board is not None and board.latency is not None:
        names |= _latencies(board)
        origin = f"latencies of board {board.name}"
    if "vector_exp" in names:
        names.setdefault("vector_softplus", _SOFTPLUS[names["vector_exp"] == 1])
    names |= dict.fromkeys(CHARGES, 0)
    core = CoreSetup(names, origin or "no latencies", board)
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


def _precision(table: Any) -> dict[str, int]:
    """Bits of a weight in the board's memory; for another format than Mx nothing."""
    entry = table.get("HBM_M_WEIGHT_TYPE") if isinstance(table, dict) else None
    if not isinstance(entry, dict) or entry.get("format") != "Mx":
        return {}
    try:
        return {
            "ELEMENT_BITS": _bits(entry["ELEM"]),
            "SCALE_BITS": _bits(entry["SCALE"]),
            "BLOCK": int(entry["block"]),
        }
    except (KeyError, TypeError, ValueError):
        return {}


def _bits(entry: dict[str, Any]) -> int:
    if entry.get("type") == "Int":
        return int(entry["width"])
    return int(entry["exponent"]) + int(entry["mantissa"]) + (1 if entry["sign"] else 0)


def _document(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error
    if len(content) > _MOST_BYTES:
        raise InputError(path, f"expected settings of at most {_MOST_BYTES:,} bytes")
    try:
        text = content.decode()
        if has_long_key(text):
            raise InputError(path, "expected settings in TOML, found a key of more than 32 parts")
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"expected settings in TOML, found: {error}") from error


def _number(path: str | Path, entry: Any, *, place: str, key: str, least: int = 1) -> int:
    value = entry.get(key) if isinstance(entry, dict) else entry
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= 1 << 40:
        raise InputError(path, f"{place}: expected a whole number as {key}, found {value!r}")
    return value

"""Reads a plena_settings.toml: sizes, number format and latencies of a core.

PLENA's profiler and emulator read its section TRANSACTIONAL.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanescope.errors import InputError
from lanescope.render.names import has_long_key

_MOST_BYTES = 1 << 20
_SECTION = "TRANSACTIONAL"
_WEIGHT = "PRECISION.HBM_M_WEIGHT_TYPE"
_SIZES = {
    "MLEN": "MLEN",
    "VLEN": "VLEN",
    "BLEN": "BLEN",
    "HLEN": "HLEN",
    "PREFETCH_M_ROWS": "HBM_M_Prefetch_Amount",
    "PREFETCH_V_ROWS": "HBM_V_Prefetch_Amount",
    "STORE_V_ROWS": "HBM_V_Writeback_Amount",
}
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
SOFTPLUS = {True: 2, False: 13}
"""Cycles with and without the fast library where nobody says (PLENA_Simulator 2a68dfdb,
load_config.rs)."""
_NO_PROFILE = ("", "default", "dc_lib_dis")
"""Values of LATENCY_PROFILE that name no column of their own."""
_MOST_SIZE = 1 << 24
_MOST_CYCLES = 1 << 30
_MOST_BITS = 64


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says of a core."""

    path: str
    sizes: dict[str, int] = field(default_factory=dict)
    latencies: dict[str, int] = field(default_factory=dict)
    """Cycles by name."""
    column: str = ""
    """The column of the file that the latencies come from."""
    profile: str = ""
    """The column that LATENCY_PROFILE names, which only PLENA's profiler reads; else empty."""
    profiler: dict[str, int] = field(default_factory=dict)
    """Cycles by name in that column, as far as it has them."""

    @property
    def origin(self) -> str:
        """Where the latencies come from, in words."""
        column = f"column {self.column}"
        if self.profiler:
            column += f" (LATENCY_PROFILE: {self.profile} for the published profiler's costs)"
        return f"latencies of {self.path}, {column}"


def read_settings(path: str | Path, *, dc_en: int | None = None) -> Settings:
    """Read a plena_settings.toml; `dc_en`, else the file's DC_EN, chooses the latency column."""
    section = _document(Path(path)).get(_SECTION)
    if not isinstance(section, dict) or not isinstance(section.get("CONFIG"), dict):
        raise InputError(path, f"expected [{_SECTION}.CONFIG.…] sections, found none")
    file = _File(path, section)
    if dc_en is None:
        dc_en = file.number("CONFIG.DC_EN", "value", most=1, default=1)
    column = "dc_lib_en" if dc_en else "dc_lib_dis"
    stated = {name: f"LATENCY.{key}" for name, key in LATENCIES.items()}
    latencies = {
        name: file.number(place, column, most=_MOST_CYCLES)
        for name, place in stated.items()
        if file.has(place)
    }
    if latencies:
        latencies.setdefault("vector_softplus", SOFTPLUS[bool(dc_en)])
    profile = "" if dc_en else file.profile()
    return Settings(
        str(path),
        file.sizes() | file.precision(),
        latencies,
        column,
        profile,
        {
            name: file.number(place, profile, most=_MOST_CYCLES)
            for name, place in stated.items()
            if profile and profile in file.table(place)
        },
    )


class _File:
    """The section of a settings file; what it should not say is refused with its place."""

    def __init__(self, path: str | Path, section: dict[str, Any]) -> None:
        self.path = path
        self.section = section

    def table(self, place: str) -> dict[str, Any]:
        """The table at a dotted place; empty where there is none."""
        found = self.section
        for number, key in enumerate(parts := place.split(".")):
            inner = found.get(key, {})
            if not isinstance(inner, dict):
                here = ".".join((_SECTION, *parts[: number + 1]))
                raise InputError(self.path, f"{here}: expected keys below it, found {inner!r:.40}")
            found = inner
        return found

    def has(self, place: str) -> bool:
        """Whether the file says anything at this place."""
        return bool(self.table(place))

    def number(
        self, place: str, key: str, *, most: int, least: int = 0, default: int | None = None
    ) -> int:
        """A whole number at a place; the default where the file does not have that place."""
        if default is not None and not self.has(place):
            return default
        value = self.table(place).get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            ends = f"a whole number from {least:,} to {most:,}"
            where = f"{_SECTION}.{place}: expected {ends} as {key}"
            raise InputError(self.path, f"{where}, found {value!r:.40}")
        return value

    def sizes(self) -> dict[str, int]:
        """Sizes of the core and rows per transfer."""
        return {
            name: self.number(f"CONFIG.{key}", "value", least=1, most=_MOST_SIZE)
            for name, key in _SIZES.items()
            if self.has(f"CONFIG.{key}")
        }

    def profile(self) -> str:
        """The column that LATENCY_PROFILE names; empty where it names none of its own."""
        place = "CONFIG.LATENCY_PROFILE"
        value = self.table(place).get("value", "")
        if not isinstance(value, str):
            found = f"expected the name of a column as value, found {value!r:.40}"
            raise InputError(self.path, f"{_SECTION}.{place}: {found}")
        return "" if value in _NO_PROFILE else value

    def precision(self) -> dict[str, int]:
        """Bits of a weight in the board's memory: with scales (Mx) or without (Plain)."""
        if not self.has(_WEIGHT):
            return {}
        match self.table(_WEIGHT).get("format"):
            case "Plain":
                bits = self._bits(f"{_WEIGHT}.DATA_TYPE", least=1)
                return {"ELEMENT_BITS": bits, "SCALE_BITS": 0, "BLOCK": 1}
            case "Mx":
                return {
                    "ELEMENT_BITS": self._bits(f"{_WEIGHT}.ELEM", least=1),
                    "SCALE_BITS": self._bits(f"{_WEIGHT}.SCALE"),
                    "BLOCK": self.number(_WEIGHT, "block", least=1, most=_MOST_SIZE),
                }
            case other:
                found = f"expected the format Plain or Mx, found {other!r:.40}"
                raise InputError(self.path, f"{_SECTION}.{_WEIGHT}: {found}")

    def _bits(self, place: str, least: int = 0) -> int:
        if self.table(place).get("type") == "Int":
            return self.number(place, "width", least=least, most=_MOST_BITS)
        parts = [self.number(place, key, most=_MOST_BITS) for key in ("exponent", "mantissa")]
        bits = sum(parts) + (self.table(place).get("sign") is not False)
        if not least <= bits <= _MOST_BITS:
            wanted = f"expected {least} to {_MOST_BITS} bits"
            raise InputError(self.path, f"{_SECTION}.{place}: {wanted}, found {bits}")
        return bits


def _document(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error
    if len(content) > _MOST_BYTES:
        raise InputError(path, f"expected settings of at most {_MOST_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
        if has_long_key(text):
            raise InputError(path, "expected settings in TOML, found a key of more than 32 parts")
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"expected settings in TOML, found: {error}") from error

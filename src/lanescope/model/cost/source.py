"""Cost sources: data files with the cost of each opcode and who says so."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from msgspec import Struct

from lanescope.errors import UsageError
from lanescope.model.data_file import data_names, read_data

_PACKAGE = "lanescope.model.cost"


class OpcodeTiming(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Cycles of one opcode from its issue, as numbers or formulas. An absent one is `done`."""

    done: str | int
    """Until the unit is idle again: a core that runs one thing at a time waits so long."""
    ready: str | int | None = None
    """Until the result can be used."""
    interval: str | int | None = None
    """Until the unit takes the next instruction."""
    basis: Literal["published", "measured", "assumed"] = "published"
    note: str | None = None


class CostSource(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data file of a cost source."""

    name: str
    isa: str
    summary: str
    source: str
    memory: Literal["free", "cycles", "bytes"]
    """What transfers cost: nothing; constants of the board; their bytes at its bandwidth."""
    costs: dict[str, str | int | OpcodeTiming]
    """Opcode to cycles. TRANSFER stands for the time its bytes take."""
    free_into_zero: tuple[str, ...] = ()
    """Opcodes that cost nothing when their destination is the register that is always zero."""
    domain: dict[str, tuple[int, int]] = {}
    """Sizes for which the figures were measured, from and to; others follow the formulas."""
    latency_profile: bool = False
    """Whether it takes the latencies of the settings' LATENCY_PROFILE, as PLENA's profiler does."""
    absent: dict[str, str] = {}
    """Opcodes without a figure, and why."""


def cost_source_names() -> tuple[str, ...]:
    """Names of the cost sources that come with lanescope, in order."""
    return data_names(_PACKAGE)


@cache
def _builtin(name: str) -> CostSource:
    return read_data(files(_PACKAGE) / f"{name}.yaml", CostSource)


def is_builtin(source: CostSource) -> bool:
    """Whether a cost source comes with lanescope, as it is."""
    return source.name in cost_source_names() and source is _builtin(source.name)


def load_cost_source(name: str | Path) -> CostSource:
    """Read a built-in cost source by its name, or one from a YAML file by its path."""
    if str(name) in cost_source_names():
        return _builtin(str(name))
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return read_data(path, CostSource)
    names = ", ".join(cost_source_names())
    raise UsageError(f"no cost source {str(name)!r}; there are {names}, or name a YAML file")

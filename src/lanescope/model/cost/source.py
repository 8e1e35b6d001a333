"""Cost sources: data files that say what each opcode costs and who says so."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal

from msgspec import Struct

from lanescope.errors import UsageError
from lanescope.model.data_file import read_data


class Timing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Cycles from issue. A formula that is absent equals `done`."""

    done: str | int
    """The unit is idle again: what a machine that runs one thing at a time waits."""
    ready: str | int | None = None
    """The result can be used."""
    interval: str | int | None = None
    """The unit takes the next instruction."""
    basis: Literal["published", "measured", "assumed"] = "published"
    note: str | None = None


class CostSource(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data file."""

    name: str
    isa: str
    summary: str
    source: str
    memory: Literal["free", "cycles", "bytes"]
    """What transfers cost: nothing; constants of the board; their bytes at its bandwidth."""
    costs: dict[str, str | int | Timing]
    """Opcode to cycles. TRANSFER stands for the time its bytes take."""
    free_into_zero: tuple[str, ...] = ()
    """Opcodes that cost nothing when their destination is the register that is always zero."""
    domain: dict[str, tuple[int, int]] = {}
    """Sizes for which the figures were measured, from and to; others follow the formulas."""
    absent: dict[str, str] = {}
    """Opcodes without a figure, and why."""


def cost_source_names() -> tuple[str, ...]:
    found = (file.name for file in files("lanescope.model.cost").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml")))


def load_cost_source(name: str | Path) -> CostSource:
    """A built-in cost source by its name, or one from a YAML file by its path."""
    if str(name) in cost_source_names():
        return read_data(files("lanescope.model.cost") / f"{name}.yaml", CostSource)
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return read_data(path, CostSource)
    names = ", ".join(cost_source_names())
    raise UsageError(f"no cost source {str(name)!r}; there are {names}, or name a YAML file")

"""The platforms there are, and one in full: every value of a simulated chip with its source."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from lanescope.platforms.cuda import run as cuda
from lanescope.platforms.sim.chip import Chip, built_in_chips, load_chip, values_of
from lanescope.render.names import printable
from lanescope.results import Result, plain

_WIDTH = 100
_THREADS_TEXT = "real threads on this machine, with its real clock"


@dataclass(frozen=True, slots=True)
class PlatformSummary(Result):
    """One platform in a list of platforms."""

    name: str
    kind: str
    """`threads`, `gpu` or `simulated`."""
    text: str
    facts: dict[str, Any] = field(default_factory=dict)
    """Cores, controllers and clocks of a simulated chip; empty for real platforms."""

    def to_dict(self) -> dict[str, Any]:
        """Name, kind, text and the facts, all on one level."""
        return {"name": self.name, "kind": self.kind, "text": self.text, **self.facts}


@dataclass(frozen=True, slots=True)
class PlatformSheet(Result):
    """One platform with every value that is known of it."""

    summary: PlatformSummary
    values: tuple[dict[str, Any], ...] = ()
    """Section, key, value, unit, meaning, basis, source and what it was fitted to; empty for real
    platforms."""

    def to_dict(self) -> dict[str, Any]:
        """The summary, and its values as a list."""
        return {**self.summary.to_dict(), "values": plain(self.values)}

    def text(self) -> str:
        """All values as plain text, each with its basis and its source; it ends in a newline."""
        return "\n".join(_sheet_lines(self)) + "\n"


def list_platforms() -> tuple[PlatformSummary, ...]:
    """Lists what a workload can run on: real threads, a GPU, and the simulated chips.

    Returns:
        One row per platform: name, kind and a sentence; for simulated chips also cores, controllers
        and clocks.

    Examples:
        >>> [platform.name for platform in lanescope.list_platforms()]
        ['threads', 'cuda', 'a2a3', 'a2a3-hbg', 'a5']
    """
    chips = (load_chip(name) for name in built_in_chips())
    return (_threads(), _cuda(), *(_simulated(chip) for chip in chips))


def show_platform(name: str | PathLike[str]) -> PlatformSheet:
    """Shows one platform with every value, its basis and its source.

    Args:
        name: A platform's name, or the TOML file that describes a chip.

    Returns:
        The platform's summary and values; real platforms have no values.

    Raises:
        UsageError: There is no such platform.
        InputError: The file does not describe a chip.

    Examples:
        >>> sheet = lanescope.show_platform("a2a3")
        >>> sheet.summary.facts["cores"]
        {'aic': 24, 'aiv': 48}
    """
    if name in ("threads", "cuda"):
        return PlatformSheet(_threads() if name == "threads" else _cuda())
    chip = load_chip(fspath(name))
    return PlatformSheet(_simulated(chip), tuple(value._asdict() for value in values_of(chip)))


def _threads() -> PlatformSummary:
    return PlatformSummary("threads", "threads", _THREADS_TEXT)


def _cuda() -> PlatformSummary:
    return PlatformSummary("cuda", "gpu", cuda.describe())


def _simulated(chip: Chip) -> PlatformSummary:
    cores = chip.core_kinds()
    counts = {kind: cores.count(kind) for kind in ("aic", "aiv")}
    kinds = " + ".join(f"{count} {kind}" for kind, count in counts.items())
    controllers = (
        f"{chip.orchestrators} + {chip.schedulers} controller threads"
        if chip.orchestrators
        else f"{chip.schedulers} controller threads (the host builds the graph)"
    )
    text = (
        f"simulated: {len(cores)} cores ({kinds}) at {_clocks(chip)}, "
        f"{controllers}, stamps from {chip.clock.counter_hz / 1e6:g} MHz"
    )
    facts = {
        "cores": counts,
        "orchestrators": chip.orchestrators,
        "schedulers": chip.schedulers,
        "counter_hz": chip.clock.counter_hz,
        "aic_hz": chip.clock.aic_hz,
        "aiv_hz": chip.clock.aiv_hz,
    }
    return PlatformSummary(chip.name, "simulated", text, facts)


def _clocks(chip: Chip) -> str:
    clocks = dict.fromkeys(f"{chip.kind_hz(kind) / 1e9:g} GHz" for kind in ("aic", "aiv"))
    return " and ".join(clocks)


def _sheet_lines(sheet: PlatformSheet) -> Iterator[str]:
    yield f"{printable(sheet.summary.name)}: {sheet.summary.text}"
    section = None
    for row in sheet.values:
        if row["section"] != section:
            section = row["section"]
            yield f"\n[{section}]"
        value, unit = row["value"], row["unit"]
        amount = printable(value) if isinstance(value, str) else f"{value:,} {unit}".rstrip()
        yield f"  {row['key']:<22} {amount:>23}  {row['basis']:<9}  {row['meaning']}"
        source = f"to {row['to']}: {row['source']}" if row["to"] else row["source"]
        for line in textwrap.wrap(printable(source), _WIDTH - 6, break_on_hyphens=False):
            yield f"      {line}"

"""`lanescope platforms`: what `run` and `bench` run on, and what a simulated chip is made of."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from lanescope.render.cells import printable

if TYPE_CHECKING:
    from lanescope.platforms.sim.chip import Chip

HELP = "list the platforms, or every value of one with its source"
EXAMPLE = "lanescope platforms a2a3"

THREADS = "threads"
THREADS_TEXT = "real threads on this machine, with its real clock"
CUDA = "cuda"
_WIDTH = 100


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a platform, or a TOML file that describes a chip: show all of it",
    )


def run(args: argparse.Namespace) -> int:
    found = _platforms() if args.name is None else _platform(args.name)
    if args.json:
        import msgspec

        print(msgspec.json.encode(found).decode())
    elif isinstance(found, list):
        for platform in found:
            print(f"{platform['name']:<8}  {platform['text']}")
    else:
        print(f"{printable(found['name'])}: {found['text']}")
        _print_values(found["values"])
    return 0


def _platforms() -> list[dict[str, Any]]:
    from lanescope.platforms.sim.chip import built_in_chips, load_chip

    chips = (load_chip(name) for name in built_in_chips())
    return [_threads(), _cuda(), *(_simulated(chip) for chip in chips)]


def _platform(name: str) -> dict[str, Any]:
    """One platform with all its values; real ones have none."""
    from lanescope.platforms.sim.chip import load_chip, values_of

    if name in (THREADS, CUDA):
        return {**(_threads() if name == THREADS else _cuda()), "values": []}
    chip = load_chip(name)
    return {**_simulated(chip), "values": [value._asdict() for value in values_of(chip)]}


def _threads() -> dict[str, Any]:
    return {"name": THREADS, "kind": "threads", "text": THREADS_TEXT}


def _cuda() -> dict[str, Any]:
    from lanescope.platforms.cuda.run import describe

    return {"name": CUDA, "kind": "gpu", "text": describe()}


def _simulated(chip: Chip) -> dict[str, Any]:
    cores = chip.core_kinds()
    counts = {kind: cores.count(kind) for kind in ("aic", "aiv")}
    kinds = " + ".join(f"{count} {kind}" for kind, count in counts.items())
    return {
        "name": chip.name,
        "kind": "simulated",
        "text": (
            f"simulated: {len(cores)} cores ({kinds}) at {_clocks(chip)}, "
            f"{chip.orchestrators} + {chip.schedulers} controller threads, "
            f"stamps from {chip.clock.counter_hz / 1e6:g} MHz"
        ),
        "cores": counts,
        "orchestrators": chip.orchestrators,
        "schedulers": chip.schedulers,
        "counter_hz": chip.clock.counter_hz,
        "aic_hz": chip.clock.aic_hz,
        "aiv_hz": chip.clock.aiv_hz,
    }


def _clocks(chip: Chip) -> str:
    clocks = dict.fromkeys(f"{chip.kind_hz(kind) / 1e9:g} GHz" for kind in ("aic", "aiv"))
    return " and ".join(clocks)


def _print_values(values: list[dict[str, Any]]) -> None:
    section = None
    for row in values:
        if row["section"] != section:
            section = row["section"]
            print(f"\n[{section}]")
        value, unit = row["value"], row["unit"]
        amount = printable(value) if isinstance(value, str) else f"{value:,} {unit}".rstrip()
        print(f"  {row['key']:<22} {amount:>23}  {row['basis']:<9}  {row['meaning']}")
        for line in textwrap.wrap(printable(row["source"]), _WIDTH - 6, break_on_hyphens=False):
            print(f"      {line}")

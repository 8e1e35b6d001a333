"""`lanescope probe`: find out how a core's trace engine behaves, by experiments."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet, writing

if TYPE_CHECKING:
    from lanescope.probe import BringUp

HELP = "bring up a core's trace engine: find out by experiments how it behaves"
EXAMPLE = "lanescope probe --set wrap=ring --set pointer=burst_index -o probe"

SWITCHES = {
    "address": ("virtual", "physical"),
    "wrap": ("linear", "ring"),
    "pointer": ("byte_offset", "byte_count", "burst_index"),
    "cache": ("coherent", "stale"),
    "form": ("chip6", "byte_swapped", "eight_byte"),
    "fixp_code": ("10", "6"),
    "owner": ("exclusive", "contended"),
    "kind": ("aic", "aiv"),
}
"""Of the simulated core; the first of each is what it does without being told."""

_NEEDED = (
    *("clocks", "pipes", "can_invalidate", "read", "write", "counter", "run_kernel", "allocate"),
    *("fill", "peek", "invalidate"),
)
"""What a device of the user's own must have."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope probe`."""
    parser.add_argument(
        "--device",
        type=places.local,
        metavar="FILE.py",
        help="your own core: a Python file with a function device() that returns an object like "
        "lanescope.probe.BringUp (default: a simulated core of a5)",
    )
    names = "; ".join(f"{name}: {', '.join(values)}" for name, values in SWITCHES.items())
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"what the simulated core does, which the probe is not told; repeat. {names}",
    )
    parser.add_argument(
        "--no-wrap",
        action="store_true",
        help="never let the engine run past the end of a buffer, although it has guards",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        metavar="DIR",
        help="folder for the raw captures (default: probe, here)",
    )
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope probe`; returns the exit code."""
    from lanescope.errors import UsageError
    from lanescope.probe.run import ProbeOptions, probe_engine
    from lanescope.probe.text import render, save_captures

    if args.device is not None and args.set:
        raise UsageError("--set is for the simulated core; a device of your own does what it does")
    chosen = _folder(args)
    device = _simulated(args.set) if args.device is None else _own(args.device)
    findings = probe_engine(device, ProbeOptions(wrap=not args.no_wrap))
    save_captures(findings, chosen.path)
    if args.json:
        import msgspec

        result = {**findings.to_dict(), "captures": str(chosen.path)}
        print(msgspec.json.encode(result).decode())
    else:
        if not args.quiet:
            print(render(findings))
        print(f"{chosen.path}  {len(findings.captures)} raw captures")
        if chosen.note:
            print(chosen.note)
    return 0 if findings.complete else 1


def _folder(args: argparse.Namespace) -> writing.Chosen[Path]:
    if args.output is None:
        return writing.free_name(Path(), "probe", args, endings=("",))
    writing.check_named(args.output, args)
    return writing.Chosen(args.output)


def _simulated(settings: list[str]) -> BringUp:
    from lanescope.errors import UsageError
    from lanescope.platforms.sim.bringup import SimulatedCore, Surroundings
    from lanescope.platforms.sim.chip import load_chip
    from lanescope.platforms.sim.engine import Behaviour

    chosen = {name: values[0] for name, values in SWITCHES.items()}
    for setting in settings:
        name, _, value = setting.partition("=")
        if value not in SWITCHES.get(name, ()):
            known = "; ".join(f"{key}={'|'.join(values)}" for key, values in SWITCHES.items())
            raise UsageError(f"expected --set NAME=VALUE with {known}, found {setting!r}")
        chosen[name] = value
    if chosen["wrap"] == "linear" and chosen["pointer"] != "byte_offset":
        raise UsageError("a linear buffer has pointer=byte_offset; choose wrap=ring for others")
    behaviour = Behaviour(
        address=chosen["address"],
        wrap=chosen["wrap"],
        pointer=chosen["pointer"],
        coherent=chosen["cache"] == "coherent",
        form=chosen["form"],
        fixp_code=int(chosen["fixp_code"]),
    )
    around = Surroundings(owner_period=3 if chosen["owner"] == "contended" else 0)
    return SimulatedCore(load_chip("a5"), behaviour, around, kind=chosen["kind"])


def _own(path: Path) -> BringUp:
    import runpy

    from lanescope.errors import UsageError

    if not path.is_file():
        raise UsageError(f"{path}: expected a Python file with a function device(), found no file")
    make = runpy.run_path(str(path)).get("device")
    if not callable(make):
        raise UsageError(f"{path}: expected a function device(), found none")
    device: BringUp = make()
    lacking = [name for name in _NEEDED if not hasattr(device, name)]
    if lacking:
        raise UsageError(
            f"{path}: device() returned an object without {', '.join(lacking)}; it must be like "
            "lanescope.probe.BringUp"
        )
    return device

"""`lanescope bench --fit`: what one record of each kind costs, from probes at several levels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.bench.fit_costs import Platform
    from lanescope.bench.probed import SimProbed, ThreadProbed


def configure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what one record costs")
    group.add_argument(
        "--fit",
        action="store_true",
        help="instead of a WORKLOAD run probes, and fit ns per record of each kind, with intervals",
    )
    group.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="write what --fit found, for 'lanescope report TRACE --corrected FILE'",
    )


def check(args: argparse.Namespace) -> None:
    """Refuse what does not go together."""
    from lanescope.errors import UsageError

    if args.fit and args.workload is not None:
        raise UsageError(f"--fit runs probes of its own; leave out {args.workload!r}")
    if args.fit and (args.core_source or args.cores or args.schedulers or args.pin):
        raise UsageError(
            "--fit runs probes on a machine of its own; leave out --core-source, --cores, "
            "--schedulers and --pin"
        )
    if not args.fit and args.workload is None:
        raise UsageError("expected a WORKLOAD (see 'lanescope workloads'), or --fit")
    if not args.fit and args.save is not None:
        raise UsageError("--save stores what --fit finds; add --fit")


def run(args: argparse.Namespace, protocols: list[str]) -> int:
    import tempfile

    import msgspec

    from lanescope.bench.costs_table import render_costs
    from lanescope.bench.fit_costs import fit_costs
    from lanescope.formats.output import atomic_output
    from lanescope.render.progress import working
    from lanescope.replay.correction.record_costs import CostFile

    with tempfile.TemporaryDirectory(prefix="lanescope-fit-") as folder:
        platform = _platform(args, Path(folder))
        with working(f"fitting on {platform.name}"):
            fits = tuple(
                fit_costs(platform, protocol, rounds=args.rounds, seed=args.seed)
                for protocol in protocols
            )
        known = _known(platform, protocols)
    text = msgspec.json.format(msgspec.json.encode(CostFile(fits=fits))).decode() + "\n"
    for target in (args.save, args.output):
        if target is not None:
            with atomic_output(target) as stream:
                stream.write(text.encode())
    heading = f"probes on {platform.name}, {args.rounds} rounds after one to warm up"
    print(text if args.json else f"{heading}\n\n{render_costs(fits, known)}", end="")
    return 0


def _platform(args: argparse.Namespace, folder: Path) -> SimProbed | ThreadProbed:
    from lanescope.bench.probed import SimProbed, ThreadProbed
    from lanescope.platforms.run import is_simulated
    from lanescope.platforms.sim.chip import load_chip

    if is_simulated(args.platform):
        return SimProbed(load_chip(args.platform), folder)
    return ThreadProbed(folder)


def _known(platform: Platform, protocols: list[str]) -> dict[str, dict[str, float]]:
    """What a simulated chip charges; nothing where nobody knows."""
    from lanescope.bench.probed import SimProbed
    from lanescope.device.flags import level_features
    from lanescope.platforms.sim.costs import known_costs_ns

    if not isinstance(platform, SimProbed):
        return {}
    every = level_features(True)
    return {protocol: known_costs_ns(platform.chip, every, protocol) for protocol in protocols}

"""`lanescope bench --fit`: what one record of each kind costs, from probes at several levels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lanescope.cli.options import places
from lanescope.cli.printing import print_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope bench`."""
    group = parser.add_argument_group("what one record costs")
    group.add_argument(
        "--fit",
        action="store_true",
        help="instead of a WORKLOAD run probes, and fit ns per record of each kind, with intervals",
    )
    group.add_argument(
        "--save",
        type=places.local,
        metavar="FILE",
        help="write what --fit found, for 'lanescope report TRACE --corrected FILE'",
    )


_USUAL = ("platform", "rounds", "seed", "output", "force", "quiet", "json")
_OF_FIT = (*_USUAL, "protocols", "save")
_OF_SOURCES = (*_USUAL, "set")


def check(args: argparse.Namespace) -> None:
    """Refuse what does not go together."""
    from lanescope.errors import UsageError

    if args.fit and args.workload is not None:
        raise UsageError(f"--fit runs probes of its own; leave out {args.workload!r}")
    other = sorted(args.given - {"fit", *_OF_FIT})
    if args.fit and other:
        raise UsageError(f"--fit runs probes on a machine of its own; leave out --{other[0]}")
    other = sorted(args.given - {"core-source", *_OF_SOURCES})
    if args.core_source is not None and other:
        raise UsageError(f"--core-source compares ways to see inside; leave out --{other[0]}")
    if not args.fit and args.workload is None:
        raise UsageError("expected a WORKLOAD (see 'lanescope workloads'), or --fit")
    if not args.fit and args.save is not None:
        raise UsageError("--save stores what --fit finds; add --fit")


def run(args: argparse.Namespace, protocols: Sequence[str]) -> int:
    """Fit the costs, write them to the files asked for, and print them."""
    from lanescope.formats.output import atomic_output
    from lanescope.overhead import bench_fit
    from lanescope.render.progress import working

    with working(f"fitting on {args.platform}"):
        report = bench_fit(
            platform=args.platform, protocols=protocols, rounds=args.rounds, seed=args.seed
        )
    text = report.file_text()
    for target in (args.save, args.output):
        if target is not None:
            with atomic_output(target) as stream:
                stream.write(text.encode())
    if args.json:
        print_json("bench-fit", report.to_dict())
    elif not args.quiet:
        print(report.text(), end="")
    return 0

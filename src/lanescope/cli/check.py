"""`lanescope check`: what is missing in a run, and who lost it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet
from lanescope.render.colour import is_drawn

if TYPE_CHECKING:
    from lanescope.checks.finding import CheckedPath

HELP = "say what is missing in a run and who lost it; exit code 0 only if nothing is"
EXAMPLE = "lanescope check outputs/TestPagedAttention_Case1_20260801_120000"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope check`."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=places.local,
        metavar="PATH",
        help="a run's directory, one with several runs or ranks in it, a single file, NAME.lanes, "
        "or NAME.capture",
    )
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope check`; returns the exit code."""
    from lanescope.checks.check import check
    from lanescope.render.progress import working

    checks = []
    for number, path in enumerate(args.paths, 1):
        with working(f"checking {number} of {len(args.paths)}"):
            checks.append(check(path))
        if not args.json and not args.quiet:
            _show(checks[-1], first=number == 1)
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("check", [one.to_dict() for one in checks])
    return 0 if all(one.nothing_lost for one in checks) else 1


def _show(checked: CheckedPath, *, first: bool) -> None:
    """Print one check: with colour on a terminal, plain text elsewhere."""
    if not first:
        print()
    if is_drawn(sys.stdout):
        from rich.console import Console

        from lanescope.render.terminal import render_terminal

        render_terminal(checked.sections(), Console())
    else:
        sys.stdout.write(checked.text())

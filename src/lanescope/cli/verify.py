"""`lanescope verify`: is a stored trace or a capture still what was written?"""

from __future__ import annotations

import argparse

HELP = "say whether stored traces and captures are still what was written; exit code 0 only if so"
EXAMPLE = "lanescope verify run.lanes"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope verify`."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="NAME.lanes, its URL, or NAME.capture"
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope verify`; returns the exit code."""
    from lanescope.checks.verify import verify

    verified = [verify(path) for path in args.paths]
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("verify", [one.to_dict() for one in verified])
    else:
        print("".join(one.text() for one in verified), end="")
    return 0 if all(one.whole for one in verified) else 1

"""`lanescope platforms`: what `run` and `bench` run on, and what a simulated chip is made of."""

from __future__ import annotations

import argparse
import sys

HELP = "list the platforms, or every value of one with its source"
EXAMPLE = "lanescope platforms a2a3"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope platforms`."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a platform, or a TOML file that describes a chip: show all of it",
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope platforms`; returns the exit code."""
    from lanescope.platforms.listing import list_platforms, show_platform
    from lanescope.results import plain

    if args.json:
        import msgspec

        answer = list_platforms() if args.name is None else show_platform(args.name)
        print(msgspec.json.encode(plain(answer)).decode())
    elif args.name is None:
        for platform in list_platforms():
            print(f"{platform.name:<8}  {platform.text}")
    else:
        sys.stdout.write(show_platform(args.name).text())
    return 0

"""`lanescope platforms`: what `run` and `bench` run on, and what a simulated chip is made of."""

from __future__ import annotations

import argparse
import sys

from lanescope.cli.printing import print_json

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

    if args.name is not None:
        sheet = show_platform(args.name)
        if args.json:
            print_json("platforms-show", sheet.to_dict())
        else:
            sys.stdout.write(sheet.text())
    elif args.json:
        print_json("platforms", [platform.to_dict() for platform in list_platforms()])
    else:
        for platform in list_platforms():
            print(f"{platform.name:<8}  {platform.text}")
    return 0

"""`lanescope flight`: what every core was doing when its run hung, failed or was killed."""

from __future__ import annotations

import argparse

from lanescope.cli.options import places
from lanescope.cli.printing import print_json

HELP = "say what every core was doing, in a run that hangs, failed or was killed"
EXAMPLE = "lanescope flight /dev/shm/run.capture --last 3"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope flight`."""
    parser.add_argument(
        "path",
        type=places.local,
        metavar="PATH",
        help="NAME.capture, or a region's file; it is only read",
    )
    parser.add_argument(
        "--last", type=int, default=1, metavar="N", help="records per lane (default: 1)"
    )
    parser.add_argument(
        "--all", action="store_true", help="name every lane, also where many are the same"
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope flight`; returns the exit code."""
    from lanescope.capture.flight import read_flight
    from lanescope.capture.flight_text import flight_text

    flight = read_flight(args.path, last=args.last)
    if args.json:
        print_json("flight", flight.to_dict())
        return 0
    print(flight_text(flight, every_lane=args.all))
    return 0

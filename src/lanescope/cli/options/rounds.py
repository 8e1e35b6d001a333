"""Options of runs whose lengths vary: the seed, and how many rounds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.platforms.outcome import Makespans


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds --seed and --rounds."""
    group = parser.add_argument_group("lengths that vary (simulated chips)")
    group.add_argument(
        "--seed", type=int, metavar="N", help="decides the lengths that are drawn (default: 0)"
    )
    group.add_argument(
        "--rounds",
        type=int,
        default=1,
        metavar="N",
        help="run N times, each with other lengths, and print how the makespans vary; the trace is "
        "that of the median (default: 1)",
    )


def sentence(makespans: Makespans) -> str:
    """Say the median makespan of all rounds and how far they lie apart."""
    least, median, most = (
        f"{ns / 1e6:,.3f}"
        for ns in (min(makespans.makespans_ns), makespans.median_ns, max(makespans.makespans_ns))
    )
    width = (max(makespans.makespans_ns) - min(makespans.makespans_ns)) / makespans.median_ns
    return (
        f"{len(makespans.makespans_ns)} rounds of seed {makespans.seed}: median {median} ms, "
        f"{least} to {most} ms ({width:.1%} apart); the trace is round {makespans.kept}"
    )

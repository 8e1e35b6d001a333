"""Options that say which memory a program or a model gets; `predict` and `fit` share them."""

from __future__ import annotations

import argparse

from lanescope.cli.options import places

MODELS = ("hbm", "layer-swap", "host-stream", "auto", "resident", "kv-swap", "weight-stream")
POLICIES = ("fifo", "lru", "pinned", "belady")
DRAM = ("ddr3-1600", "ddr3-800", "ddr4-2400", "hbm2")


def configure_capacity(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add capacity and host bandwidth, which replace the board's."""
    group = parser.add_argument_group("memory")
    group.add_argument(
        "--capacity",
        "--ddr3-capacity",
        metavar="SIZE",
        help="bytes of memory, like 512M, 36KiB (powers of 1024) or 1.5GB (of 1000); default: the "
        "manifest's, else the board's",
    )
    group.add_argument(
        "--host-bandwidth",
        metavar="RATE",
        help="of the link to the host, like 38MB/s, 1.5G or 480Mbit/s; default: the board's",
    )
    return group


def configure(parser: argparse.ArgumentParser) -> None:
    """Add all of them, as `predict` offers them."""
    group = configure_capacity(parser)
    group.add_argument(
        "--memory-model",
        choices=MODELS,
        default="hbm",
        help="hbm: everything in the board's memory (default); the others need a manifest",
    )
    group.add_argument(
        "--weight-manifest",
        type=places.local,
        metavar="FILE",
        help="what lies where; 'lanescope manifest' makes one",
    )
    group.add_argument(
        "--memory-size",
        metavar="SIZE",
        help="bytes that programs can address: a region beyond them is refused",
    )
    group.add_argument(
        "--policy",
        choices=POLICIES,
        help="what stays when not all fits (default: lru for swaps, pinned for streams)",
    )
    group.add_argument(
        "--dram",
        choices=DRAM,
        metavar="PRESET",
        help=f"time the memory bank by bank ({', '.join(DRAM)}; default: the board's bandwidth)",
    )

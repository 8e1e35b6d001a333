"""Options that say which memory a program or a model gets; `predict` and `fit` share them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.model.boards import Board
    from lanescope.model.memory import MemoryModel
    from lanescope.model.memory.timing import Timing

MODELS = ("hbm", "layer-swap", "host-stream", "auto", "resident", "kv-swap", "weight-stream")
POLICIES = ("fifo", "lru", "pinned", "belady")
DRAM = ("ddr3-1600", "ddr3-800", "ddr4-2400", "hbm2")


def configure_capacity(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Capacity and host bandwidth, in place of the board's."""
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
    """All of them, as `predict` offers them."""
    group = configure_capacity(parser)
    group.add_argument(
        "--memory-model",
        choices=MODELS,
        default="hbm",
        help="hbm: everything in the board's memory (default); the others need a manifest",
    )
    group.add_argument(
        "--weight-manifest",
        type=Path,
        metavar="FILE",
        help="what lies where; 'lanescope manifest' makes one",
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


def memory_model(args: argparse.Namespace, board: Board) -> MemoryModel:
    """The memory that the options ask for on this board; the flags go before the files."""
    from lanescope.model.manifest import load_manifest
    from lanescope.model.memory import MemoryModel

    manifest = load_manifest(args.weight_manifest) if args.weight_manifest else None
    capacity = capacity_bytes(args)
    if capacity is None and (manifest is None or manifest.capacity_bytes is None):
        capacity = board.memory.capacity_bytes.value
    return MemoryModel(
        args.memory_model,
        timing_of(args.dram, board),
        manifest=manifest,
        capacity_bytes=capacity,
        link=link_bytes_per_s(args, board),
        policy=args.policy,
    )


def timing_of(preset: str | None, board: Board) -> Timing:
    """Bank by bank with a preset; else the board's effective (or peak) bandwidth."""
    if preset is not None:
        from lanescope.model.dram import BankTiming, load_preset

        return BankTiming(load_preset(preset))
    from lanescope.model.memory.timing import Service

    memory = board.memory
    return Service((memory.effective_bytes_per_s or memory.peak_bytes_per_s).value)


def capacity_bytes(args: argparse.Namespace) -> int | None:
    from lanescope.model.memory.sizes import read_size

    return None if args.capacity is None else read_size(args.capacity)


def link_bytes_per_s(args: argparse.Namespace, board: Board) -> int | None:
    """The flag's rate, else what the board's link is said to reach, else its theoretical rate."""
    from lanescope.model.memory.sizes import read_rate

    if args.host_bandwidth is not None:
        return read_rate(args.host_bandwidth)
    link = board.host_link
    given = None if link is None else link.effective_bytes_per_s or link.theoretical_bytes_per_s
    return None if given is None else given.value

"""Options that say which memory a program or a model gets; `predict` and `fit` share them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.model.boards import Board
    from lanescope.model.memory import MemoryModel
    from lanescope.model.memory.program import MemoryRun
    from lanescope.model.memory.timing import Timing
    from lanescope.model.schedule.predict import Prediction

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


def memory_model(args: argparse.Namespace, board: Board) -> MemoryModel:
    """The memory that the options ask for on this board; the flags go before the files."""
    from lanescope.model.manifest import load_manifest
    from lanescope.model.memory import MemoryModel
    from lanescope.model.memory.sizes import read_size

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
        memory_bytes=None if args.memory_size is None else read_size(args.memory_size),
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


def is_asked(args: argparse.Namespace) -> bool:
    """Whether any option asks for more than the plain memory."""
    return args.memory_model != "hbm" or args.dram is not None


def run_on_memory(args: argparse.Namespace, prediction: Prediction) -> MemoryRun:
    """Charges the predicted program's transfers on the memory that the options ask for."""
    from lanescope.errors import UsageError
    from lanescope.model.memory.program import compute_lines, run_memory
    from lanescope.model.memory.walk import transfers_of

    machine = prediction.machine
    if machine.board is None or machine.clock_hz is None:
        raise UsageError("--memory-model needs a --board with a clock (or --clock-mhz)")
    lines = compute_lines(prediction)
    found = run_memory(
        transfers_of(prediction.program, machine.names, lines.each),
        memory_model(args, machine.board),
        cycles=lines.total,
        clock_hz=machine.clock_hz,
    )
    return found._replace(warnings=(*found.warnings, *_approximations(args.dram, machine.board)))


def _approximations(preset: str | None, board: Board) -> list[str]:
    """A sentence where a preset's device is not the board's."""
    if preset is None:
        return []
    from lanescope.model.dram import load_preset

    ours, theirs = load_preset(preset).peak_bytes_per_s, board.memory.peak_bytes_per_s.value
    if abs(ours / theirs - 1) < 0.01:
        return []
    return [
        f"the preset {preset} has a peak of {ours / 1e9:.4g} GB/s, the memory of {board.name} "
        f"{theirs / 1e9:.4g} GB/s: it only approximates the board"
    ]

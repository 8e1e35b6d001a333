"""Options of a run that dumps tensors, and what is said about the dump."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.dump.manifest import Totals
    from lanescope.dump.write import DumpRequest
    from lanescope.trace.store import StoredTrace

_POWERS = {"": 0, "K": 1, "M": 2, "G": 3}
_SIZE = re.compile(r"(\d{1,15})\s*([KMG]?)(?:i?B)?", re.IGNORECASE | re.ASCII)


def configure(
    parser: argparse.ArgumentParser,
    title: str = "the values that tasks read and write (simulated chips)",
    done: str = "compute, and write inputs before dispatch and outputs after completion",
) -> None:
    """Adds these options to a command; `done` says what the command does."""
    group = parser.add_argument_group(title)
    group.add_argument(
        "--dump-tensors",
        nargs="?",
        const="",
        metavar="SELECT",
        help=f"{done} to NAME.tensors; SELECT is a list of functions, tasks, arguments and "
        "'inputs' or 'outputs': add,17,20-30,arg1,outputs (default: everything)",
    )
    group.add_argument(
        "--dump-limit",
        type=size_bytes,
        metavar="SIZE",
        help="keep only the first elements of a longer tensor (default: 1MiB)",
    )
    group.add_argument(
        "--dump-total",
        type=size_bytes,
        metavar="SIZE",
        help="dump no more than this; the rest is counted (default: 1GiB)",
    )


def request_of(args: argparse.Namespace, trace: Path) -> DumpRequest | None:
    """What to dump, beside the trace; None where nothing is asked for."""
    from lanescope.dump.write import TENSOR_LIMIT_BYTES, TOTAL_LIMIT_BYTES, DumpRequest
    from lanescope.errors import UsageError

    if args.dump_tensors is None:
        if args.dump_limit is not None or args.dump_total is not None:
            raise UsageError("--dump-limit and --dump-total need --dump-tensors")
        return None
    return DumpRequest(
        folder=trace.with_suffix(".tensors"),
        select=args.dump_tensors,
        tensor_limit_bytes=TENSOR_LIMIT_BYTES if args.dump_limit is None else args.dump_limit,
        total_limit_bytes=TOTAL_LIMIT_BYTES if args.dump_total is None else args.dump_total,
    )


def size_bytes(text: str) -> int:
    """Bytes from '64KiB', '64K' or a bare number; K, M and G are powers of 1024."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a size like 4096, 64K or 1MiB, found {text!r}")
    return int(match[1]) << 10 * _POWERS[match[2].upper()]


def beside(trace: StoredTrace) -> tuple[str, Totals] | None:
    """The folder and the counts of the tensors that were recorded with a trace; None without."""
    from lanescope.dump.read import read_totals
    from lanescope.trace.flags import Feature

    folder = trace.path.with_suffix(".tensors")
    if not trace.meta.flags & Feature.DUMP_TENSOR or not folder.is_dir():
        return None
    return str(folder), read_totals(folder)


def sentence(folder: str, totals: Totals) -> str:
    """What was dumped, and what was not."""
    counts = f"{totals.before:,} before dispatch and {totals.after:,} after completion"
    said = f"{folder}  {totals.count:,} tensors ({counts}), {totals.bin_bytes:,} bytes"
    if totals.truncated:
        said += f"; TRUNCATED to {totals.tensor_limit_bytes:,} bytes: {totals.truncated:,}"
    if totals.dropped:
        reason = "no space" if totals.problem else f"limit {totals.total_limit_bytes:,} bytes"
        said += f"; DROPPED ({reason}): {totals.dropped:,}"
    return said

"""What the commands that read a trace share: which trace, and which part of it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.trace import Trace

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_TIME = re.compile(r"(-?\d+)(?:\.(\d{1,9}))?\s*(ns|us|µs|ms|s)?")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace", type=Path, metavar="TRACE", help="NAME.lanes, or a run's own files"
    )
    part = parser.add_argument_group("only a part of the trace")
    part.add_argument(
        "--since",
        dest="start",
        type=time_ns,
        metavar="TIME",
        help="from this time: 1.5ms, 200us, …",
    )
    part.add_argument("--until", dest="end", type=time_ns, metavar="TIME", help="up to this time")
    part.add_argument("--core", type=cores, metavar="N,N-N", help="these cores: 0,4-7")
    part.add_argument(
        "--function", action="append", metavar="NAME", help="this function, by name or id; repeat"
    )


def open_trace(args: argparse.Namespace, path: Path | None = None) -> Trace:
    """The stored trace, or the one run that the named files are, cut to the part asked for.

    `path` is another trace to cut the same way; the command's own without it.
    """
    return _part(args, whole_trace(path or args.trace))


def open_lazily(args: argparse.Namespace, path: Path) -> Trace:
    """The same; columns of a stored trace are read when they are needed."""
    from lanescope.facade.opening import opened_lazily

    return _part(args, opened_lazily(path))


def whole_trace(path: Path) -> Trace:
    """The stored trace, or the one run that the named files are."""
    from lanescope.facade.opening import opened

    return opened(path)


def _part(args: argparse.Namespace, trace: Trace) -> Trace:
    from lanescope.trace import select

    return select(
        trace,
        start_ns=args.start,
        end_ns=args.end,
        cores=args.core,
        functions=args.function,
    )


def time_ns(text: str) -> int:
    """Nanoseconds from '1.5ms'; a bare number is nanoseconds."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a time like 1.5ms or 200us, found {text!r}")
    whole, part, unit = match.groups()
    scale = _UNITS[unit or "ns"]
    fraction = int((part or "0").ljust(9, "0")) * scale // 1_000_000_000
    value = abs(int(whole)) * scale + fraction
    return -value if whole.startswith("-") else value


def cores(text: str) -> list[int]:
    """Core numbers from '0,4-7'."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise argparse.ArgumentTypeError(f"expected core numbers like 0,4-7, found {text!r}")
        low, high = int(first), int(last or first)
        if high - low > 1 << 20:
            raise argparse.ArgumentTypeError(f"{part!r} is more cores than any chip has")
        found += range(low, high + 1)
    return found

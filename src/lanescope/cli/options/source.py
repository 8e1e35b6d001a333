"""What the commands that read a trace share: which trace, and which part of it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.trace import Trace


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds these options to a command."""
    parser.add_argument(
        "trace", type=Path, metavar="TRACE", help="NAME.lanes, or a run's own files"
    )
    part = parser.add_argument_group("only a part of the trace")
    part.add_argument(
        "--since", type=time_ns, metavar="TIME", help="from this time: 1.5ms, 200us, …"
    )
    part.add_argument("--until", type=time_ns, metavar="TIME", help="up to this time")
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

    return select(trace, since=args.since, until=args.until, core=args.core, function=args.function)


def time_ns(text: str) -> int:
    """`lanescope.trace.window.time_ns` for argparse, which prints the message with the option."""
    from lanescope.trace import window

    try:
        return window.time_ns(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def cores(text: str) -> list[int]:
    """`lanescope.trace.window.core_numbers` for argparse."""
    from lanescope.trace import window

    try:
        return window.core_numbers(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None

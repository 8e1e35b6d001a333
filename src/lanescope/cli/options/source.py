"""What the commands that read a trace share: which trace, and which part of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import places
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.trace import Trace


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds these options to a command."""
    parser.add_argument("trace", metavar="TRACE", help=places.TRACE_HELP)
    configure_part(parser)


def configure_part(parser: argparse.ArgumentParser) -> None:
    """Adds the options that choose a part of a trace."""
    part = parser.add_argument_group("only a part of the trace")
    configure_window(part)
    part.add_argument(
        "--function", action="append", metavar="NAME", help="this function, by name or id; repeat"
    )
    configure_runs(part)


def configure_window(group: argparse._ArgumentGroup) -> None:
    """Adds the options that choose a window of time and cores."""
    group.add_argument(
        "--since", type=time_ns, metavar="TIME", help="from this time: 1.5ms, 200us, …"
    )
    group.add_argument("--until", type=time_ns, metavar="TIME", help="up to this time")
    group.add_argument("--core", type=cores, metavar="N,N-N", help="these cores: 0,4-7")


def configure_runs(group: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Adds the options that choose among several runs or ranks."""
    group.add_argument("--run", type=runs, metavar="N,N-N", help="these runs, by their own number")
    group.add_argument("--rank", type=ranks, metavar="N,N-N", help="these ranks")


def open_trace(args: argparse.Namespace) -> Trace:
    """The stored trace, or the one run that the named files are, cut to the part asked for.

    Of a stored trace no more than the part is read. Damaged parts of it are left out; its notes say
    so.
    """
    from lanescope.facade.opening import opened_some

    return opened_some(args.trace, **part_of(args))


def whole_trace(path: str) -> Trace:
    """The stored trace, or the one run that the named files are."""
    from lanescope.facade.opening import opened

    return opened(path)


def of_run(args: argparse.Namespace, trace: Trace) -> Trace:
    """The trace cut to --run and --rank alone."""
    from lanescope.trace import select

    return select(trace, run=args.run, rank=args.rank)


def part_of(args: argparse.Namespace) -> dict[str, Any]:
    """The part that is asked for, as the arguments of `select`."""
    names = ("since", "until", "core", "function", "run", "rank")
    return {name: getattr(args, name) for name in names}


def time_ns(text: str) -> int:
    """`lanescope.trace.window.time_ns` for argparse, which prints the message with the option."""
    from lanescope.trace import window

    try:
        return window.time_ns(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def cores(text: str) -> list[int]:
    """Numbers of cores for argparse."""
    return _numbers(text, "core")


def runs(text: str) -> list[int]:
    """Numbers of runs for argparse."""
    return _numbers(text, "run")


def ranks(text: str) -> list[int]:
    """Numbers of ranks for argparse."""
    return _numbers(text, "rank")


def _numbers(text: str, what: str) -> list[int]:
    """`lanescope.trace.window.numbers_of`, with its error as argparse wants it."""
    from lanescope.trace import window

    try:
        return window.numbers_of(text, what)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None

"""Options that every command that records has in common."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import writing
from lanescope.cli.options.source import time_ns

if TYPE_CHECKING:
    from lanescope.platforms.recording import Recording
    from lanescope.platforms.request import MachineRequest
    from lanescope.trace import Trace
    from lanescope.workloads.graph import TaskGraph

PLATFORM = "a2a3"
"""Where a workload runs unless somebody says otherwise: the same for every command."""
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
COMPARED = PROTOCOLS[:3]
"""What a comparison shows unless it is asked for others."""


def configure_level(parser: argparse.ArgumentParser) -> None:
    """Adds --chip-swimlane: how much is recorded."""
    parser.add_argument(
        "--chip-swimlane",
        nargs="?",
        const="4",
        default="4",
        metavar="LEVEL",
        help="how much to record: 0 nothing, 1 start and end on the core, 2 dispatch and finish, "
        "too, 3 scheduler phases, too, 4 everything (default)",
    )


def configure_pmu(parser: argparse.ArgumentParser) -> None:
    """Adds --pmu: hardware events that are counted per task."""
    parser.add_argument(
        "--pmu",
        nargs="?",
        const="2",
        metavar="GROUP",
        help="simulated chips: count a group of hardware events per task, by number or name: "
        "1 arithmetic, 2 pipe (default), 4 memory, 5 memory_l0, 6 resource_conflict, 7 memory_ub, "
        "8 l2_cache",
    )


def configure_core_swimlane(parser: argparse.ArgumentParser) -> None:
    """Adds --core-swimlane and where it comes from."""
    parser.add_argument(
        "--core-swimlane",
        action="store_true",
        help="simulated chips with trace engines (a5), and cuda: what the pipes inside each core "
        "do, too",
    )
    parser.add_argument(
        "--core-source",
        choices=("perfmon", "driver"),
        help="where that comes from: perfmon, engines drained by the controllers (default), or "
        "driver, a model of what is published about the driver's channels",
    )


def configure_workload(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """`nargs` is "?" where the command can do without a workload."""
    parser.add_argument(
        "workload",
        nargs=nargs,
        metavar="WORKLOAD",
        help="a built-in one (see 'lanescope workloads'), or a Python file of your own, NAME.py, "
        "with a function graph() that makes it",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the workload; repeat",
    )
    parser.add_argument(
        "--platform",
        default=PLATFORM,
        metavar="NAME",
        help="where it runs: a simulated chip ('lanescope platforms' lists them), a chip's file, "
        f"threads, or cuda (default: {PLATFORM})",
    )
    machine = parser.add_argument_group("the machine")
    machine.add_argument(
        "--cores",
        metavar="KIND=N,…",
        help="threads: cores of each kind (default: aic=1,aiv=2); cuda: sm=N (default: all SMs)",
    )
    machine.add_argument(
        "--schedulers",
        type=int,
        metavar="N",
        help="threads and cuda: scheduler threads or CTAs (default: 1)",
    )
    machine.add_argument(
        "--pre-dispatch",
        type=int,
        default=1,
        metavar="N",
        help="tasks a core may hold beside the one it runs: 0, 1 (default) or 2",
    )
    machine.add_argument("--pin", action="store_true", help="threads: tie each to a processor")


def configure_buffers(parser: argparse.ArgumentParser) -> None:
    """Adds the options of recording buffers."""
    group = parser.add_argument_group("recording")
    group.add_argument(
        "--on-full",
        choices=("block", "drop"),
        default="block",
        help="a producer without a free buffer waits (default) or drops and counts",
    )
    group.add_argument(
        "--host-lost",
        type=time_ns,
        metavar="TIME",
        help="threads and cuda: a waiting producer gives up and drops when the host shows no sign "
        "of life for this long (default: 30s)",
    )
    group.add_argument(
        "--buffer-records", type=int, default=1024, metavar="N", help="default: 1024"
    )
    group.add_argument(
        "--buffers", type=int, default=8, metavar="N", help="buffers per lane (default: 8)"
    )


def graph_of(args: argparse.Namespace) -> TaskGraph:
    """Make the graph of the workload asked for, with its settings."""
    from lanescope.errors import UsageError
    from lanescope.workloads import build_workload

    machine_of(args).check()
    settings = {}
    for setting in args.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"expected --set NAME=VALUE, found {setting!r}")
        settings[name.strip()] = value.strip()
    return build_workload(args.workload, settings)


def machine_of(args: argparse.Namespace) -> MachineRequest:
    """Return the machine asked for: the platform and the options that belong to it."""
    from lanescope.platforms.request import MachineRequest

    return MachineRequest(
        platform=args.platform,
        cores=args.cores,
        schedulers=args.schedulers,
        pre_dispatch=args.pre_dispatch,
        pin=args.pin,
    )


def recording_of(
    args: argparse.Namespace,
    *,
    level: int,
    protocol: str,
    pmu: str | None = None,
    core_source: str | None = None,
) -> Recording:
    """What the options say about the recording."""
    from lanescope.platforms.recording import Recording

    return Recording(
        chip_swimlane=level,
        pmu=pmu,
        core_swimlane=core_source is not None,
        core_source=core_source or "perfmon",
        protocol=protocol,
        on_full=args.on_full,
        buffer_records=args.buffer_records,
        buffers=args.buffers,
        host_lost_s=host_lost_s(args),
    )


def host_lost_s(args: argparse.Namespace) -> float:
    """How long the host may show no sign of life; a simulated host is never lost."""
    from lanescope.errors import UsageError
    from lanescope.platforms.request import is_simulated

    if args.host_lost is not None and is_simulated(args.platform):
        raise UsageError(
            f"--host-lost is for --platform threads and cuda; the host of {args.platform} is "
            "simulated and is never lost"
        )
    return 30.0 if args.host_lost is None else args.host_lost / 1e9


def capture_path(trace: Path) -> Path:
    """The capture's directory beside the trace it becomes."""
    return trace.with_suffix(".capture")


def save_or_keep(
    trace: Trace, chosen: writing.Chosen[Path], args: argparse.Namespace, *, directory: Path
) -> None:
    """Save a trace; where that fails, the sentence says that its capture is there.

    Raises:
        OutputError: the trace could not be saved.
    """
    with keeping(directory):
        writing.save_trace(trace, chosen, args)


@contextmanager
def keeping(directory: Path) -> Iterator[None]:
    """Add to the sentence about a trace that could not be stored that its capture is there."""
    from lanescope.capture.directory import kept
    from lanescope.errors import OutputError

    try:
        yield
    except OutputError as error:
        told = f"; {kept(directory)}" if directory.is_dir() else ""
        raise OutputError(f"{error}{told}") from error


def remove_capture(directory: Path) -> None:
    """The trace is saved: what it was made of can go."""
    from lanescope.trace.replacing import remove_directory

    remove_directory(directory)

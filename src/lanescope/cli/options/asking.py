"""Options of `lanescope collect` that ask the program for records beyond its tasks and phases."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import dump, places

if TYPE_CHECKING:
    from lanescope.device.call_config import CallConfig
    from lanescope.platforms.sim.setup import PmuChoice
    from lanescope.trace import Meta, Trace

_RECORDS = {"pmu": "--pmu", "burst": "--core-swimlane", "tensor": "--dump-tensors"}
"""Kind of record to the option that asks for it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds these options to a command."""
    group = parser.add_argument_group("what else the program is asked to record")
    group.add_argument(
        "--pmu",
        nargs="?",
        const="",
        metavar="GROUP",
        help="hardware counters per task; GROUP is a group of events of --chip, by number or name",
    )
    group.add_argument(
        "--core-swimlane", action="store_true", help="what the trace engines of cores write"
    )
    group.add_argument(
        "--chip",
        metavar="NAME",
        help="the chip, or its file: it names the events of --pmu and the clocks of the cores, "
        "where the program does not ('lanescope platforms' lists chips)",
    )
    group.add_argument(
        "--deps",
        type=places.local,
        metavar="FILE",
        help="edges from a file that the program writes, such as deps.json; it is told the path",
    )
    group.add_argument(
        "--buffer-records", type=int, default=0, metavar="N", help="default: the program's choice"
    )
    group.add_argument(
        "--buffers", type=int, default=0, metavar="N", help="buffers per lane (the same)"
    )
    dump.configure(parser, "the values of tasks' arguments", "write selected arguments")


def call_of(args: argparse.Namespace, trace: Path) -> CallConfig:
    """What the program is asked for; `trace` is where its trace goes.

    Raises:
        UsageError: an option has no effect, or asks for nothing that there is.
    """
    from lanescope.device.call_config import CallConfig
    from lanescope.device.flags import read_level
    from lanescope.errors import UsageError

    if args.deps is not None and args.rotate is not None:
        raise UsageError("--deps is read when the program has ended; leave --rotate out with it")
    if args.pmu and args.chip is None:
        raise UsageError(
            f"--pmu={args.pmu} names a group of events of a chip; name it with --chip, or leave "
            "out the group"
        )
    group, events = _events(args)
    wanted = dump.request_of(args, trace)
    call = CallConfig(
        chip_swimlane=read_level(args.chip_swimlane),
        core_swimlane=args.core_swimlane,
        pmu=args.pmu is not None,
        pmu_group=group,
        pmu_events=events,
        on_full=args.on_full,
        buffer_records=args.buffer_records,
        buffers=args.buffers,
        deps="" if args.deps is None else str(args.deps.absolute()),
    )
    if wanted is None:
        return call
    return replace(
        call,
        dump_tensors=True,
        dump_select=wanted.select,
        dump_limit=wanted.tensor_limit_bytes,
        dump_total=wanted.total_limit_bytes,
        tensors=str(wanted.folder.absolute()),
    )


def refuse_beside(args: argparse.Namespace, other: str) -> None:
    """Refuse these options beside one that starts no program, so that nobody can be asked.

    Raises:
        UsageError: one of them is given.
    """
    from lanescope.errors import UsageError

    given = {
        "--pmu": args.pmu,
        "--core-swimlane": args.core_swimlane or None,
        "--chip": args.chip,
        "--deps": args.deps,
        "--buffer-records": args.buffer_records or None,
        "--buffers": args.buffers or None,
        "--dump-tensors": args.dump_tensors,
        "--dump-limit": args.dump_limit,
        "--dump-total": args.dump_total,
    }
    for option, value in given.items():
        if value is not None:
            raise UsageError(
                f"{option} asks a program that is started here; leave it out of {other}"
            )


def plan_of(args: argparse.Namespace, name: str) -> Trace | None:
    """What --chip says of the recording before it begins; None without it."""
    from lanescope import __version__
    from lanescope.platforms.sim.chip import load_chip
    from lanescope.platforms.sim.perfmon import require_engine
    from lanescope.trace import Meta, Trace
    from lanescope.trace.meta import RecordingFacts

    if args.chip is None:
        return None
    chip = load_chip(args.chip)
    if args.core_swimlane:
        require_engine(chip)
    choice = _choice(args)
    facts = RecordingFacts(
        pmu_events=(choice.group.number,) if choice is not None else (),
        pmu_counters=tuple(choice.names()) if choice is not None else (),
        core_hz={kind: chip.kind_hz(kind) for kind in dict.fromkeys(chip.core_kinds())},
    )
    meta = Meta(name=name, tool=f"lanescope {__version__}", origin="measured", recording=facts)
    return Trace(meta=meta, words=())


def chip_name(args: argparse.Namespace) -> str:
    """The chip's own name; empty without --chip."""
    from lanescope.platforms.sim.chip import load_chip

    return "" if args.chip is None else load_chip(args.chip).name


def unanswered(meta: Meta, call: CallConfig) -> list[str]:
    """A sentence for each kind of record that was asked for and never came."""
    asked = {"pmu": call.pmu, "burst": call.core_swimlane, "tensor": call.dump_tensors}
    came = {entry.kind for entry in meta.ledger if entry.total}
    return [
        f"{_RECORDS[kind]} was asked for, but the program recorded nothing of it"
        for kind, wanted in asked.items()
        if wanted and kind not in came
    ]


def _choice(args: argparse.Namespace) -> PmuChoice | None:
    from lanescope.platforms.sim.chip import load_chip
    from lanescope.platforms.sim.pmu import choose

    if args.chip is None or args.pmu is None:
        return None
    return choose(load_chip(args.chip), args.pmu or True)


def _events(args: argparse.Namespace) -> tuple[int, tuple[int, ...]]:
    """The number of the group of events, and what each counter's selector is set to."""
    choice = _choice(args)
    if choice is None:
        return 0, ()
    count = len(choice.unit.registers.counters)
    return choice.group.number, tuple(choice.group.ids(count))

"""`lanescope bench`: what recording costs, at every level and with every protocol."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet, record_costs, recording, writing
from lanescope.cli.printing import json_line
from lanescope.render.progress import shows_progress

if TYPE_CHECKING:
    from lanescope.overhead import BenchReport, SourceReport
    from lanescope.overhead.run import Progress

HELP = "measure what recording costs, with runs that take turns"
EXAMPLE = "lanescope bench paged_attention --platform threads --levels 0,1,2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope bench`."""
    recording.configure_workload(parser, nargs="?")
    recording.configure_buffers(parser)
    group = parser.add_argument_group("what is measured")
    group.add_argument(
        "--levels", default="0,1,2,3,4", metavar="LEVEL,…", help="default: 0,1,2,3,4"
    )
    group.add_argument(
        "--protocols",
        metavar="NAME,…",
        help=f"of {', '.join(recording.PROTOCOLS)} (default: the first three; cuda: "
        "producer-rotated, and no other)",
    )
    group.add_argument(
        "--rounds", type=int, default=15, metavar="N", help="runs of each (default: 15)"
    )
    group.add_argument(
        "--seed", type=int, default=1, metavar="N", help="decides the order in each round"
    )
    group.add_argument(
        "--core-source",
        metavar="NAME,…",
        help="instead of what recording costs: what the core swimlane brings from perfmon (engines "
        "drained by the controllers) and from driver (the driver's channels, a model of what is "
        "published); chips with trace engines",
    )
    record_costs.configure(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        metavar="FILE",
        help="write the JSON, with every sample, to this file, too",
    )
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope bench`; returns the exit code."""
    from lanescope.overhead import bench

    record_costs.check(args)
    writing.check_force(args, args.output or args.save, "-o FILE or --save FILE")
    writing.check_named(args.output, args)
    writing.check_named(args.save, args)
    if args.fit:
        return record_costs.run(args, _protocols(args) or recording.COMPARED)
    if args.core_source is not None:
        report: BenchReport | SourceReport = _sources(args)
    else:
        levels, protocols = _words(args.levels), _protocols(args)
        graph = recording.graph_of(args)
        with _progress(graph.name) as progress:
            report = bench(
                graph,
                platform=args.platform,
                cores=args.cores,
                schedulers=args.schedulers,
                pre_dispatch=args.pre_dispatch,
                pin=args.pin,
                levels=levels,
                protocols=protocols,
                rounds=args.rounds,
                seed=args.seed,
                on_full=args.on_full,
                host_lost_s=recording.host_lost_s(args),
                buffer_records=args.buffer_records,
                buffers=args.buffers,
                folder=None if args.output is None else args.output.parent,
                progress=progress,
            )
    line = json_line("bench" if args.core_source is None else "bench-sources", report.to_dict())
    if args.json or not args.quiet:
        print(f"{line}\n" if args.json else report.text(), end="")
    if args.output is not None:
        args.output.write_text(f"{line}\n", encoding="utf-8")
    return 0


def _sources(args: argparse.Namespace) -> SourceReport:
    """Compare the two ways to see inside the cores."""
    from lanescope.overhead import bench_core_sources

    graph = recording.graph_of(args)
    with _progress(graph.name) as progress:
        return bench_core_sources(
            graph,
            platform=args.platform,
            core_source=_words(args.core_source),
            rounds=args.rounds,
            seed=args.seed,
            progress=progress,
        )


def _protocols(args: argparse.Namespace) -> list[str] | None:
    return None if args.protocols is None else _words(args.protocols)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


@contextmanager
def _progress(name: str) -> Iterator[Progress]:
    """Show a line on the terminal that counts the runs; elsewhere show nothing."""
    if not shows_progress():
        yield lambda done, runs: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    # It is drawn between runs only: a thread that redraws would take time from the cores.
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(f"running {name}", total=None)
        yield lambda done, runs: bar.update(task, completed=done, total=runs, refresh=True)

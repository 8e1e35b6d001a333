"""`lanescope bench`: what recording costs, at every level and with every protocol."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import record_costs as bench_fit
from lanescope.cli.options import recording

if TYPE_CHECKING:
    from lanescope.bench import Configuration, RunSample
    from lanescope.workloads.graph import TaskGraph

HELP = "measure what recording costs, with runs that take turns"
EXAMPLE = "lanescope bench paged_attention --levels 0,1,2 --protocols staging,producer-rotated"


def configure(parser: argparse.ArgumentParser) -> None:
    recording.configure_workload(parser, platform="threads", nargs="?")
    recording.configure_buffers(parser)
    group = parser.add_argument_group("what is measured")
    group.add_argument(
        "--levels", default="0,1,2,3,4", metavar="LEVEL,…", help="default: 0,1,2,3,4"
    )
    group.add_argument(
        "--protocols",
        default=",".join(recording.PROTOCOLS),
        metavar="NAME,…",
        help="default: all of " + ", ".join(recording.PROTOCOLS),
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
    bench_fit.configure(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the JSON, with every sample, to this file, too",
    )


def run(args: argparse.Namespace) -> int:
    import msgspec

    from lanescope.bench import compare, configurations, render_table
    from lanescope.errors import OutputError, UsageError

    if args.platform == "cuda":
        raise UsageError("bench runs on threads and on simulated chips; choose another --platform")
    if args.output is not None and not args.output.parent.is_dir():
        raise OutputError(f"{args.output}: there is no folder {args.output.parent}")
    bench_fit.check(args)
    if args.fit:
        protocols = [key.protocol for key in configurations(["1"], _words(args.protocols))]
        return bench_fit.run(args, protocols)
    if args.core_source is not None:
        return _sources(args)
    found = configurations(_words(args.levels), _words(args.protocols))
    graph = recording.graph_of(args)
    results = compare(_measured(args, found, graph=graph), tasks=len(graph.func))
    facts = _facts(args, graph)
    text = msgspec.json.encode({**facts, "results": results}).decode() + "\n"
    print(text if args.json else f"{_heading(facts)}\n\n{render_table(results)}", end="")
    if args.output is not None:
        args.output.write_text(text)
    return 0


def _sources(args: argparse.Namespace) -> int:
    """The two ways to see inside the cores."""
    import tempfile

    import msgspec

    from lanescope.bench import compare_sources, read_sources, render_sources
    from lanescope.errors import UsageError
    from lanescope.platforms.run import is_simulated
    from lanescope.platforms.sim.chip import load_chip

    sources = read_sources(_words(args.core_source))
    if not is_simulated(args.platform):
        raise UsageError("--core-source needs a simulated chip with trace engines: --platform a5")
    graph = recording.graph_of(args)
    with (
        tempfile.TemporaryDirectory(prefix="lanescope-bench-") as folder,
        _progress(graph.name, args.rounds) as step,
    ):
        results = compare_sources(
            graph,
            load_chip(args.platform),
            sources,
            rounds=args.rounds,
            seed=args.seed,
            directory=Path(folder, "run.capture"),
            step=step,
        )
    facts = _facts(args, graph)
    text = msgspec.json.encode({**facts, "core_sources": results}).decode() + "\n"
    heading = f"{graph.name} on {args.platform}: {len(graph):,} tasks, {args.rounds} rounds"
    print(text if args.json else f"{heading}\n\n{render_sources(results)}", end="")
    if args.output is not None:
        args.output.write_text(text)
    return 0


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def _measured(
    args: argparse.Namespace,
    found: tuple[Configuration, ...],
    *,
    graph: TaskGraph,
) -> dict[Configuration, list[RunSample]]:
    """The samples of each configuration, one per round; the first round only warms up."""
    import tempfile

    from lanescope.bench import rounds_of

    run_once = _runner(args, graph)
    rounds = rounds_of(found, args.rounds, seed=args.seed)
    samples: dict[Configuration, list[RunSample]] = {key: [] for key in found}
    beside = None if args.output is None else args.output.parent
    with (
        tempfile.TemporaryDirectory(prefix="lanescope-bench-", dir=beside) as folder,
        _progress(graph.name, (len(rounds) + 1) * len(found)) as step,
    ):
        for number, order in enumerate((found, *rounds)):
            for key in order:
                samples[key].append(run_once(key, number, Path(folder, "run.capture")))
                step()
    return {key: taken[1:] for key, taken in samples.items()}


def _runner(
    args: argparse.Namespace, graph: TaskGraph
) -> Callable[[Configuration, int, Path], RunSample]:
    """Runs one configuration in one round, on the platform asked for."""
    from lanescope.bench import jittered, measure_simulated, measure_threads
    from lanescope.platforms.run import is_simulated

    if not is_simulated(args.platform):
        machine = recording.machine_of(args)

        def on_threads(key: Configuration, number: int, directory: Path) -> RunSample:
            setting = recording.recording_of(args, level=key.level, protocol=key.protocol)
            return measure_threads(graph, machine, setting, directory=directory)

        return on_threads

    from lanescope.platforms.sim.chip import load_chip

    chip = load_chip(args.platform)

    def on_chip(key: Configuration, number: int, directory: Path) -> RunSample:
        return measure_simulated(
            jittered(graph, args.seed, number),
            chip,
            recording.recording_of(args, level=key.level, protocol=key.protocol),
            pre_dispatch=args.pre_dispatch,
            directory=directory,
        )

    return on_chip


@contextmanager
def _progress(name: str, runs: int) -> Iterator[Callable[[], None]]:
    """A line on the terminal that counts the runs; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    # It is drawn between runs only: a thread that redraws would take time from the cores.
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(f"running {name}", total=runs)
        yield lambda: bar.update(task, advance=1, refresh=True)


def _facts(args: argparse.Namespace, graph: TaskGraph) -> dict[str, Any]:
    import os

    from lanescope.device.region import clock_hz
    from lanescope.platforms.run import is_simulated

    facts = {
        "workload": graph.name,
        "tasks": len(graph.func),
        "rounds": args.rounds,
        "seed": args.seed,
        "platform": args.platform,
        "pre_dispatch": args.pre_dispatch,
        "on_full": args.on_full,
        "buffer_records": args.buffer_records,
        "buffers": args.buffers,
    }
    if is_simulated(args.platform):
        from lanescope.platforms.sim.chip import load_chip

        chip = load_chip(args.platform)
        return {**facts, "cores": list(chip.core_kinds()), "schedulers": chip.schedulers}
    machine = recording.machine_of(args)
    return {
        **facts,
        "cores": list(machine.cores),
        "schedulers": machine.schedulers,
        "pin": machine.pin,
        "processors": len(os.sched_getaffinity(0)),
        "clock_hz": clock_hz(),
    }


def _heading(facts: dict[str, Any]) -> str:
    lines = [
        f"{facts['workload']} on {facts['platform']}: {facts['tasks']:,} tasks on "
        f"{_many(len(facts['cores']), 'core')} and {_many(facts['schedulers'], 'scheduler')}, "
        f"{facts['rounds']} rounds after one to warm up",
        f"{_many(facts['buffers'], 'buffer')} of {_many(facts['buffer_records'], 'record')} per "
        f"lane, on-full {facts['on_full']}",
    ]
    if "processors" in facts:
        lines.append(_processors(facts))
    return "\n".join(lines)


def _processors(facts: dict[str, Any]) -> str:
    threads = len(facts["cores"]) + facts["schedulers"] + 1
    line = f"{_many(facts['processors'], 'processor')}, clock {facts['clock_hz'] / 1e6:,.1f} MHz"
    if threads + 1 > facts["processors"]:
        line += f"; {threads} threads and the collector share them, so expect a wide spread"
    return line


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")

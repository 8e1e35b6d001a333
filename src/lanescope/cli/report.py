"""`lanescope report`: what was captured, and where the time went."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import places, source

if TYPE_CHECKING:
    from lanescope.trace import Trace

HELP = "print what was captured and where the time went"
KNOWN = ""
"""--corrected without a file: the costs that the run itself knows."""
EXAMPLE = "lanescope report run.lanes --since 1ms --until 2ms --function QK"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope report`."""
    source.configure(parser)
    parser.add_argument(
        "--plots",
        type=places.local,
        metavar="DIR",
        help="write pictures (SVG) into this directory, too",
    )
    parser.add_argument(
        "--graph",
        action="store_true",
        help="list the task graph, too: edges, fan-in, fan-out, depth, implied (redundant) edges",
    )
    parser.add_argument(
        "--corrected",
        nargs="?",
        const=KNOWN,
        metavar="COSTS",
        help="instead: the timeline's figures without the profiler's own cost, with intervals; "
        "COSTS is a file of 'lanescope bench --fit --save' (simulated runs know their costs)",
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope report`; returns the exit code."""
    if _is_job(args.trace):
        return _job(args)
    if args.corrected is not None:
        return _corrected(args)
    trace = source.open_trace(args)
    written = [] if args.plots is None else _write_plots(trace, args.plots)
    if args.json:
        from lanescope.cli.printing import print_json
        from lanescope.facade.answers import report

        figures = report(trace, graph=args.graph).to_dict()
        if written:
            figures["plots"] = written
        print_json("report", figures)
    else:
        show(trace, graph=args.graph)
        if written:
            print(f"\nPictures: {', '.join(written)}")
    return 0


def _is_job(path: str) -> bool:
    from lanescope.jobs.job import is_job

    return is_job(path)


def _job(args: argparse.Namespace) -> int:
    """A folder with a stored trace per rank: what `lanescope ranks` prints."""
    from lanescope.cli import ranks
    from lanescope.errors import UsageError
    from lanescope.facade.jobs import ranks as ranks_of

    limits = ("since", "until", "core", "function", "run", "rank", "corrected")
    given = [name for name in limits if getattr(args, name) is not None]
    if given or args.graph:
        raise UsageError(
            f"{args.trace} holds the traces of a job; --{(given or ['graph'])[0]} asks about one "
            "trace: name one of them"
        )
    report = ranks_of(args.trace)
    ranks.show(report, plots=args.plots, json=args.json)
    return 1 if report.job.unread else 0


def _corrected(args: argparse.Namespace) -> int:
    from lanescope.errors import UsageError
    from lanescope.facade.replays import corrected
    from lanescope.render.progress import working

    if any(part is not None for part in (args.since, args.until, args.core, args.function)):
        raise UsageError(
            "--corrected replays the whole run; leave out --since, --until, --core and --function"
        )
    if args.plots is not None:
        raise UsageError("--corrected draws no pictures; leave out --plots")
    if args.graph:
        raise UsageError("--corrected lists no graph; leave out --graph")
    trace = source.of_run(args, source.whole_trace(args.trace))
    with working("replaying"):
        answer = corrected(trace, args.corrected or None)
    if args.json:
        from lanescope.cli.printing import print_json

        figures = {"name": trace.meta.name, "corrected": answer.to_dict()}
        print_json("report-corrected", figures)
    else:
        from lanescope.replay.correction.corrected_text import corrected_text

        sys.stdout.write(corrected_text(trace.meta.name, answer))
    return 0


def _write_plots(trace: Trace, folder: Path) -> list[str]:
    from lanescope.facade.showing import plots

    return [str(folder / name) for name in plots(trace, folder)]


def show(trace: Trace, *, graph: bool = False) -> None:
    """Print the report: tables with colour on a terminal, plain text elsewhere."""
    from lanescope.facade.answers import report

    answers = report(trace, graph=graph)
    if sys.stdout.isatty():
        from rich.console import Console

        from lanescope.render.terminal import render_terminal

        render_terminal(answers.sections(), Console())
    else:
        sys.stdout.write(answers.text())

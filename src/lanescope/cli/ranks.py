"""`lanescope ranks`: who holds up a job of many ranks, and why."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet, writing
from lanescope.render.colour import is_drawn

if TYPE_CHECKING:
    from lanescope.jobs.report import JobReport

HELP = "say which rank of a job the others wait for, how long, and why"
EXAMPLE = "lanescope ranks train.job --plots pictures"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope ranks`."""
    parser.add_argument("job", metavar="JOB", help="a folder with a stored trace per rank")
    parser.add_argument(
        "--plots",
        type=places.local,
        metavar="DIR",
        help="write pictures (SVG) into this directory, too",
    )
    writing.configure(parser)
    quiet.configure(parser)
    parser.add_argument(
        "--replay",
        nargs="?",
        const="peers",
        choices=("peers", "job"),
        help="replay the job, too, with every task as long as on ranks that do the same work "
        "(peers), or as its function takes in the whole job (job); reads all tasks",
    )
    configure_workers(parser)


def configure_workers(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say who reads the traces."""
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        help="a Dask cluster: tcp://HOST:PORT, local, slurm or k8s (default: processes here)",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes that read; 0: this one alone"
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope ranks`; returns the exit code."""
    from lanescope.facade.jobs import ranks

    writing.check_pictures(args, "--plots DIR")
    report = ranks(args.job, replay=args.replay, cluster=args.cluster, workers=args.workers)
    show(report, args)
    return 1 if report.job.unread else 0


def show(report: JobReport, args: argparse.Namespace) -> None:
    """Print a job's report, and write its pictures where they are asked for."""
    written = []
    if args.plots is not None:
        from lanescope.jobs.plots import job_plots

        written = writing.write_pictures(args.plots, job_plots(report), args)
    if args.json:
        from lanescope.cli.printing import print_json

        figures = report.to_dict() | ({"plots": written} if written else {})
        print_json("ranks", figures)
        return
    if args.quiet:
        pass
    elif is_drawn(sys.stdout):
        from rich.console import Console

        from lanescope.render.terminal import render_terminal

        render_terminal(report.sections(), Console())
    else:
        sys.stdout.write(report.text())
    if written:
        print(f"\nPictures: {', '.join(written)}")

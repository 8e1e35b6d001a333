"""`lanescope report`: what was captured, and where the time went."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli import source

if TYPE_CHECKING:
    from lanescope.trace import Trace

HELP = "print what was captured and where the time went"
EXAMPLE = "lanescope report run.lanes --since 1ms --until 2ms --function QK"


def configure(parser: argparse.ArgumentParser) -> None:
    source.configure(parser)
    parser.add_argument(
        "--plots", type=Path, metavar="DIR", help="write pictures (SVG) into this directory, too"
    )


def run(args: argparse.Namespace) -> int:
    trace = source.open_trace(args)
    written = [] if args.plots is None else _write_plots(trace, args.plots)
    if args.json:
        import msgspec

        from lanescope.report import build_report, report_dict

        figures = report_dict(build_report(trace))
        if written:
            figures["plots"] = written
        print(msgspec.json.encode(figures).decode())
    else:
        show(trace)
        if written:
            print(f"\nPictures: {', '.join(written)}")
    return 0


def _write_plots(trace: Trace, folder: Path) -> list[str]:
    from lanescope.formats.output import atomic_output
    from lanescope.report.plots import plots

    written = []
    for name, svg in plots(trace).items():
        with atomic_output(folder / name) as stream:
            stream.write(svg.encode())
        written.append(str(folder / name))
    return written


def show(trace: Trace) -> None:
    """Print the report: tables with colour on a terminal, plain text elsewhere."""
    from lanescope.report import build_report, render_text

    report = build_report(trace)
    if sys.stdout.isatty():
        from rich.console import Console

        from lanescope.report.terminal import render_terminal

        render_terminal(report, Console())
    else:
        sys.stdout.write(render_text(report))

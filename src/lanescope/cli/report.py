"""`lanescope report`: what was captured, and where the time went."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from lanescope.cli import source

if TYPE_CHECKING:
    from lanescope.trace import Trace

HELP = "print what was captured and where the time went"
EXAMPLE = "lanescope report run.lanes --since 1ms --until 2ms --function QK"


def configure(parser: argparse.ArgumentParser) -> None:
    source.configure(parser)


def run(args: argparse.Namespace) -> int:
    trace = source.open_trace(args)
    if args.json:
        import msgspec

        from lanescope.report import build_report, report_dict

        print(msgspec.json.encode(report_dict(build_report(trace))).decode())
    else:
        show(trace)
    return 0


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

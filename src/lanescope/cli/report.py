"""`lanescope report`: what was captured, and where the time went."""

from __future__ import annotations

import argparse
import sys

from lanescope.cli import source

HELP = "print what was captured and where the time went"
EXAMPLE = "lanescope report run.lanes --since 1ms --until 2ms --function QK"


def configure(parser: argparse.ArgumentParser) -> None:
    source.configure(parser)


def run(args: argparse.Namespace) -> int:
    from lanescope.report import build_report, render_text, report_dict

    report = build_report(source.open_trace(args))
    if args.json:
        import msgspec

        print(msgspec.json.encode(report_dict(report)).decode())
    elif sys.stdout.isatty():
        from rich.console import Console

        from lanescope.report.terminal import render_terminal

        render_terminal(report, Console())
    else:
        sys.stdout.write(render_text(report))
    return 0

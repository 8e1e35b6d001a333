"""`lanescope recover`: a trace from what a killed run left behind."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "make a trace of what a killed run left behind"
EXAMPLE = "lanescope recover paged_attention.capture"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope recover`."""
    parser.add_argument("directory", type=Path, metavar="DIR", help="NAME.capture")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help="directory for the trace, or NAME.lanes (default: beside the capture)",
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope recover`; returns the exit code."""
    from lanescope.capture import recover
    from lanescope.render.progress import working
    from lanescope.reports.summary import sentence, summary, trace_path
    from lanescope.trace import save

    with working("recovering"):
        recovery = recover(args.directory)
        target = trace_path(recovery.trace.meta.name, args.output or args.directory.parent)
        save(recovery.trace, target)
    result = {**summary(recovery.trace, target), **recovery.to_dict()}
    if args.json:
        import msgspec

        print(msgspec.json.encode(result).decode())
        return 0
    print(sentence(result))
    print(
        f"{recovery.buffers:,} buffers, {recovery.leftover_buffers:,} of them from the region; "
        f"{args.directory} was left as it is"
    )
    for problem in recovery.problems:
        print(f"  {problem}")
    return 0

"""`lanescope recover`: a trace from what a killed run left behind."""

from __future__ import annotations

import argparse
from pathlib import Path

from lanescope.cli.options import places, quiet, writing

HELP = "make a trace of what a killed run left behind"
EXAMPLE = "lanescope recover paged_attention.capture"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope recover`."""
    parser.add_argument("directory", type=places.local, metavar="DIR", help="NAME.capture")
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        help="directory for the trace, or NAME.lanes (default: beside the capture)",
    )
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope recover`; returns the exit code."""
    from lanescope.capture.directory import process_directories, process_suffixes
    from lanescope.errors import LanescopeError

    if args.output is not None and args.output.suffix == ".lanes":
        writing.check_named(args.output, args)
    found = process_directories(args.directory) if args.directory.is_dir() else []
    processes = found or [args.directory]
    problems: list[str] = []
    for directory, suffix in zip(processes, process_suffixes(processes), strict=True):
        problems += _recover(args, directory, suffix)
    if problems:
        raise LanescopeError("; ".join(problems))
    return 0


def _recover(args: argparse.Namespace, directory: Path, suffix: str) -> list[str]:
    """Save the trace of one process, and say what was found; `suffix` belongs to its name.

    Returns why the account of its records is not complete.
    """
    from lanescope.capture import recover
    from lanescope.render.names import printable
    from lanescope.render.progress import working
    from lanescope.reports.summary import account_problems, sentence, summary

    with working("recovering"):
        recovery = recover(directory)
        name = recovery.trace.meta.name
        trace = recovery.trace.with_meta(name=f"{name}{suffix}")
        output = args.output or args.directory.parent
        if output.suffix == ".lanes" and suffix:
            stem = output.stem + suffix
            chosen = writing.free_name(output.parent, stem, args, endings=(".lanes",))
        else:
            chosen = writing.new_trace(name + suffix, output, args)
        target = chosen.path
        writing.save_trace(trace, chosen, args)
    problems = [*recovery.unread, *account_problems(trace)]
    result = {**summary(trace, target), **recovery.to_dict()}
    if args.json:
        import msgspec

        print(msgspec.json.encode(result).decode())
        return problems
    print(sentence(result))
    lines = [
        *filter(None, [chosen.note]),
        f"{recovery.buffers:,} buffers, {recovery.leftover_buffers:,} of them from the region; "
        f"{directory} was left as it is",
        *(f"  {problem}" for problem in recovery.problems),
    ]
    print("\n".join(map(printable, lines)))
    return problems

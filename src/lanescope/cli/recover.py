"""`lanescope recover`: a trace from what a killed run left behind."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import dump, places, quiet, source, writing
from lanescope.cli.printing import print_json

if TYPE_CHECKING:
    from lanescope.capture.reading import CaptureRead

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
    source.configure_window(parser.add_argument_group("only a part of the capture"))
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
    import msgspec
    import numpy as np

    from lanescope.capture.rebuild import read_idle, recovery_notes, store
    from lanescope.render.names import printable
    from lanescope.render.progress import working
    from lanescope.reports.summary import account_problems, sentence, stored_summary
    from lanescope.trace import Meta
    from lanescope.trace.part import part_of
    from lanescope.trace.some import check_limits

    limits = {"since": args.since, "until": args.until, "core": args.core}
    part = part_of(**limits)
    with working("recovering"):
        found = read_idle(directory)
        cores = np.arange(len(found.contents.head.cores))
        check_limits(found.contents.name, cores, **limits)
        name = found.contents.name + suffix + _part_ending(found)
        chosen = _chosen(args, name, suffix + _part_ending(found))

        def finish(meta: Meta) -> Meta:
            return msgspec.structs.replace(
                meta, name=name, notes=meta.notes + recovery_notes(found)
            )

        put = writing.put_of(args)
        stored = store(found.contents, chosen.path, finish=finish, part=part, put=put)
    problems = [*found.unread, *account_problems(stored.meta)]
    result = {**stored_summary(stored), **found.to_dict()}
    if args.json:
        print_json("recover", result)
        return problems
    print(sentence(result))
    tensors = None if part is not None else dump.beside(stored)
    lines = [
        *([] if tensors is None else [dump.sentence(*tensors)]),
        *filter(None, [chosen.note]),
        f"{found.buffers:,} buffers, {found.leftover_buffers:,} of them from the region; "
        f"{directory} was left as it is",
        *(f"  {problem}" for problem in found.problems),
    ]
    print("\n".join(map(printable, lines)))
    return problems


def _part_ending(found: CaptureRead) -> str:
    """What follows the name of a part of a recording that was cut: .0003."""
    return "" if found.before is None else f".{found.before.stored + 1:04d}"


def _chosen(args: argparse.Namespace, name: str, ending: str) -> writing.Chosen[Path]:
    """Where the trace goes; `ending` is what the name has beyond that of the run."""
    output = args.output or args.directory.parent
    if output.suffix == ".lanes" and ending:
        stem = output.stem + ending
        return writing.free_name(output.parent, stem, args, endings=(".lanes",))
    return writing.new_trace(name, output, args)

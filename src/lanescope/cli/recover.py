"""`lanescope recover`: a trace from what a killed run left behind."""

from __future__ import annotations

import argparse
from pathlib import Path

from lanescope.cli.options import places, source

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
    source.configure_part(parser.add_argument_group("only a part of the capture"))


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope recover`; returns the exit code."""
    from lanescope.capture.directory import process_directories, process_suffixes
    from lanescope.errors import LanescopeError

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

    from lanescope.capture.parts import part_path
    from lanescope.capture.rebuild import read_idle, recovery_notes, store
    from lanescope.render.names import printable
    from lanescope.render.progress import working
    from lanescope.reports.summary import account_problems, sentence, stored_summary, trace_path
    from lanescope.trace import Meta
    from lanescope.trace.part import part_of

    with working("recovering"):
        found = read_idle(directory)
        name = found.contents.name
        target = trace_path(name, args.output or args.directory.parent)
        if found.before is None:
            target = target.with_stem(target.stem + suffix)
        else:
            target = part_path(target, suffix, found.before.stored + 1)

        def finish(meta: Meta) -> Meta:
            notes = meta.notes + recovery_notes(found)
            own = f"{name}{suffix}" if found.before is None else target.stem
            return msgspec.structs.replace(meta, name=own, notes=notes)

        part = part_of(since=args.since, until=args.until, core=args.core)
        stored = store(found.contents, target, finish=finish, part=part)
    result = {**stored_summary(stored), **found.to_dict()}
    if args.json:
        print(msgspec.json.encode(result).decode())
        return account_problems(stored.meta)
    print(sentence(result))
    lines = [
        f"{found.buffers:,} buffers, {found.leftover_buffers:,} of them from the region; "
        f"{directory} was left as it is",
        *(f"  {problem}" for problem in found.problems),
    ]
    print("\n".join(map(printable, lines)))
    return account_problems(stored.meta)

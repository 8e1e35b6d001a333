"""`lanescope collect`: run a program with lanescope's header in it, and store what it records."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import places, recording, writing

if TYPE_CHECKING:
    from lanescope.capture.collect import ProcessCapture

HELP = "run your own instrumented program and record it"
EXAMPLE = "lanescope collect --chip-swimlane=2 -o traces -- ./my_runtime --its options"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope collect`."""
    recording.configure_level(parser)
    parser.add_argument("--on-full", choices=("block", "drop"), default="block")
    parser.add_argument("--name", help="name of the trace (default: the program's)")
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        default=Path(),
        help="directory for the trace, or NAME.lanes (default: here); where several processes "
        "record, each has a trace, NAME-PROCESS.lanes",
    )
    writing.configure(parser)
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="-- PROGRAM …", help="what to run"
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope collect`; returns the exit code."""
    from lanescope.capture import SessionNote
    from lanescope.capture.collect import collect
    from lanescope.capture.directory import process_directories
    from lanescope.device.flags import level_features
    from lanescope.errors import LanescopeError, UsageError

    command = args.program[1:] if args.program[:1] == ["--"] else args.program
    flags = level_features(args.chip_swimlane)
    if not command:
        raise UsageError(f"expected a program to run after --, as in: {EXAMPLE}")
    if not flags:
        raise UsageError("level 0 records nothing; start the program by itself instead")
    name = args.name or Path(command[0]).stem
    chosen = writing.new_trace(name, args.output, args)
    target = chosen.path
    directory = recording.capture_path(target)
    done = collect(
        command,
        directory=directory,
        flags=flags,
        on_full=args.on_full,
        note=SessionNote(name),
    )
    problems = list(done.refused)
    for process in done.processes:
        if process.suffix:
            stem = target.stem + process.suffix
            chosen = writing.free_name(target.parent, stem, args, endings=(".lanes",))
        try:
            result, wrong = _store(process, chosen, args)
        except LanescopeError as error:  # the others may still be stored
            problems.append(str(error))
            continue
        problems += wrong
        _tell({**result, "exit_code": done.exit_code}, chosen.note, args)
    if not done.refused and not process_directories(directory):
        recording.remove_capture(directory)
    if done.exit_code:
        how = f"exit code {done.exit_code}" if done.exit_code > 0 else f"signal {-done.exit_code}"
        where = target if len(done.processes) == 1 else target.parent
        problems.append(f"{command[0]} ended with {how}; what it recorded is in {where}")
    if problems:
        raise LanescopeError("; ".join(problems))
    return 0


def _tell(result: dict[str, Any], note: str, args: argparse.Namespace) -> None:
    """Print what was stored."""
    from lanescope.reports.summary import sentence

    if args.json:
        import msgspec

        print(msgspec.json.encode(result).decode())
    else:
        print("\n".join(filter(None, [sentence(result), note])))


def _store(
    process: ProcessCapture, chosen: writing.Chosen[Path], args: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """Save the trace of a process; return its summary, and what went wrong, a sentence each.

    Its capture is removed where every record is accounted for.
    """
    from lanescope.reports.summary import account_problems, summary

    trace = process.reconcile()
    recording.save_or_keep(trace, chosen, args, directory=process.directory)
    problems = account_problems(trace)
    if problems:
        problems.append(f"the capture is kept in {process.directory}")
    else:
        recording.remove_capture(process.directory)
    if process.session.error is not None:
        problems.append(f"capturing stopped early: {process.session.error}")
    return summary(trace, chosen.path), problems

"""`lanescope collect`: run a program with lanescope's header in it, and store what it records."""

from __future__ import annotations

import argparse
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli import agent, stored
from lanescope.cli.options import asking, live, places, recording, sizes, writing
from lanescope.render.names import file_name

if TYPE_CHECKING:
    from lanescope.capture.collect import CollectedRun
    from lanescope.capture.rotation import Rotation

HELP = "run your own instrumented program and record it"
EXAMPLE = "lanescope collect --chip-swimlane=2 -o traces -- ./my_runtime --its options"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope collect`."""
    recording.configure_level(parser)
    parser.add_argument("--on-full", choices=("block", "drop"), default="block")
    parser.add_argument(
        "--rotate",
        type=sizes.seconds_or_size,
        metavar="TIME|SIZE",
        help="cut the recording into traces of this length (10min) or of so many bytes of records "
        "(2GB): NAME.0001.lanes, NAME.0002.lanes, …; each is stored while the next is recorded",
    )
    parser.add_argument(
        "--quota",
        type=sizes.size,
        metavar="SIZE",
        help="with --rotate: delete the oldest traces of a process when all of them take more",
    )
    parser.add_argument(
        "--time-limit",
        type=sizes.seconds,
        metavar="TIME",
        help="how long the program may take (90s, 10min); then it is asked to end, 5 s later it is "
        "killed, and what it recorded is stored (exit code 1)",
    )
    parser.add_argument(
        "--connect",
        metavar="HOST:PORT",
        help="collect from the program of a 'lanescope agent', instead of starting one",
    )
    agent.configure_token(parser)
    parser.add_argument("--name", help="name of the trace (default: the program's)")
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        default=Path(),
        help="directory for the trace, or NAME.lanes (default: here); where several processes "
        "record, each has a trace, NAME-PROCESS.lanes",
    )
    parser.add_argument(
        "--one-trace",
        action="store_true",
        help="where several processes record: one trace of all, in which each is a rank, instead "
        "of a trace each; it is made in memory",
    )
    live.configure(parser)
    writing.configure(parser)
    asking.configure(parser)
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="-- PROGRAM …", help="what to run"
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope collect`; returns the exit code."""
    from lanescope.errors import UsageError

    command = args.program[1:] if args.program[:1] == ["--"] else args.program
    if args.connect is not None:
        return _run_connected(args, command)
    if args.token_file is not None:
        raise UsageError("--token-file is for --connect, which collects from an agent")
    if not command:
        raise UsageError(f"expected a program to run after --, as in: {EXAMPLE}")
    if not asking.call_of(args, Path(command[0])).flags:
        raise UsageError("level 0 records nothing; start the program by itself instead")
    if args.quota is not None and args.rotate is None:
        raise UsageError("--quota deletes parts of a recording; cut it into parts with --rotate")
    if args.one_trace and (args.rotate is not None or args.dump_tensors is not None):
        raise UsageError("--one-trace takes no --rotate and no --dump-tensors")
    name = args.name or Path(command[0]).stem
    parts = () if args.rotate is None else _part_endings(name, args.output)
    dumps = () if args.dump_tensors is None else (".tensors",)
    chosen = writing.new_trace(name, args.output, args, beside=(*parts, *dumps))
    directory = recording.capture_path(chosen.path)
    with live.viewing(args, directory, name) as view:
        _collect(command, chosen, args, name=name, view=view)
        view.stay()
    return 0


def _collect(
    command: list[str],
    chosen: writing.Chosen[Path],
    args: argparse.Namespace,
    *,
    name: str,
    view: live.Viewing,
) -> None:
    """Run the program, and store and tell what it records.

    Raises:
        LanescopeError: something went wrong; what was recorded is stored all the same.
    """
    from lanescope.capture.collect import collect
    from lanescope.capture.directory import process_directories, session_note
    from lanescope.errors import LanescopeError

    target = chosen.path
    call = asking.call_of(args, target)
    directory = recording.capture_path(target)
    done = collect(
        command,
        directory=directory,
        call=call,
        note=session_note(name, call, asking.chip_name(args)),
        rotation=_rotation(args, target),
        plan=asking.plan_of(args, name),
        time_limit_s=args.time_limit,
    )
    problems = _joined(done, args.deps)
    together = args.one_trace and len(done.processes) > 1
    store = stored.store_together if together else stored.store_all
    wrong, traces = store(done, chosen, args, call)
    problems += wrong
    whole = together or (len(done.processes) == 1 and args.rotate is None)
    where = target if whole else target.parent.absolute()
    view.stored(traces if args.rotate is None else [], where)
    if not done.refused and not process_directories(directory):
        recording.remove_capture(directory)
    if done.timed_out:
        problems.append(
            f"{command[0]} was asked to end after its time limit of {args.time_limit:g} s; what it "
            f"recorded is in {where}"
        )
    elif done.exit_code:
        how = f"exit code {done.exit_code}" if done.exit_code > 0 else f"signal {-done.exit_code}"
        problems.append(f"{command[0]} ended with {how}; what it recorded is in {where}")
    if problems:
        raise LanescopeError("; ".join(problems))


def _run_connected(args: argparse.Namespace, command: list[str]) -> int:
    """Collect from an agent, and store what its program recorded."""
    from lanescope.cli.connected import collected
    from lanescope.errors import LanescopeError, UsageError

    beside = (args.rotate, args.quota, args.time_limit)
    if command or any(option is not None for option in beside) or args.view or args.one_trace:
        raise UsageError(
            "--connect takes no program, no --rotate, no --quota, no --time-limit, no --one-trace "
            "and no --view"
        )
    asking.refuse_beside(args, "--connect")
    name = args.name or "agent"
    chosen = writing.new_trace(name, args.output, args)
    process = collected(args, recording.capture_path(chosen.path), name)
    results, problems = stored.store(process, chosen, args)
    for trace in results:
        stored.tell(trace, [chosen.note, process.unfinished], {}, args)
    if problems:
        raise LanescopeError("; ".join(problems))
    return 130 if process.unfinished else 0


def _joined(done: CollectedRun, deps: Path | None) -> list[str]:
    """Add the edges of a file to the capture; return why that could not be done."""
    from lanescope.errors import LanescopeError
    from lanescope.facade.deps import join_deps

    try:
        if deps is not None:
            join_deps(done, deps)
    except LanescopeError as error:
        return [str(error)]
    return []


def _part_endings(name: str, output: Path) -> tuple[str, ...]:
    """What may follow the name of the traces of a recording that is cut into parts.

    Parts of an earlier one may be there, also without the first.
    """
    named = output.suffix == ".lanes"
    folder, stem = (output.parent, output.stem) if named else (output, file_name(name))
    there = folder.glob(f"{escape(stem)}.*.lanes") if folder.is_dir() else ()
    endings = (path.name.removeprefix(stem) for path in there)
    return (".0001.lanes", *(one for one in endings if one[1:-6].isdecimal()))


def _rotation(args: argparse.Namespace, target: Path) -> Rotation | None:
    from lanescope.capture.rotation import Rotation

    if args.rotate is None:
        return None
    seconds, size = args.rotate
    return Rotation(target.absolute(), seconds, size, args.quota)

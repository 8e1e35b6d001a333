"""Stores what a collected program recorded, a trace per process or one of all, and tells it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import asking, dump, recording, writing
from lanescope.cli.printing import print_json

if TYPE_CHECKING:
    from lanescope.capture.collect import CollectedRun, ProcessCapture
    from lanescope.device.call_config import CallConfig
    from lanescope.trace.store import StoredTrace


def store_all(
    done: CollectedRun,
    chosen: writing.Chosen[Path],
    args: argparse.Namespace,
    call: CallConfig,
) -> tuple[list[str], list[Path]]:
    """Save and tell the traces of all processes.

    Returns what went wrong, a sentence each, and where the traces are.
    """
    from lanescope.errors import LanescopeError

    target = chosen.path
    problems, stored = list(done.refused), list[Path]()
    for process in done.processes:
        if process.suffix and args.rotate is None:
            stem = target.stem + process.suffix
            chosen = writing.free_name(target.parent, stem, args, endings=(".lanes",))
        try:
            results, wrong = store(process, chosen, args)
        except LanescopeError as error:  # the others may still be stored
            problems.append(str(error))
            continue
        problems += wrong
        for trace in results:
            notes = [chosen.note, *asking.unanswered(trace.meta, call)]
            ended = {"exit_code": done.exit_code, "timed_out": done.timed_out}
            tell(trace, notes, ended, args)
            stored.append(trace.path)
    return problems, stored


def store_together(
    done: CollectedRun,
    chosen: writing.Chosen[Path],
    args: argparse.Namespace,
    call: CallConfig,
) -> tuple[list[str], list[Path]]:
    """Save and tell one trace of all processes.

    Returns what went wrong, a sentence each, and where the trace is.
    """
    from lanescope.capture.directory import kept
    from lanescope.capture.one_trace import one_trace
    from lanescope.reports.summary import account_problems
    from lanescope.trace.store import save_by, stored_trace

    directory = recording.capture_path(chosen.path)
    with recording.keeping(directory):
        name = chosen.path.stem if args.name is None else args.name
        trace = one_trace(name, [process.reconcile() for process in done.processes])
        save_by(trace, chosen.path, writing.put_of(args))
    problems = [*done.refused, *account_problems(trace.meta)]
    if problems:
        problems.append(kept(directory))
    else:
        for process in done.processes:
            recording.remove_capture(process.directory)
    problems += [problem for process in done.processes for problem in _stopped_early(process)]
    notes = [chosen.note, *asking.unanswered(trace.meta, call)]
    ended = {"exit_code": done.exit_code, "timed_out": done.timed_out}
    tell(stored_trace(trace, chosen.path), notes, ended, args)
    return problems, [chosen.path]


def store(
    process: ProcessCapture, chosen: writing.Chosen[Path], args: argparse.Namespace
) -> tuple[list[StoredTrace], list[str]]:
    """Save the traces of a process; return them, and what went wrong, a sentence each.

    Its capture is removed where every record is accounted for. Parts that were deleted to stay
    within a quota are left out; the traces that follow say so.
    """
    from lanescope.capture.directory import kept
    from lanescope.reports.summary import account_problems

    rotator = process.rotator
    with recording.keeping(process.directory):
        put = writing.put_of(args)
        traces = [process.store(chosen.path, put)] if rotator is None else process.parts()
    problems = [problem for trace in traces for problem in account_problems(trace.meta)]
    problems += rotator.problems if rotator is not None else []
    if problems:
        problems.append(kept(process.directory))
    else:
        recording.remove_capture(process.directory)
    problems += _stopped_early(process)
    return [trace for trace in traces if trace.path.is_dir()], problems


def _stopped_early(process: ProcessCapture) -> list[str]:
    error = process.session.error
    return [] if error is None else [f"capturing stopped early: {error}"]


def tell(
    trace: StoredTrace, notes: list[str], more: dict[str, Any], args: argparse.Namespace
) -> None:
    """Print what was stored."""
    from lanescope.reports.summary import sentence, stored_summary

    result = {**stored_summary(trace), **more}
    tensors = dump.beside(trace)
    if args.json:
        told = {} if tensors is None else {"tensors": tensors[1], "tensors_folder": tensors[0]}
        print_json("collect", {**result, **told})
        return
    dumped = "" if tensors is None else dump.sentence(*tensors)
    print("\n".join(filter(None, [sentence(result), dumped, *notes])))

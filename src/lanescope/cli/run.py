"""`lanescope run`: run a workload, record it, store the trace."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import budget, dump, live, places, quiet, recording, rounds, writing

if TYPE_CHECKING:
    from lanescope.platforms.outcome import RunOutcome
    from lanescope.platforms.request import RunRequest
    from lanescope.trace import Trace
    from lanescope.workloads.graph import TaskGraph

HELP = "run a workload and record what every core did"
EXAMPLE = "lanescope run matmul_add --platform a5 --core-swimlane -o traces"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope run`."""
    recording.configure_workload(parser)
    recording.configure_level(parser)
    recording.configure_pmu(parser)
    recording.configure_core_swimlane(parser)
    recording.configure_buffers(parser)
    dump.configure(parser)
    budget.configure(parser)
    rounds.configure(parser)
    parser.add_argument(
        "--protocol",
        choices=recording.PROTOCOLS,
        default="producer-rotated",
        help="who moves a core's records (default: producer-rotated)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        default=Path(),
        help="directory for the trace and the Perfetto file, or NAME.lanes (default: here)",
    )
    parser.add_argument(
        "--no-perfetto", action="store_true", help="write no NAME.perfetto-trace beside the trace"
    )
    live.configure(parser)
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope run`; returns the exit code."""
    from lanescope.device.flags import read_level
    from lanescope.platforms.request import RunRequest

    level = read_level(args.chip_swimlane)
    _check_view(args, level)
    graph = recording.graph_of(args)
    chosen = writing.new_trace(graph.name, args.output, args, beside=_beside(args))
    target = chosen.path
    directory = recording.capture_path(target)
    request = RunRequest(
        machine=recording.machine_of(args),
        recording=recording.recording_of(
            args,
            level=level,
            protocol=args.protocol,
            pmu=args.pmu,
            core_source=_core_source(args),
        ),
        dump=dump.request_of(args, target),
        budget=args.budget,
        seed=args.seed,
        rounds=args.rounds,
    )
    with live.viewing(args, directory, graph.name) as view:
        outcome = _record(graph, request, chosen, args)
        if outcome.trace is not None:
            view.stored([target], target)
        _raise_problem(outcome, outcome.capture or directory)
        if not outcome.interrupted:
            view.stay()
    return 130 if outcome.interrupted else 0


def _check_view(args: argparse.Namespace, level: int) -> None:
    """Refuse a page of what is not recorded, or of what only the GPU's own folder holds."""
    from lanescope.errors import UsageError

    if args.view and level == 0:
        raise UsageError("level 0 records nothing that --view could show; leave out --view")
    if args.view and args.platform == "cuda":
        raise UsageError(
            "--view does not show a run on a GPU while it goes on; leave out --view, and look at "
            "its trace with 'lanescope view'"
        )


def _record(
    graph: TaskGraph, request: RunRequest, chosen: writing.Chosen[Path], args: argparse.Namespace
) -> RunOutcome:
    """Run, store and say what came of it."""
    from lanescope.platforms.run import run_request
    from lanescope.render.progress import working
    from lanescope.reports.summary import account_problems

    target = chosen.path
    directory = recording.capture_path(target)
    with working(f"running {graph.name}"):
        outcome = run_request(graph, request, directory=directory)
        result = outcome.to_dict()
        if request.dump is not None:
            result["tensors_folder"] = str(request.dump.folder)
        if outcome.trace is not None:
            capture = outcome.capture or directory
            recording.save_or_keep(outcome.trace, chosen, args, directory=capture)
            if not account_problems(outcome.trace.meta):
                recording.remove_capture(capture)
            result |= _stored(outcome.trace, target, perfetto=not args.no_perfetto)
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("run", result)
    else:
        if chosen.note:
            print(chosen.note)
        _show(graph.name, outcome, result, with_report=not args.quiet)
    return outcome


def _core_source(args: argparse.Namespace) -> str | None:
    """Where the core swimlane comes from; None without one."""
    from lanescope.errors import UsageError

    if args.core_source is not None and not args.core_swimlane:
        raise UsageError("--core-source says where --core-swimlane comes from; add --core-swimlane")
    return (args.core_source or "perfmon") if args.core_swimlane else None


def _beside(args: argparse.Namespace) -> list[str]:
    """Endings of what is written beside the trace."""
    dumps = [".tensors"] if args.dump_tensors is not None else []
    return dumps if args.no_perfetto else [".perfetto-trace", *dumps]


def _raise_problem(outcome: RunOutcome, capture: Path) -> None:
    """Refuse a run whose records, dump or values are not what they should be."""
    from lanescope.capture.directory import kept
    from lanescope.errors import LanescopeError, OutputError
    from lanescope.reports.summary import account_problems

    problems = account_problems(outcome.trace.meta) if outcome.trace is not None else []
    if problems:
        raise LanescopeError(f"{'; '.join(problems)}; {kept(capture)}")
    if outcome.tensors is not None and outcome.tensors.problem:
        raise OutputError(outcome.tensors.problem)
    if outcome.check is not None and outcome.check.problem:
        raise LanescopeError(outcome.check.problem)


def _stored(trace: Trace, target: Path, *, perfetto: bool) -> dict[str, Any]:
    """The summary of a stored trace, beside which a timeline for Perfetto is written."""
    from lanescope.analyze.graph.highlight import critical_lanes
    from lanescope.formats import export
    from lanescope.reports.summary import summary

    result = {**summary(trace, target), "perfetto": None}
    if perfetto:
        picture = target.with_suffix(".perfetto-trace")
        export(trace, picture, to="perfetto", highlight=critical_lanes)
        result["perfetto"] = str(picture)
    return result


def _show(name: str, outcome: RunOutcome, result: dict[str, Any], *, with_report: bool) -> None:
    if outcome.budget is not None:
        print(budget.choice_text(outcome.budget.choice))
    _show_run(name, outcome, result, with_report=with_report)
    if outcome.budget is not None:
        print(budget.outcome_text(outcome.budget))


def _show_run(name: str, outcome: RunOutcome, result: dict[str, Any], *, with_report: bool) -> None:
    from lanescope.cli.report import show
    from lanescope.reports.summary import sentence

    if not with_report or outcome.trace is None:
        print(_ran(name, outcome))
    if outcome.rounds is not None:
        print(rounds.sentence(outcome.rounds))
    if outcome.check is not None and not outcome.check.problem:
        print(outcome.check.sentence)
    if outcome.tensors is not None:
        print(dump.sentence(result["tensors_folder"], outcome.tensors))
    if outcome.trace is None:
        return
    print(sentence(result))
    if result["perfetto"]:
        print(f"{result['perfetto']}  open it at https://ui.perfetto.dev")
    if with_report:
        print()
        show(outcome.trace, result["trace"])


def _ran(name: str, outcome: RunOutcome) -> str:
    from lanescope.render.cells import many_text

    ending = ""
    if outcome.orchestrator_ns is not None:
        ending = f" of simulated time (orchestrator {outcome.orchestrator_ns / 1e6:,.3f} ms)"
    elif outcome.scheduler_ns is not None:
        ending = " of simulated time (graph built by the host)"
    if outcome.interrupted:
        ending += ", interrupted"
    return (
        f"{name}: {many_text(outcome.tasks_done, 'task')} on "
        f"{many_text(len(outcome.tasks_per_core), 'core')} in "
        f"{outcome.makespan_ns / 1e6:,.3f} ms{ending}"
    )

"""`lanescope what-if`: replay a recorded run with something changed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet, source, writing

if TYPE_CHECKING:
    from lanescope.replay.what_if import WhatIf
    from lanescope.trace import Trace

HELP = "replay a recorded run with other lengths, cores, costs, edges or recording buffers"
EXAMPLE = "lanescope what-if run.lanes --scale QK=0.5 --cores aiv=64 --dispatch-cost 0"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope what-if`."""
    parser.add_argument("trace", metavar="TRACE", help=places.TRACE_HELP)
    parser.add_argument(
        "--scale", action="append", default=[], type=_scale, metavar="FUNCTION=X",
        help="runs of this function take X times as long; repeat",
    )  # fmt: skip
    parser.add_argument(
        "--cores", action="append", default=[], type=_cores, metavar="KIND=N",
        help="so many cores of a kind; repeat",
    )  # fmt: skip
    parser.add_argument(
        "--run", type=source.runs, metavar="N", help="which run, of a trace that holds several"
    )
    parser.add_argument("--schedulers", type=int, metavar="N", help="so many scheduler threads")
    parser.add_argument(
        "--pre-dispatch", type=int, metavar="N",
        help="so many tasks that a core holds beside the one it runs",
    )  # fmt: skip
    parser.add_argument(
        "--dispatch-cost", type=float, metavar="NS",
        help="ns that a scheduler takes to give a task to a core",
    )  # fmt: skip
    parser.add_argument(
        "--submit-scale", type=float, metavar="X",
        help="the orchestrator takes X times as long per submit",
    )  # fmt: skip
    parser.add_argument(
        "--drop-edge", action="append", default=[], metavar="A:B",
        help="without the edges from A to B, each a task id or a function, or 'implied' for all "
        "that follow from others; repeat",
    )  # fmt: skip
    parser.add_argument(
        "--buffers", type=_buffers, metavar="N[xRECORDS]",
        help="N recording buffers per producer, of RECORDS each or as large as they were",
    )  # fmt: skip
    parser.add_argument(
        "--without-preemption", action="store_true",
        help="leave out what threads waited while they were off the processor",
    )  # fmt: skip
    parser.add_argument(
        "--rank", action="store_true",
        help="try usual changes: functions at -10 %%, one more of every resource, another "
        "pre-dispatch, fewer edges, more buffers; in classes, best first",
    )  # fmt: skip
    parser.add_argument(
        "--anyway", action="store_true",
        help="predict also where the unchanged replay is more than 10 %% off",
    )  # fmt: skip
    parser.add_argument(
        "-o",
        "--output",
        metavar="NAME.lanes",
        help="store the changed replay as a trace; a path or a URL",
    )
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope what-if`; returns the exit code."""
    from lanescope.facade.replays import what_if
    from lanescope.render.progress import working

    writing.check_force(args, args.output, "-o NAME.lanes")
    with working("replaying"):
        trace = source.whole_trace(args.trace).select(run=args.run)
        answer = what_if(
            trace,
            scale=dict(args.scale),
            cores=dict(args.cores),
            schedulers=args.schedulers,
            pre_dispatch=args.pre_dispatch,
            dispatch_cost=args.dispatch_cost,
            submit_scale=args.submit_scale,
            drop_edge=args.drop_edge,
            buffers=args.buffers,
            without_preemption=args.without_preemption,
            rank=args.rank,
            anyway=args.anyway,
            output=args.output,
        )
    _print(args, trace, answer)
    return 1 if answer.refused else 0


def _print(args: argparse.Namespace, trace: Trace, answer: WhatIf) -> None:
    from lanescope.trace.places import place_of

    stored = str(place_of(args.output)) if args.output is not None and not answer.refused else None
    if args.json:
        from lanescope.cli.printing import print_json

        print_json("what-if", {**answer.to_dict(), "trace": stored})
        return
    from lanescope.replay.what_if_text import what_if_text

    if not args.quiet or answer.refused:
        print(what_if_text(trace.meta.name, answer), end="")
    if stored:
        print(f"\n{stored}  the changed replay, level 2")


def _scale(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        factor = float(value)
    except ValueError:
        factor = -1.0
    if not equals or not name or not 0 <= factor < float("inf"):
        raise argparse.ArgumentTypeError(f"expected FUNCTION=X with X of 0 or more, found {text!r}")
    return name, factor


def _buffers(text: str) -> tuple[int, int | None]:
    count, times, records = text.partition("x")
    if not count.isdigit() or bool(times) != records.isdigit():
        raise argparse.ArgumentTypeError(f"expected N or NxRECORDS, found {text!r}")
    return int(count), int(records) if records else None


def _cores(text: str) -> tuple[str, int]:
    kind, equals, value = text.rpartition("=")
    if not equals or not kind or not value.isdigit():
        raise argparse.ArgumentTypeError(f"expected KIND=N, found {text!r}")
    return kind, int(value)

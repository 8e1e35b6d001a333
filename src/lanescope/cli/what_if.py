"""`lanescope what-if`: replay a recorded run with something changed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import source
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.replay.changes import Change
    from lanescope.replay.replica import Replayed, Replica
    from lanescope.replay.what_if import WhatIf
    from lanescope.trace import Trace

HELP = "replay a recorded run with other lengths, cores, costs, edges or recording buffers"
EXAMPLE = "lanescope what-if run.lanes --scale QK=0.5 --cores aiv=64 --dispatch-cost 0"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace", type=Path, metavar="TRACE", help="NAME.lanes, or a run's own files"
    )
    parser.add_argument(
        "--scale", action="append", default=[], type=_scale, metavar="FUNCTION=X",
        help="runs of this function take X times as long; repeat",
    )  # fmt: skip
    parser.add_argument(
        "--cores", action="append", default=[], type=_cores, metavar="KIND=N",
        help="so many cores of a kind; repeat",
    )  # fmt: skip
    parser.add_argument("--schedulers", type=int, metavar="N", help="so many scheduler threads")
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
        help="without the edges from A to B, each a task id or a function; repeat",
    )  # fmt: skip
    parser.add_argument(
        "--buffers", type=_buffers, metavar="N[xRECORDS]",
        help="N recording buffers per producer, of RECORDS each or as large as they were",
    )  # fmt: skip
    parser.add_argument(
        "--rank", action="store_true",
        help="try every function at -10 %% and one more of every resource, best first",
    )  # fmt: skip
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="NAME.lanes",
        help="store the changed replay as a trace",
    )


def run(args: argparse.Namespace) -> int:
    from lanescope.render.progress import working
    from lanescope.replay.changes import rank_changes
    from lanescope.replay.replica import replay, replica_of
    from lanescope.replay.what_if import best_first, what_if

    _check(args)
    with working("replaying"):
        replica = replica_of(source.whole_trace(args.trace))
        changes = _changes(args, replica)
        together = _together(changes)
        asked = [together] if changes else []
        answer = what_if(replica, [*asked, *(rank_changes(replica) if args.rank else [])])
        if args.rank:
            answer = best_first(answer)
        stored = None
        if args.output is not None:
            changed = together.apply(replica)
            stored = _store(changed, replay(changed), args.output, note=_note(together, answer))
    _print(args, replica.trace, answer, stored)
    return 0


def _check(args: argparse.Namespace) -> None:
    if args.output is not None and args.output.suffix != ".lanes":
        raise UsageError(f"expected -o NAME.lanes, found {args.output}")
    for name in ("dispatch_cost", "submit_scale"):
        value = getattr(args, name)
        if value is not None and not 0 <= value < float("inf"):
            raise UsageError(f"expected --{name.replace('_', '-')} of 0 or more, found {value}")


def _changes(args: argparse.Namespace, replica: Replica) -> list[Change]:
    """What was asked for, to be applied one after the other."""
    from functools import partial

    from lanescope.replay import changes as ways

    changes: list[Change] = []

    def add(name: str, way: Any, **values: Any) -> None:
        changes.append(ways.Change(name, partial(way, **values)))

    for name, factor in args.scale:
        add(f"{name} x{factor:g}", ways.scale_function, func=_function(replica.trace, name),
            factor=factor)  # fmt: skip
    for kind, count in args.cores:
        add(f"{kind}={count}", ways.set_cores, kind=kind, count=count)
    if args.schedulers is not None:
        add(f"{args.schedulers} schedulers", ways.set_schedulers, count=args.schedulers)
    if args.dispatch_cost is not None:
        add(f"dispatch cost {args.dispatch_cost:g} ns", ways.set_dispatch_cost,
            ns=args.dispatch_cost)  # fmt: skip
    if args.submit_scale is not None:
        add(f"submits x{args.submit_scale:g}", ways.scale_submits, factor=args.submit_scale)
    if args.buffers is not None:
        count, records = args.buffers
        name = f"{count} buffers" + (f" of {records} records" if records else "")
        add(name, ways.set_buffers, count=count, records=records)
    for text in args.drop_edge:
        pred, colon, succ = text.partition(":")
        if not colon:
            raise UsageError(f"expected --drop-edge A:B, found {text!r}")
        ends = {"pred": _nodes(replica, pred), "succ": _nodes(replica, succ)}
        add(f"without {text}", ways.drop_edges, **ends)
    return changes


def _together(changes: list[Change]) -> Change:
    """All of them as one change; none of them is the unchanged run."""
    from lanescope.replay.changes import Change

    def apply(replica: Replica) -> Replica:
        for one in changes:
            replica = one.apply(replica)
        return replica

    return Change(", ".join(one.name for one in changes) or "unchanged", apply)


def _function(trace: Trace, name: str) -> int:
    names = trace.text("functions", "name")
    for func, known in zip(trace.functions["func"].tolist(), names, strict=True):
        if name in (known, str(func)):
            return int(func)
    raise UsageError(f"expected a function of the trace ({', '.join(names[:8])}), found {name!r}")


def _nodes(replica: Replica, text: str) -> Any:
    """Nodes of a task id, or of a function."""
    import numpy as np

    ids = replica.nodes.ids
    if text.isdigit() and (ids == int(text)).any():
        return np.flatnonzero(ids == int(text))
    func = _function(replica.trace, text)
    rows = np.flatnonzero(replica.trace.tasks["func"] == func)
    return np.unique(replica.nodes.of_row[rows])


def _store(changed: Replica, replayed: Replayed, target: Path, *, note: str) -> str:
    from lanescope.replay.replayed_trace import replayed_trace
    from lanescope.trace import save

    save(replayed_trace(changed, replayed, name=target.stem, note=note), target)
    return str(target)


def _note(change: Change, answer: WhatIf) -> str:
    return (
        f"A replay ({change.name}), not a recording; the unchanged replay is "
        f"{100 * answer.honesty:+.2f} % off the recorded makespan."
    )


def _print(args: argparse.Namespace, trace: Trace, answer: WhatIf, stored: str | None) -> None:
    if args.json:
        import msgspec

        print(msgspec.json.encode({**answer.to_dict(), "trace": stored}).decode())
        return
    from lanescope.replay.what_if_text import what_if_text

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

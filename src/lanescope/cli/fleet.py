"""`lanescope fleet`: many traces through an index of their measures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from lanescope.cli.options import quiet, writing
from lanescope.cli.printing import print_json
from lanescope.errors import UsageError

HELP = "index many traces; report, query, outliers, trend and diff of what is in the index"
EXAMPLE = "lanescope fleet index runs/ -o fleet/ --label commit=abc"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of `lanescope fleet`, each with its options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (run_action, told, example, arguments) in _ACTIONS.items():
        action = actions.add_parser(
            name,
            help=told,
            description=told[0].upper() + told[1:] + ".",
            epilog=f"example:\n  lanescope fleet {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        arguments(action)
        action.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS,
            help="print machine-readable JSON",
        )  # fmt: skip
        action.set_defaults(run_action=run_action)


def run(args: argparse.Namespace) -> int:
    """Runs the action; returns the exit code."""
    code: int = args.run_action(args)
    return code


def _index_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("root", metavar="FOLDER", help="folder or URL with *.lanes and *.job in it")
    parser.add_argument("-o", "--output", required=True, metavar="FLEET", help="the index")
    parser.add_argument(
        "--label", action="append", default=[], metavar="KEY=VALUE",
        help="a label of all these traces, such as commit=abc or date=2026-11-16; repeat",
    )  # fmt: skip
    parser.add_argument(
        "--cluster", metavar="CLUSTER",
        help="a Dask cluster: tcp://HOST:PORT of a scheduler, local, slurm or k8s",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=int, metavar="N",
        help="processes or workers of the cluster; 0 works in this process (default: one per core)",
    )  # fmt: skip
    quiet.configure(parser)


def _index(args: argparse.Namespace) -> int:
    from lanescope.fleet.choosing import condition
    from lanescope.fleet.indexing import index_fleet
    from lanescope.fleet.parts import FleetFolder
    from lanescope.trace.places import local_path

    if args.workers is not None and args.workers < 0:
        raise UsageError(f"expected --workers of 0 or more, found {args.workers}")
    writing.check_output(local_path(args.output))
    labels = dict(condition(text) for text in args.label)
    try:
        indexed = index_fleet(
            args.root, args.output, labels=labels, cluster=args.cluster, workers=args.workers
        )
    except KeyboardInterrupt:
        count = len(FleetFolder(args.output).traces())
        print(
            f"lanescope: interrupted; {count:,} traces are in {args.output}, and the same command "
            "goes on from there",
            file=sys.stderr,
        )
        return 130
    if args.json or indexed.failures or not args.quiet:
        _print(args, indexed)
    return 1 if indexed.failures else 0


def _peers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by", action="append", metavar="KEY",
        help="compare traces that have the same value here, a column or a label; repeat "
        "(default: workload and chip)",
    )  # fmt: skip


def _chosen(parser: argparse.ArgumentParser) -> None:
    _peers(parser)
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="only these; repeat",
    )


def _fleet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fleet", metavar="FLEET", help="the index")


def _report_arguments(parser: argparse.ArgumentParser) -> None:
    _fleet(parser)
    _peers(parser)


def _report(args: argparse.Namespace) -> int:
    _print(args, _opened(args).report(**_by(args)))
    return 0


def _query_arguments(parser: argparse.ArgumentParser) -> None:
    _fleet(parser)
    parser.add_argument("sql", metavar="SQL", help="a query of the tables traces and measures")


def _query(args: argparse.Namespace) -> int:
    table = _opened(args).query(args.sql)
    if args.json:
        print_json("fleet-query", table.to_pylist())
    else:
        from lanescope.fleet.pages import table_text

        sys.stdout.write(table_text(table))
    return 0


def _outliers_arguments(parser: argparse.ArgumentParser) -> None:
    _fleet(parser)
    _chosen(parser)


def _outliers(args: argparse.Namespace) -> int:
    _print(args, _opened(args).outliers(where=args.where, **_by(args)))
    return 0


def _trend_arguments(parser: argparse.ArgumentParser) -> None:
    _fleet(parser)
    parser.add_argument("measure", metavar="MEASURE", help="NAME or GROUP/NAME, such as makespan")
    parser.add_argument(
        "--order", choices=("date", "commit"), default="date", help="one point per trace or commit"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw it into this SVG file, too")
    writing.configure(parser)
    _chosen(parser)


def _trend(args: argparse.Namespace) -> int:
    writing.check_force(args, args.plot, "--plot FILE")
    trend = _opened(args).trend(args.measure, order=args.order, where=args.where, **_by(args))
    if args.plot:
        from lanescope.formats.output import atomic_output

        with atomic_output(args.plot) as stream:
            stream.write(trend.svg().encode())
    _print(args, trend)
    return 0


def _diff_arguments(parser: argparse.ArgumentParser) -> None:
    _fleet(parser)
    parser.add_argument("base", metavar="BASE", help="KEY=VALUE of the base, such as commit=abc")
    parser.add_argument("new", metavar="NEW", help="KEY=VALUE of the new side")
    parser.add_argument(
        "--fail-if", action="append", default=[], metavar="NAME>+X%",
        help="exit 1 when this measure of a workload grew by more, and that is no chance; repeat",
    )  # fmt: skip
    _chosen(parser)


def _diff(args: argparse.Namespace) -> int:
    from lanescope.cli.options.growth import growth_limit
    from lanescope.fleet.comparing import FAILED, judge
    from lanescope.render.names import printable

    limits = [growth_limit(text) for text in args.fail_if]
    comparison = _opened(args).diff(args.base, args.new, where=args.where, **_by(args))
    judged = [one for name, limit in limits for one in judge(comparison, name, limit)]
    if args.json:
        kept_or_not = [one.to_dict() for one in judged]
        print_json("fleet-diff", {**comparison.to_dict(), "limits": kept_or_not})
    else:
        sys.stdout.write(comparison.text())
        if judged:
            print()
        for one in judged:
            print(printable(f"{one.verdict.upper()}: {one.sentence}"))
    return 1 if any(one.verdict == FAILED for one in judged) else 0


def _opened(args: argparse.Namespace) -> Any:
    from lanescope.fleet.fleet import open_fleet

    return open_fleet(args.fleet)


def _by(args: argparse.Namespace) -> dict[str, Any]:
    return {"by": tuple(args.by)} if args.by else {}


def _print(args: argparse.Namespace, answer: Any) -> None:
    if args.json:
        print_json(f"fleet-{args.action}", answer.to_dict())
    else:
        sys.stdout.write(answer.text())


_Action = tuple[
    Callable[[argparse.Namespace], int], str, str, Callable[[argparse.ArgumentParser], None]
]
_ACTIONS: dict[str, _Action] = {
    "index": (
        *(_index, "put the measures of every trace below a folder into an index"),
        *("index runs/ -o fleet/ --label commit=abc", _index_arguments),
    ),
    "report": (
        *(_report, "say what is in an index, what failed, and how the measures spread"),
        *("report fleet/", _report_arguments),
    ),
    "query": (
        *(_query, "ask an index in SQL; its tables are traces and measures"),
        *("query fleet/ \"select avg(value) from measures where name = 'makespan'\"",),
        _query_arguments,
    ),
    "outliers": (
        *(_outliers, "name traces that are unlike others of the same workload and chip"),
        *("outliers fleet/ --where commit=abc", _outliers_arguments),
    ),
    "trend": (
        *(_trend, "show a measure over time or commits, and where it changes"),
        *("trend fleet/ makespan --plot trend.svg", _trend_arguments),
    ),
    "diff": (
        *(_diff, "compare two sides of an index, such as two commits, workload by workload"),
        *('diff fleet/ commit=abc commit=def --fail-if "makespan > +5%"', _diff_arguments),
    ),
}
"""Action to what runs it, what it does, an example, and its arguments."""

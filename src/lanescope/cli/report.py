"""`lanescope report`: what was captured, and where the time went."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet, sizes, source, writing
from lanescope.cli.reuse import reuse_memory
from lanescope.render.colour import is_drawn

if TYPE_CHECKING:
    from lanescope.render.page import Section
    from lanescope.reports import Report
    from lanescope.reports.streamed import StreamedReport
    from lanescope.trace import Trace

HELP = "print where the time went, why, and what to do next"
KNOWN = ""
"""--corrected without a file: the costs that the run itself knows."""
EXAMPLE = "lanescope report run.lanes --since 1ms --until 2ms --function QK"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope report`."""
    source.configure(parser)
    parser.add_argument(
        "--full", action="store_true", help="print all sections, not only those for one screen"
    )
    parser.add_argument(
        "--section",
        action="append",
        default=[],
        metavar="NAME",
        help="print this section only, like functions, critical or losses; repeat",
    )
    parser.add_argument(
        "--plots",
        type=places.local,
        metavar="DIR",
        help="write pictures (SVG) into this directory, too",
    )
    writing.configure(parser)
    quiet.configure(parser)
    parser.add_argument(
        "--graph",
        action="store_true",
        help="list the task graph, too: edges, fan-in, fan-out, depth, implied (redundant) edges",
    )
    parser.add_argument(
        "--memory",
        type=sizes.size,
        metavar="SIZE",
        help="most memory to take, such as 2GB (default: most of what is free); of a trace that "
        "needs more the report has what can be added up row by row, and names the rest",
    )
    parser.add_argument(
        "--corrected",
        nargs="?",
        const=KNOWN,
        metavar="COSTS",
        help="instead: the timeline's figures without the profiler's own cost, with intervals; "
        "COSTS is a file of 'lanescope bench --fit --save' (simulated runs know their costs)",
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope report`; returns the exit code."""
    reuse_memory()
    # The threads of numpy's linear algebra wait in a loop for work that a report never has.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    writing.check_pictures(args, "--plots DIR")
    if _is_job(args.trace):
        return _job(args)
    if args.corrected is not None:
        return _corrected(args)
    streamed = _streamed(args)
    return _print_whole(args) if streamed is None else _print_streamed(streamed, args)


def _print_whole(args: argparse.Namespace) -> int:
    from lanescope.render.names import printable
    from lanescope.trace.set_aside import set_aside

    trace = source.open_trace(args)
    missing = set_aside(trace)
    written = [] if args.plots is None else _write_plots(trace, args)
    if args.json:
        from lanescope.cli.printing import print_json
        from lanescope.facade.answers import report

        answers = report(trace, graph=args.graph)
        figures = answers.to_dict()
        if args.section:
            figures = {name: figures[name] for name in _known(answers, args.section)}
        if written:
            figures["plots"] = written
        if missing:
            figures["set_aside"] = missing
        print_json("report", figures)
    else:
        if not args.quiet:
            _show(args, trace)
        if written:
            print(f"\nPictures: {', '.join(written)}")
        if missing:
            print("\n" + "\n".join(map(printable, missing)))
    return 1 if missing else 0


def _streamed(args: argparse.Namespace) -> StreamedReport | None:
    """The report of a stored trace that is too large for a full one; None where it is not."""
    from lanescope.errors import InputError, UsageError
    from lanescope.facade.opening import is_stored
    from lanescope.reports.memory import free_bytes
    from lanescope.reports.streamed import streamed_report
    from lanescope.trace.part import part_of

    part = part_of(**source.part_of(args))
    if not is_stored(args.trace) or (part and (part.runs or part.ranks) is not None):
        return None
    try:
        found = streamed_report(args.trace, args.memory or free_bytes(), part)
    except InputError:
        return None  # what is damaged is set aside, or the trace is refused
    if found is not None and (args.plots is not None or args.graph):
        option = "--graph" if args.graph else "--plots"
        raise UsageError(
            f"{args.trace} is too large for {option}; choose a part with --since, --until or "
            "--core, or allow more memory with --memory"
        )
    return found


def _print_streamed(answers: StreamedReport, args: argparse.Namespace) -> int:
    from lanescope.errors import UsageError

    for name in args.section:
        if name in answers.left_out.names:
            raise UsageError(
                f"{args.trace} is too large for --section {name}; choose a part with --since, "
                "--until or --core, or allow more memory with --memory"
            )
    only = _known(answers, args.section) if args.section else []
    if args.json:
        from lanescope.cli.printing import print_json

        figures = answers.to_dict()
        print_json("report", {name: figures[name] for name in only} if only else figures)
    elif args.quiet:
        pass
    elif only:
        _print(answers.sections(only=only))
    else:
        _print(answers.sections() if args.full else answers.short_sections())
    return 0


def _is_job(path: str) -> bool:
    from lanescope.jobs.recognising import is_job

    return is_job(path)


def _job(args: argparse.Namespace) -> int:
    """A folder with a stored trace per rank: what `lanescope ranks` prints."""
    from lanescope.cli import ranks
    from lanescope.errors import UsageError
    from lanescope.facade.jobs import ranks as ranks_of

    limits = ("since", "until", "core", "function", "run", "rank", "corrected")
    given = [name for name in limits if getattr(args, name) is not None]
    given += [name for name in ("graph", "full", "section") if getattr(args, name)]
    if given:
        raise UsageError(
            f"{args.trace} holds the traces of a job; --{given[0]} asks about one trace: name one "
            "of them"
        )
    report = ranks_of(args.trace)
    ranks.show(report, args)
    return 1 if report.job.unread else 0


def _corrected(args: argparse.Namespace) -> int:
    from lanescope.errors import UsageError
    from lanescope.facade.replays import corrected
    from lanescope.render.progress import working

    if args.full or args.section:
        raise UsageError("--corrected prints its own page; leave out --full and --section")
    if any(part is not None for part in (args.since, args.until, args.core, args.function)):
        raise UsageError(
            "--corrected replays the whole run; leave out --since, --until, --core and --function"
        )
    if args.plots is not None:
        raise UsageError("--corrected draws no pictures; leave out --plots")
    if args.graph:
        raise UsageError("--corrected lists no graph; leave out --graph")
    trace = source.of_run(args, source.whole_trace(args.trace))
    with working("replaying"):
        answer = corrected(trace, args.corrected or None)
    if args.json:
        from lanescope.cli.printing import print_json

        figures = {"name": trace.meta.name, "corrected": answer.to_dict()}
        print_json("report-corrected", figures)
    elif not args.quiet:
        from lanescope.replay.correction.corrected_text import corrected_text

        sys.stdout.write(corrected_text(trace.meta.name, answer))
    return 0


def _write_plots(trace: Trace, args: argparse.Namespace) -> list[str]:
    from lanescope.facade.showing import plots

    return writing.write_pictures(args.plots, plots(trace), args)


def _show(args: argparse.Namespace, trace: Trace) -> None:
    """Print the sections that are asked for, all of them, or the short page."""
    from lanescope.facade.answers import report

    if args.section:
        answers = report(trace, graph=args.graph)
        _print(answers.sections(only=_known(answers, args.section)))
    elif args.full or args.graph:
        _print(report(trace, graph=args.graph).sections())
    else:
        part = source.part_of(args).values()
        show(trace, args.trace, whole=all(value is None for value in part))


def _known(answers: Report, names: list[str]) -> list[str]:
    """The names, if all of them are sections of this report."""
    from lanescope.errors import UsageError, did_you_mean

    there = [name for name in answers.to_dict() if name != "report_version"]
    for name in names:
        if name not in there:
            near = did_you_mean(name, there)
            raise UsageError(f"no section {name!r} here; there are {', '.join(there)}{near}")
    return names


def show(trace: Trace, place: str, *, whole: bool = True) -> None:
    """Print the short page of a trace that lies at `place`, and what to do next.

    Of a part of a trace nothing is foreseen.
    """
    from lanescope.analyze.next_step import NextSteps
    from lanescope.facade.advice import next_section, steps_of
    from lanescope.render.progress import working
    from lanescope.reports.build import build_report
    from lanescope.trace.places import place_of

    answers = build_report(trace, detail=False)
    _print(answers.short_sections())
    sys.stdout.flush()
    with working("replaying"):
        steps = steps_of(answers, trace) if whole else NextSteps(())
    print()
    _print([next_section(steps, str(place_of(place)))])


def _print(page: list[Section]) -> None:
    """Tables with colour on a terminal, plain text elsewhere."""
    if is_drawn(sys.stdout):
        from rich.console import Console

        from lanescope.render.terminal import render_terminal

        render_terminal(page, Console())
    else:
        from lanescope.render.plain import render_sections

        sys.stdout.write(render_sections(page))

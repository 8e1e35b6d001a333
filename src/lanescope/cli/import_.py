"""`lanescope import`: files on disk to stored traces."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import chip6
from lanescope.reports.summary import sentence, summary, trace_path

if TYPE_CHECKING:
    from lanescope.formats.discover import Job
    from lanescope.trace import Trace

HELP = "read a run's files and store them as NAME.lanes"
EXAMPLE = "lanescope import outputs/TestPagedAttention_Case1_20260801_120000 -o traces"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="DIR_OR_FILE",
        help="a run's directory, one with several runs or ranks in it, or single files",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(),
        help="directory for the traces, or NAME.lanes for a single run (default: here)",
    )
    parser.add_argument(
        "--keep-damaged",
        action="store_true",
        help="import duplicate, backward and cyclic records, flagged, instead of refusing them",
    )
    parser.add_argument(
        "--format",
        choices=("auto", "chip6"),
        default="auto",
        help="auto: told by the content (default); chip6: one core's raw chunk stream",
    )
    chip6.configure(parser)


def run(args: argparse.Namespace) -> int:
    from lanescope.errors import InputError, LanescopeError
    from lanescope.formats.discover import find_jobs
    from lanescope.render.progress import working

    if args.format == "chip6":
        return chip6.run(args)
    chip6.refuse_options(args)
    jobs = find_jobs(args.paths)
    done: list[dict[str, Any]] = []
    failed: list[LanescopeError] = []
    for number, job in enumerate(jobs, 1):
        stored: list[dict[str, Any]] = []
        try:
            with working(f"importing {number} of {len(jobs)}"):
                _store(job, args, stored, single=len(jobs) == 1)
        except InputError as error:
            failed.append(error)
            _complain(error)
        done += stored
        for result in [] if args.json else stored:
            print(sentence(result))
    if args.json:
        import msgspec

        print(msgspec.json.encode(done).decode())
    if not done and not failed:
        places = ", ".join(str(path) for path in args.paths)
        raise InputError(places, "has no run to import; see 'lanescope import --help'")
    return 1 if failed else 0


def _store(
    job: Job, args: argparse.Namespace, stored: list[dict[str, Any]], *, single: bool
) -> None:
    """Append a summary per trace as it is stored: a later failure does not hide an earlier one."""
    from lanescope.trace import save

    for trace in job.traces(keep_damaged=args.keep_damaged):
        path = _target(trace.meta.name, args.output, single=single and not stored)
        save(trace, path)
        stored.append(_summary(trace, path))


def _target(name: str, output: Path, *, single: bool) -> Path:
    from lanescope.errors import UsageError

    if output.suffix == ".lanes" and not single:
        raise UsageError(f"-o {output} names one trace, but there are several runs; give a folder")
    return trace_path(name, output)


def _summary(trace: Trace, path: Path) -> dict[str, Any]:
    format_name = trace.meta.extra.get("generation", trace.meta.sources[0].format)
    return {**summary(trace, path), "format": format_name}


def _complain(error: Exception) -> None:
    from lanescope.render.cells import printable

    print(f"lanescope: {printable(str(error))}", file=sys.stderr)

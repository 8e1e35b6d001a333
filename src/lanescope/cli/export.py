"""`lanescope export`: a trace, or all ranks of a job, to other people's formats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import formats, places, quiet, source, writing
from lanescope.cli.printing import print_json
from lanescope.cli.reuse import reuse_memory
from lanescope.render.cells import many_text
from lanescope.render.names import file_name

if TYPE_CHECKING:
    from lanescope.formats import Export, Exporter

HELP = "write a trace in a format that other tools open"
EXAMPLE = "lanescope export run.lanes --to perfetto -o run.perfetto-trace.gz"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope export`."""
    from lanescope.formats.available import exporters

    known = exporters()
    formats.list_formats(
        parser, [(one.name, one.writes + formats.of_package(one)) for one in known]
    )
    source.configure(parser)
    parser.add_argument(
        "--to",
        dest="format",
        required=True,
        choices=[one.name for one in known],
        help="format to write",
    )
    folders = " and ".join(one.name for one in known if one.target == "folder")
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        help=f"file or, for {folders}, folder; compressed when it ends in .gz or .zst "
        "(default: NAME with the format's ending, here)",
    )
    writing.configure(parser)
    quiet.configure(parser)
    for one in known:
        for option in one.options:
            formats.add_option(parser, option, f"{one.name}: {option.help}")


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope export`; returns the exit code."""
    reuse_memory()
    from lanescope.formats.available import exporter, exporters
    from lanescope.render.names import printable
    from lanescope.render.progress import working

    chosen = exporter(args.format)
    formats.refuse_options_of_others(args, chosen, exporters(), option="--to")
    writing.check_named(args.output, args)
    with working("exporting"):
        written, missing, note = _write(chosen, args)
    if args.json:
        told = {"set_aside": missing} if missing else {}
        print_json("export", {**written.to_dict(), **told})
    else:
        lines = [_sentence(written), note, *missing, chosen.opened]
        print("\n".join(map(printable, filter(None, lines))))
    return 1 if missing else 0


def _write(chosen: Exporter, args: argparse.Namespace) -> tuple[Export, list[str], str]:
    """Write what is asked for.

    Returns that, what the trace was written without, and what is said about the name.
    """
    from lanescope.analyze.graph.highlight import critical_lanes
    from lanescope.formats import ExportOptions
    from lanescope.jobs.job import open_job
    from lanescope.jobs.recognising import is_job
    from lanescope.trace.set_aside import set_aside

    if is_job(args.trace):
        from lanescope.facade.job_export import export_job

        _refuse_parts(args)
        job = open_job(args.trace)
        place = _place(job.name, chosen.ranks_ending, args)
        return export_job(job, place.path, to=args.format, ranks=args.rank), [], place.note
    trace = source.open_trace(args)
    options = ExportOptions(critical_lanes, formats.given(args, chosen.options))
    place = _place(trace.meta.name, chosen.ending, args)
    return chosen.write(trace, place.path, options), set_aside(trace), place.note


def _place(name: str, ending: str, args: argparse.Namespace) -> writing.Chosen[Path]:
    """The output that was named, or one named after the trace, here."""
    if args.output is not None:
        return writing.Chosen(args.output)
    return writing.free_name(Path(), file_name(name), args, endings=(ending,))


def _refuse_parts(args: argparse.Namespace) -> None:
    from lanescope.errors import UsageError

    limits = ("since", "until", "core", "function", "run")
    given = [name for name in limits if getattr(args, name) is not None]
    if given:
        raise UsageError(
            f"--{given[0]} chooses a part of one trace, and {args.trace} is a job of many ranks; "
            "choose ranks with --rank, or export one of its traces"
        )


def _sentence(written: Export) -> str:
    from lanescope.formats import DrawnExport, FilesExport, RanksExport

    if isinstance(written, FilesExport):
        return f"{written.output}: {', '.join(written.files)}"
    if not isinstance(written, DrawnExport):
        return written.output
    ranks = f"{many_text(written.ranks, 'rank')}, " if isinstance(written, RanksExport) else ""
    sentence = (
        f"{written.output}: {ranks}{many_text(written.slices, 'slice')} on "
        f"{many_text(written.lanes, 'lane')}, {many_text(written.arrows, 'arrow')}, "
        f"{many_text(written.bytes, 'byte')}"
    )
    left_out = written.arrows_not_drawn
    if left_out:
        verb = "is" if left_out == 1 else "are"
        sentence += (
            f"; {many_text(left_out, 'edge')} {verb} not drawn: an end has no slice, or the time "
            "runs back"
        )
    return sentence

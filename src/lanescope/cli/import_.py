"""`lanescope import`: files on disk to stored traces."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lanescope.cli.options import formats, places, quiet, writing
from lanescope.cli.parsing import complain
from lanescope.cli.reuse import reuse_memory
from lanescope.reports.summary import sentence, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lanescope.formats import Importer
    from lanescope.formats.batch import FileBatch
    from lanescope.formats.bundle import ImportAccount
    from lanescope.formats.listener import Listener
    from lanescope.trace import Trace
    from lanescope.trace.places import Place

_NAMED = 3
"""How many of the files that are skipped for one reason are named."""
HELP = "read a run's files and store them as NAME.lanes"
EXAMPLE = "lanescope import outputs/TestPagedAttention_Case1_20260801_120000 -o traces"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope import`."""
    from lanescope.formats.available import AUTO, importers

    known = importers()
    formats.list_formats(parser, [(one.name, _what(one)) for one in known])
    parser.add_argument(
        "paths",
        nargs="+",
        type=places.local,
        metavar="DIR_OR_FILE",
        help="a run's directory or archive, one with several runs or ranks in it, or single files",
    )
    parser.add_argument(
        "-o",
        "--output",
        default=".",
        help="directory for the traces, or NAME.lanes for a single run; a path or a URL "
        "(default: here)",
    )
    writing.configure(parser)
    quiet.configure(parser)
    parser.add_argument(
        "--keep-damaged",
        action="store_true",
        help="import duplicate, backward and cyclic records, flagged, instead of refusing them",
    )
    parser.add_argument(
        "--per-rank",
        action="store_true",
        help="a trace for every rank and run that has a folder of its own, not one for all",
    )
    parser.add_argument(
        "--format",
        choices=(AUTO, *(one.name for one in known)),
        default=AUTO,
        help="auto: told by the content (default); otherwise one format, as listed above",
    )
    for one in known:
        if one.options:
            group = parser.add_argument_group(f"{one.reads} (--format {one.name})")
            for option in one.options:
                formats.add_option(group, option, option.help)


def _what(importer: Importer) -> str:
    needed = "" if importer.recognises is not None else "; only with --format"
    return f"{importer.reads}: {importer.files}{needed}{formats.of_package(importer)}"


class _Stored(NamedTuple):
    """A trace that was stored: its summary, and what else is said of its import."""

    result: dict[str, Any]
    lines: tuple[str, ...]


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope import`; returns the exit code."""
    reuse_memory()
    from lanescope.errors import InputError, LanescopeError, PluginError
    from lanescope.formats.available import AUTO, importer, importers
    from lanescope.formats.discover import find_batches
    from lanescope.formats.listener import Listener
    from lanescope.render.progress import working

    chosen = None if args.format == AUTO else importer(args.format)
    formats.refuse_options_of_others(args, chosen, importers(), option="--format")
    output = _output(args)
    done: list[_Stored] = []
    failed: list[LanescopeError] = []
    skipped: list[tuple[Path, str]] = []

    def fail(error: LanescopeError) -> None:
        failed.append(error)
        complain(str(error))

    listener = Listener(lambda path, reason: skipped.append((path, reason)), fail)
    with find_batches(args.paths, chosen, apart=args.per_rank, listener=listener) as batches:
        if len(batches) > 1:
            _require_folder(output)
        for number, batch in enumerate(batches, 1):
            stored: list[_Stored] = []
            try:
                with working(f"importing {number} of {len(batches)}"):
                    _store(batch, args, stored, listener, output=output)
            except (InputError, PluginError) as error:
                fail(error)
            done += stored
            for one in [] if args.json else stored:
                print("\n".join([sentence(one.result), *one.lines]))
    if not done and not failed:
        places = ", ".join(str(path) for path in args.paths)
        verb = "has" if len(args.paths) == 1 else "have"
        raise InputError(places, f"{verb} no run to import; see 'lanescope import --help'")
    _tell(done, skipped, as_json=args.json)
    return 1 if failed else 0


def _tell(done: list[_Stored], skipped: list[tuple[Path, str]], *, as_json: bool) -> None:
    """What was left out, a line per reason; or all of it as JSON."""
    if as_json:
        from lanescope.cli.printing import print_json
        from lanescope.formats.json_file import storable

        left_out = [{"path": storable(path), "reason": reason} for path, reason in skipped]
        told = {"traces": [one.result for one in done], "skipped": left_out}
        print_json("import", told)
        return
    from lanescope.render.names import printable

    for reason in dict.fromkeys(reason for _, reason in skipped):
        names = [printable(str(path)) for path, why in skipped if why == reason]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        print(f"skipped: {', '.join(names[:_NAMED])}{more} ({reason})")


def _store(
    batch: FileBatch,
    args: argparse.Namespace,
    stored: list[_Stored],
    listener: Listener,
    *,
    output: Place,
) -> None:
    """Append a summary per trace as it is stored: a later failure does not hide an earlier one."""
    told: list[ImportAccount] = []
    options = formats.given(args, [o for one in batch.importers for o in one.options])
    traces = batch.traces(
        keep_damaged=args.keep_damaged, options=options, tell=told.append, listener=listener
    )
    for trace in traces if output.suffix != ".lanes" else _only(traces, output):
        chosen = writing.new_trace(trace.meta.name, output, args)
        writing.save_trace(trace, chosen, args)
        result = _summary(trace, chosen.path)
        for account in told:
            result |= account.values
        lines = [line for account in told for line in account.lines]
        stored.append(_Stored(result, (*lines, *filter(None, [chosen.note]))))
        told.clear()


def _only(traces: Iterator[Trace], output: Place) -> list[Trace]:
    """The trace that a name is for; where there is a second one, none is stored."""
    found = list(islice(traces, 2))
    if len(found) > 1:
        _require_folder(output)
    return found


def _require_folder(output: Place) -> None:
    """Refuse the name of one trace for several runs."""
    from lanescope.errors import UsageError

    if output.suffix == ".lanes":
        raise UsageError(f"-o {output} names one trace, but there are several runs; give a folder")


def _output(args: argparse.Namespace) -> Place:
    """Where traces go; looked at before the files are read."""
    from lanescope.trace.places import place_of

    output = place_of(args.output)
    if output.suffix == ".lanes":
        writing.check_named(args.output, args)
    else:
        writing.check_output(output)
    return output


def _summary(trace: Trace, path: Place) -> dict[str, Any]:
    format_name = trace.meta.extra.get("generation", trace.meta.sources[0].format)
    return {**summary(trace, path), "format": format_name}

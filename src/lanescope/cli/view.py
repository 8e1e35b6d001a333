"""`lanescope view`: a trace as a page to look at, served here or written to a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import places, quiet, source, writing
from lanescope.cli.printing import print_json
from lanescope.errors import UsageError

if TYPE_CHECKING:
    from lanescope.facade.opening import TraceLike
    from lanescope.facade.shown import Shown
    from lanescope.trace import Trace

HELP = "look at a trace (or two, to compare) or at a job of many ranks in a browser"
EXAMPLE = "lanescope view run.lanes --html run.html"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope view`."""
    source.configure(parser)
    parser.add_argument(
        "other", nargs="*", default=[], metavar="MORE", help="more traces, below the first"
    )
    parser.add_argument(
        "--html",
        type=places.local,
        metavar="FILE",
        help="write one page that opens offline, and end",
    )
    parser.add_argument(
        "--by-run",
        action="store_true",
        help="every run of a trace as a trace of its own, below each other or lane by lane",
    )
    writing.configure(parser)
    quiet.configure(parser)
    parser.add_argument(
        "--port", type=int, metavar="N", help="port to serve on (default: a free one)"
    )
    parser.add_argument("--open", action="store_true", help="open the browser, too")


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope view`; returns the exit code."""
    from lanescope.errors import InputError
    from lanescope.facade.opening import opened_in_part, opened_lazily

    _check(args)
    try:
        return _view(args, opened_lazily)
    except InputError:  # damage inside a column shows when the column is read
        return _view(args, opened_in_part)


def _view(args: argparse.Namespace, opening: Callable[[TraceLike], Trace]) -> int:
    from lanescope.facade.shown import shown
    from lanescope.render.progress import working
    from lanescope.trace.set_aside import set_aside

    with working("opening"):
        named = (args.trace, *args.other)
        found = shown(named, opening, by_run=args.by_run, **source.part_of(args))
    missing = [note for trace in found.traces for note in set_aside(trace)]
    done = _serve(found, args) if args.html is None else _write(found, args, missing)
    return 1 if missing else done


def _check(args: argparse.Namespace) -> None:
    """Refuse options that do not go together, and a page that cannot be written."""
    writing.check_force(args, args.html, "--html FILE")
    if args.html is not None and (args.port is not None or args.open):
        given = "--port" if args.port is not None else "--open"
        raise UsageError(f"{given} is for a page that is served; leave it out, or leave out --html")


def _write(found: Shown, args: argparse.Namespace, missing: list[str]) -> int:
    from dataclasses import asdict

    from lanescope.formats.output import atomic_output
    from lanescope.render.cells import many_text
    from lanescope.render.names import printable
    from lanescope.render.progress import working
    from lanescope.viewer import write_page

    with working("writing"), atomic_output(args.html) as stream:
        summary = write_page(found.traces, stream, **found.options)
    if args.json:
        unread: dict[str, Any] = {"unread": found.unread} if found.unread else {}
        if missing:
            unread["set_aside"] = missing
        print_json("view-page", {"output": str(args.html), **asdict(summary), **unread})
    else:
        print(
            f"{args.html}: {summary.slices:,} slices on {summary.lanes:,} lanes, "
            f"{summary.edges:,} edges, {summary.bytes:,} bytes; open it in any browser"
        )
        if found.unread:
            print(f"{many_text(found.unread, 'trace')} could not be read; the page's notes say why")
        for note in missing:
            print(printable(note))
    return 1 if found.unread else 0


def _serve(found: Shown, args: argparse.Namespace) -> int:
    """Until Ctrl-C."""
    from lanescope.render.progress import working
    from lanescope.viewer import make_server

    with working("preparing"):
        server = make_server(found.traces, port=args.port or 0, **found.options)
    with server:
        if args.json:
            print_json("view", {"url": server.url})
        else:
            print(f"{server.url}  (Ctrl-C stops)", flush=True)
        if args.open:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0

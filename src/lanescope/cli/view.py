"""`lanescope view`: a trace as a page to look at, served here or written to a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lanescope.cli.options import places, source

if TYPE_CHECKING:
    from lanescope.trace import Trace

HELP = "look at a trace (or two, to compare) in a browser"
EXAMPLE = "lanescope view run.lanes --html run.html"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope view`."""
    source.configure(parser)
    parser.add_argument("other", nargs="*", metavar="TRACE", help="more traces, below the first")
    parser.add_argument(
        "--html",
        type=places.local,
        metavar="FILE",
        help="write one page that opens offline, and end",
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="port to serve on (default: a free one)"
    )
    parser.add_argument("--open", action="store_true", help="open the browser, too")


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope view`; returns the exit code."""
    from lanescope.render.progress import working

    with working("opening"):
        traces = [source.open_lazily(args, path) for path in (args.trace, *args.other)]
    return _serve(traces, args) if args.html is None else _write(traces, args)


def _write(traces: list[Trace], args: argparse.Namespace) -> int:
    from dataclasses import asdict

    import msgspec

    from lanescope.facade.showing import critical_of
    from lanescope.formats.output import atomic_output
    from lanescope.render.progress import working
    from lanescope.viewer import write_page

    with working("writing"), atomic_output(args.html) as stream:
        summary = write_page(traces, stream, critical=critical_of(traces))
    if args.json:
        print(msgspec.json.encode({"output": str(args.html), **asdict(summary)}).decode())
    else:
        print(
            f"{args.html}: {summary.slices:,} slices on {summary.lanes:,} lanes, "
            f"{summary.edges:,} edges, {summary.bytes:,} bytes; open it in any browser"
        )
    return 0


def _serve(traces: list[Trace], args: argparse.Namespace) -> int:
    """Until Ctrl-C."""
    import msgspec

    from lanescope.facade.showing import critical_of
    from lanescope.render.progress import working
    from lanescope.viewer import make_server

    with working("preparing"):
        server = make_server(traces, port=args.port, critical=critical_of(traces))
    with server:
        line = msgspec.json.encode({"url": server.url}).decode() if args.json else server.url
        print(line if args.json else f"{line}  (Ctrl-C stops)", flush=True)
        if args.open:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0

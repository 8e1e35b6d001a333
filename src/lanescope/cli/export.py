"""`lanescope export`: a trace to other people's formats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.cli.options import source

if TYPE_CHECKING:
    from lanescope.trace import Trace

HELP = "write a trace as a Perfetto, Chrome, simpler, Kanata or CSV file"
EXAMPLE = "lanescope export run.lanes --to perfetto -o run.perfetto-trace.gz"

_ENDINGS = {
    "perfetto": ".perfetto-trace",
    "chrome": ".trace.json",
    "simpler": "",
    "csv": "-csv",
    "kanata": ".kanata",
}


def configure(parser: argparse.ArgumentParser) -> None:
    source.configure(parser)
    parser.add_argument(
        "--to", dest="format", required=True, choices=_ENDINGS, help="format to write"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help="file or, for simpler and csv, folder; compressed when it ends in .gz "
        "(default: NAME with the format's ending, here)",
    )
    parser.add_argument("--table", help="csv: only this table")


def run(args: argparse.Namespace) -> int:
    from lanescope.render.progress import working

    with working("exporting"):
        trace = source.open_trace(args)
        path = args.output or Path(trace.meta.name + _ENDINGS[args.format])
        result = {"output": str(path), "format": args.format, **_write(trace, path, args)}
    if args.json:
        import msgspec

        print(msgspec.json.encode(result).decode())
    else:
        print(_sentence(result))
    return 0


def _write(trace: Trace, path: Path, args: argparse.Namespace) -> dict[str, Any]:
    from dataclasses import asdict

    from lanescope.analyze.graph.highlight import critical_lanes

    match args.format:
        case "perfetto":
            from lanescope.formats.perfetto import write_perfetto

            return asdict(write_perfetto(trace, path, highlight=critical_lanes(trace)))
        case "chrome":
            from lanescope.formats.chrome.write import write_chrome

            return asdict(write_chrome(trace, path, highlight=critical_lanes(trace)))
        case "simpler":
            from lanescope.formats.simpler.write import write_run

            return {"files": write_run(trace, path)}
        case "kanata":
            from lanescope.formats.kanata import write_kanata

            return asdict(write_kanata(trace, path))
    from lanescope.formats.csv_tables import write_csv

    return {"files": write_csv(trace, path, table=args.table)}


def _sentence(result: dict[str, Any]) -> str:
    if "files" in result:
        return f"{result['output']}: {', '.join(result['files'])}"
    sentence = f"{result['output']}: {result['slices']:,} slices on {result['lanes']:,} lanes"
    sentence += f", {result['arrows']:,} arrows, {result['bytes']:,} bytes"
    if result["arrows_not_drawn"]:
        sentence += f" ({result['arrows_not_drawn']:,} edges end at a task without a slice)"
    if result["format"] == "kanata":
        return f"{sentence}\nOpen it with Konata"
    return f"{sentence}\nOpen it at https://ui.perfetto.dev"

"""Records per second from cores to the spool, none lost: the header in C, the real collector.

    python -m benchmarks.stream [--records 20000000 | --seconds 5] [--rounds 3] [--spool-dir DIR]

A C program (stream.c) records level 1, producer-rotated, as fast as it can; this process collects
from it as `lanescope collect` does. Every run is checked record by record against the spool. In
the same round the same number of bytes is copied and written plainly: the floor. The spool's
folder and, to tell the disk apart, /dev/shm take turns. Exit code 1 when a median misses.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.stream_run import Stream, StreamResult, run_stream
from lanescope import include_directory
from lanescope.errors import LanescopeError

TARGET = 10e6
"""Records per second that must arrive."""
_SHM = Path("/dev/shm")
_PROBE_RECORDS = 2_000_000


def main() -> int:
    args = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="lanescope-stream-") as build:
        program = compile_producer(Path(build))
        try:
            rounds = measure(args, program)
        except LanescopeError as error:
            print(f"stream: {error}", file=sys.stderr)
            return 1
    rows = [Row.of(list(results)) for results in zip(*rounds, strict=True)]
    if args.json:
        found = [{**dataclasses.asdict(row), "met": row.met} for row in rows]
        print(json.dumps({"machine": machine(), "target_per_s": TARGET, "rows": found}))
    else:
        print_table(rows)
    return int(not all(row.met for row in rows))


@dataclass(frozen=True)
class Row:
    """One stream over all rounds."""

    median: StreamResult
    """Each number is the median of its own."""
    rounds: list[StreamResult]

    @classmethod
    def of(cls, results: list[StreamResult]) -> Row:
        names = [field.name for field in dataclasses.fields(StreamResult) if field.type == "float"]
        medians = {
            name: statistics.median(getattr(result, name) for result in results) for name in names
        }
        return cls(dataclasses.replace(results[0], **medians), results)

    @property
    def met(self) -> bool:
        return self.median.records_per_s >= TARGET


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--records", type=int, default=20_000_000, help="of each run")
    length.add_argument("--seconds", type=float, help="about how long each run takes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--producers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--buffer-records", type=int, default=1024)
    parser.add_argument("--buffers", type=int, default=8, help="of each producer")
    parser.add_argument("--spool-dir", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument(
        "--pin", action="store_true", help="collector on the last processor, producers elsewhere"
    )
    parser.add_argument("--json", action="store_true")
    return parser


def compile_producer(folder: Path) -> Path:
    """stream.c as a program."""
    source, program = Path(__file__).with_suffix(".c"), folder / "stream"
    include = f"-I{include_directory()}"
    command = [os.environ.get("CC", "cc"), "-O2", "-std=gnu11", include, str(source), "-pthread"]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def measure(args: argparse.Namespace, program: Path) -> list[list[StreamResult]]:
    """Every stream once per round."""
    folders = [args.spool_dir] + ([_SHM] if _SHM.is_dir() and args.spool_dir != _SHM else [])
    streams = [
        Stream(
            program=program,
            folder=folder,
            records=args.records,
            producers=producers,
            buffer_records=args.buffer_records,
            buffers=args.buffers,
            pin=args.pin,
        )
        for folder in folders
        for producers in args.producers
    ]
    if args.seconds:
        probe = run_stream(dataclasses.replace(streams[0], records=_PROBE_RECORDS))
        records = max(int(probe.records_per_s * args.seconds), 1)
        streams = [dataclasses.replace(stream, records=records) for stream in streams]
    return [[run_stream(stream) for stream in streams] for _ in range(args.rounds)]


def machine() -> dict[str, object]:
    return {"processors": os.cpu_count(), "python": platform.python_version()}


def print_table(rows: list[Row]) -> None:
    print(
        f"{rows[0].median.records:,} records a run, {len(rows[0].rounds)} rounds, {os.cpu_count()} "
        f"processors, Python {platform.python_version()}; medians; target {TARGET / 1e6:.0f} M "
        "records/s, none lost\n"
    )
    print(
        f"{'spool in':14} {'producers':>9} {'M rec/s':>8} {'lowest':>7} {'ns/rec':>7} "
        f"{'blocked':>8} {'MB/s':>6} {'CPU s':>6} {'floor MB/s':>10} {'ratio':>6} {'others':>6}"
    )
    for row in rows:
        print(_line(row))
    print(
        "\nns/rec: of one producer, waiting included; blocked: part of its time without a free "
        "buffer;\nCPU s: the collector's; floor: copying and writing the same bytes; ratio: MB/s "
        "to the floor of the same round;\nothers: part of the processors' time that other programs "
        "took meanwhile."
    )


def _line(row: Row) -> str:
    one = row.median
    lowest = min(result.records_per_s for result in row.rounds)
    return (
        f"{one.folder:14} {one.producers:9} {one.records_per_s / 1e6:8.1f} {lowest / 1e6:7.1f} "
        f"{one.producer_ns:7.1f} {one.blocked_part:8.1%} {one.bytes_per_s / 1e6:6.0f} "
        f"{one.collector_cpu_s:6.2f} {one.floor_bytes_per_s / 1e6:10.0f} {one.floor_ratio:6.2f} "
        f"{one.others_part:6.0%}  {'met' if row.met else 'MISSED'}"
    )


if __name__ == "__main__":
    sys.exit(main())

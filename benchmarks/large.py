"""Report and export of large runs as whole commands, as ratios to Python's own json.load.

    python -m benchmarks.large [--tasks 200000 1000000] [--rounds 5]

A command is a process of its own, its start included, that reads the folder which a runtime left.
So is json.load, of the records file alone. All take turns. The least of the rounds counts: what
else the machine does only adds to it. The limits are on wall time and on the peak of resident
memory; processor time is that of all threads. Exit code 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

RECORDS = "chip_swimlane_records.json"
ENVIRONMENT = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
"""Bytecode is written, as it is where a package was installed; a round before the first does it."""
_LOAD = "import json, sys\nwith open(sys.argv[1]) as file: json.load(file)"
_FLOOR = """
import sys
with open(sys.argv[1], "rb") as file:
    while block := file.read(1 << 20):
        block.count(b",")
"""


@dataclass(frozen=True)
class Cost:
    """What one process took."""

    wall_s: float
    processor_s: float
    peak_mib: float


@dataclass(frozen=True)
class Row:
    """A command, and the most that it may take relative to json.load."""

    name: str
    command: list[str]
    wall: float | None = None
    memory: float | None = None


def rows_of(folder: Path, tasks: int) -> list[Row]:
    """The measured commands of one run; json.load is the first."""
    records, output = str(folder / RECORDS), str(folder.parent / "out.perfetto-trace")
    lanescope = [sys.executable, "-m", "lanescope"]
    export = [*lanescope, "export", str(folder), "--to", "perfetto", "-o", output, "--force"]
    return [
        Row("json.load of the records", [sys.executable, "-c", _LOAD, records]),
        Row("floor: read them, count commas", [sys.executable, "-c", _FLOOR, records]),
        Row("lanescope --version", [*lanescope, "--version"]),
        Row("lanescope report", [*lanescope, "report", str(folder)], report_limit(tasks), 0.6),
        Row("lanescope export --to perfetto", export, 0.2),
    ]


def report_limit(tasks: int) -> float:
    """The start of Python weighs more in a small run."""
    return 0.3 if tasks >= 1_000_000 else 0.4


def measure(command: list[str]) -> Cost:
    """Run a command to its end; raises where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def least(costs: list[Cost]) -> Cost:
    """The least of each figure."""
    return Cost(
        min(one.wall_s for one in costs),
        min(one.processor_s for one in costs),
        min(one.peak_mib for one in costs),
    )


def prepare(tasks: int, folder: Path) -> None:
    """The run, made in another process so that its memory is not inherited."""
    command = [sys.executable, "-m", "benchmarks.make_run", str(tasks), "-o", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def print_table(rows: list[Row], costs: list[Cost]) -> bool:
    """Print a line per command; returns whether a limit was missed."""
    missed, load = False, costs[0]
    print(f"{'':34}{'wall s':>8}{'× json':>8}{'limit':>7}{'cpu s':>8}{'× json':>8}", end="")
    print(f"{'MiB':>7}{'× json':>8}{'limit':>7}")
    for row, cost in zip(rows, costs, strict=True):
        wall, memory = cost.wall_s / load.wall_s, cost.peak_mib / load.peak_mib
        late = row.wall is not None and wall > row.wall
        large = row.memory is not None and memory > row.memory
        missed |= late or large
        print(
            f"{row.name:34}{cost.wall_s:8.2f}{wall:8.3f}{row.wall or '-':>7}"
            f"{cost.processor_s:8.2f}{cost.processor_s / load.processor_s:8.3f}"
            f"{cost.peak_mib:7.0f}{memory:8.3f}{row.memory or '-':>7}"
            + ("  MISSED" if late or large else "")
        )
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, nargs="+", default=[200_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/large"))
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors")
    missed = False
    for tasks in args.tasks:
        folder = args.folder / f"{tasks}" / "run"
        prepare(tasks, folder)
        rows = rows_of(folder, tasks)
        rounds = [[measure(row.command) for row in rows] for _ in range(args.rounds + 1)][1:]
        size = (folder / RECORDS).stat().st_size / 1e6
        print(
            f"\n{tasks:,} tasks, records of {size:,.0f} MB, least of {args.rounds} rounds:", end=""
        )
        missed |= print_table(rows, [least([one[k] for one in rounds]) for k in range(len(rows))])
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

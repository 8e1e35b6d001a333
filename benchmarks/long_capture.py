"""Peak memory of collecting, recovering and reporting a long capture, against a limit of 2 GB.

    python -m benchmarks.long_capture [--records 5M] [--folder DIR] [--json]

A C program (long_capture.c) records tasks of level 2, two records each, on 8 cores. `lanescope
collect` stores one run of it. A second run is drained and not joined, as after a crash, and
`lanescope recover` stores it. `lanescope report --memory 2GB` reads the trace. Each command is a
process of its own; its peak is what the system counts as resident, mapped files included. Exit
code 1 when a step takes more than 2 GB, or when a record is missing. 200M needs about 15 GB of
disk, and a quarter of that many records shows whether memory grows: --records 50M.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lanescope import include_directory
from lanescope.capture import CaptureSession, SessionNote
from lanescope.capture.directory import REGION, make_directory, process_directories
from lanescope.device.flags import level_features
from lanescope.device.region import open_region
from lanescope.errors import LanescopeError
from lanescope.trace.store import read_meta

LIMIT = 2_000_000_000
"""Most bytes of resident memory of a step."""
CORES = 8
RECORDS_PER_TASK = 2


@dataclass(frozen=True)
class Step:
    """What one command took."""

    name: str
    records: int
    seconds: float
    peak_bytes: int

    @property
    def met(self) -> bool:
        """Whether the step stayed within the limit."""
        return self.peak_bytes <= LIMIT


def main() -> int:
    """Measure all steps, and print them."""
    args = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="lanescope-long-", dir=args.folder) as folder:
        try:
            steps = measure(args.records // RECORDS_PER_TASK, Path(folder))
        except LanescopeError as error:
            print(f"long_capture: {error}", file=sys.stderr)
            return 1
    if args.json:
        rows = [{**asdict(step), "met": step.met} for step in steps]
        print(json.dumps({"limit_bytes": LIMIT, "steps": rows}))
    else:
        print_table(steps)
    return int(not all(step.met for step in steps))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=count, default=5_000_000, help="5M, 200M, …")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", action="store_true")
    return parser


def count(text: str) -> int:
    """A number as people write it: 5M."""
    scale = {"k": 10**3, "M": 10**6, "G": 10**9}.get(text[-1:], 1)
    return int(float(text.rstrip("kMG")) * scale)


def measure(tasks: int, folder: Path) -> list[Step]:
    """Run every step once; LanescopeError where a record is missing."""
    program = compile_program(folder)
    records = tasks * RECORDS_PER_TASK
    run = [str(program), str(tasks), str(CORES)]
    collect = [*("collect", "--chip-swimlane=2", "--name", "collected", "-o", str(folder)), "--"]
    steps = [_step("collect", [*collect, *run], records)]
    _require_whole(folder / "collected.lanes", records)
    steps.append(
        _step("report", ["report", str(folder / "collected.lanes"), "--memory", "2GB"], records)
    )
    part = ["--memory", "2GB", "--since", "1ms", "--until", "2ms"]
    steps.append(
        _step("report a part", ["report", str(folder / "collected.lanes"), *part], records)
    )
    capture = folder / "left.capture"
    drained(run, capture)
    recover = ["recover", str(capture), "-o", str(folder / "recovered.lanes")]
    steps.append(_step("recover", recover, records))
    _require_whole(folder / "recovered.lanes", records)
    return steps


def compile_program(folder: Path) -> Path:
    """long_capture.c as a program."""
    source, program = Path(__file__).with_suffix(".c"), folder / "long_capture"
    include = f"-I{include_directory()}"
    command = [os.environ.get("CC", "cc"), "-O2", "-std=gnu11", include, str(source), "-pthread"]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def _step(name: str, arguments: Sequence[str], records: int) -> Step:
    """Run a command of lanescope; the peak is that of the process and of those that it started."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "lanescope", *arguments], stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise LanescopeError(f"{name} ended with exit code {process.returncode}")
    seconds = time.perf_counter() - started
    return Step(name, records, seconds, used.ru_maxrss * 1024)


def drained(run: Sequence[str], directory: Path) -> None:
    """Record a run as `collect` does, and leave the capture as a killed collector leaves it."""
    make_directory(directory, SessionNote("left"))
    environment = {
        **os.environ,
        "LANESCOPE_CAPTURE": str(directory),
        "LANESCOPE_FLAGS": str(int(level_features(2))),
        "LANESCOPE_ON_FULL": "block",
    }
    program = subprocess.Popen(run, env=environment)
    while not process_directories(directory):
        if program.poll() is not None:
            raise LanescopeError(f"the program ended with {program.returncode}, without a region")
        time.sleep(0.001)
    [own] = process_directories(directory)
    with CaptureSession(own, open_region(own / REGION)) as session:
        program.wait()
    if session.error is not None:
        raise session.error


def _require_whole(trace: Path, records: int) -> None:
    ledger = read_meta(trace).ledger
    delivered = sum(entry.delivered for entry in ledger)
    if delivered != records or not all(entry.closes for entry in ledger):
        raise LanescopeError(
            f"{trace.name}: {records:,} records were made, {delivered:,} are whole"
        )


def print_table(steps: list[Step]) -> None:
    """Print one line per step."""
    print(
        f"{steps[0].records:,} records of level 2 on {CORES} cores, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}; limit {LIMIT / 1e9:.0f} GB\n"
    )
    print(f"{'step':14} {'seconds':>8} {'M rec/s':>8} {'peak MB':>8} {'bytes/rec':>9}")
    for step in steps:
        print(
            f"{step.name:14} {step.seconds:8.1f} {step.records / step.seconds / 1e6:8.2f} "
            f"{step.peak_bytes / 1e6:8.0f} {step.peak_bytes / step.records:9.1f}  "
            f"{'met' if step.met else 'MISSED'}"
        )
    print(
        "\nseconds of collect include the recorded program; peak: resident memory at its highest."
    )


if __name__ == "__main__":
    sys.exit(main())

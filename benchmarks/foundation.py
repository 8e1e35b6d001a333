"""Import, report, export and re-open of one large run, as ratios to Python's own json.load.

    python -m benchmarks.foundation [--tasks 1000000] [--rounds 3]

Every step runs in a process of its own and is timed once its modules are imported; the steps take
turns, and each round's ratio is taken within the round, because these machines are noisy. Exit
code 1 when a median misses its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_MEASURE = """
import json, sys, time
{setup}
started = time.perf_counter()
{body}
took = time.perf_counter() - started
peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
print(json.dumps([took, peak / 1024]))
"""

_JSON_LOAD = """
with open(sys.argv[1] + "/run/chip_swimlane_records.json") as file:
    loaded = json.load(file)
"""

_FLOOR = """
with open(sys.argv[1] + "/run/chip_swimlane_records.json", "rb") as file:
    while block := file.read(1 << 20):
        block.count(b",")
"""

_IMPORT_REPORT = """
from pathlib import Path
from lanescope.formats import import_paths
from lanescope.reports import build_report
(trace,) = import_paths([Path(sys.argv[1], "run")])
text = build_report(trace).text()
"""

_TODAY_REPORT = _IMPORT_REPORT.replace('"run")', '"today")')
_RECORDS_REPORT = _IMPORT_REPORT.replace('"run")', '"alone")')

_IMPORT_STORE = """
from lanescope.cli import main
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["import", sys.argv[1] + "/run", "-o", sys.argv[1] + "/stored", "--force"]) == 0
"""

_OPEN = """
from lanescope.trace import load
trace = load(sys.argv[1] + "/stored/run.lanes")
"""

_REPORT = """
from lanescope.reports import build_report
from lanescope.trace import load
text = build_report(load(sys.argv[1] + "/stored/run.lanes")).text()
"""

_EXPORT = """
from pathlib import Path
from lanescope.formats.perfetto import write_perfetto
write_perfetto(trace, Path(sys.argv[1], "run.perfetto"))
"""


_NO_OLD_FILE = 'Path(sys.argv[1], "run.perfetto").unlink(missing_ok=True)'


@dataclass(frozen=True)
class Step:
    """What is measured, and the most it may cost relative to json.load of the records."""

    name: str
    body: str
    setup: str = ""
    """what is done before the clock starts, beside the imports"""
    time_limit: float | None = None
    memory_limit: float | None = None
    no_slower_than: str = ""
    """another step, of whose time this one may take TOLERANCE times as much"""


TOLERANCE = 1.1
OLDER = "import + join + report, records and deps"


STEPS = (
    Step("json.load of the records file", _JSON_LOAD),
    Step("floor: read its bytes, count commas", _FLOOR),
    Step(OLDER, _IMPORT_REPORT, "", 0.6, 0.6),
    Step("the same run as the runtime writes it today", _TODAY_REPORT, no_slower_than=OLDER),
    Step("import + join + report, records alone", _RECORDS_REPORT, "", 0.6, 0.6),
    Step("lanescope import (records, deps → stored)", _IMPORT_STORE),
    Step("re-open the stored trace, every column", _OPEN, "", 0.05),
    Step("re-open + report", _REPORT),
    Step("Perfetto export of the opened trace", _EXPORT, _OPEN + _NO_OLD_FILE, 0.3),
)


def program(body: str, setup: str = "") -> str:
    """The step's imports and preparation, then the clock, then the rest."""
    lines = body.strip().splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    rest = [line for line in lines if line not in imports]
    return _MEASURE.format(setup="\n".join(imports) + setup, body="\n".join(rest))


def measure(step: Step, folder: Path) -> tuple[float, float]:
    """Seconds and peak MiB of one step in a fresh process."""
    code = program(step.body, step.setup)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True
    )
    took, peak = json.loads(done.stdout)
    return took, peak


def prepare(tasks: int, folder: Path) -> None:
    """The run, made in another process so that its memory is not inherited."""
    command = [sys.executable, "-m", "benchmarks.make_run", str(tasks), "-o", str(folder / "run")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    command[-1] = str(folder / "today")
    subprocess.run([*command, "--generation", "G10"], check=True, stdout=subprocess.DEVNULL)
    (folder / "alone").mkdir(exist_ok=True)
    link = folder / "alone" / "chip_swimlane_records.json"
    link.unlink(missing_ok=True)
    os.link(folder / "run" / "chip_swimlane_records.json", link)
    subprocess.run(
        [sys.executable, "-c", program(_IMPORT_STORE), str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/foundation"))
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    prepare(args.tasks, args.folder)
    rounds = [[measure(step, args.folder) for step in STEPS] for _ in range(args.rounds)]
    print_sizes(args.folder, args.tasks)
    return print_table(rounds)


def print_sizes(folder: Path, tasks: int) -> None:
    def megabytes(*files: Path) -> str:
        return f"{sum(f.stat().st_size for f in files) / 1e6:,.0f} MB"

    stored = list((folder / "stored" / "run.lanes").iterdir())
    print(f"{tasks:,} tasks, Python {platform.python_version()}, {os.cpu_count()} cores")
    print(
        f"records {megabytes(folder / 'run' / 'chip_swimlane_records.json')}, "
        f"deps {megabytes(folder / 'run' / 'deps.json')}, stored {megabytes(*stored)}"
    )
    if (folder / "run.perfetto").exists():
        print(f"Perfetto {megabytes(folder / 'run.perfetto')}")


def print_table(rounds: list[list[tuple[float, float]]], steps: tuple[Step, ...] = STEPS) -> int:
    """Medians over the rounds; returns 1 when a ratio is above its limit."""
    missed = 0
    print(
        f"\n{'step':44} {'s':>7} {'× json':>7} {'limit':>6} {'MiB':>7} {'× json':>7} {'limit':>6}"
    )
    for k, step in enumerate(steps):
        took = statistics.median(one[k][0] for one in rounds)
        peak = statistics.median(one[k][1] for one in rounds)
        time_ratio = statistics.median(one[k][0] / one[0][0] for one in rounds)
        peak_ratio = statistics.median(one[k][1] / one[0][1] for one in rounds)
        late = step.time_limit is not None and time_ratio > step.time_limit
        told = ""
        if step.no_slower_than:
            other = [one.name for one in steps].index(step.no_slower_than)
            ratio = statistics.median(one[k][0] / one[other][0] for one in rounds)
            late |= ratio > TOLERANCE
            told = f"  {ratio:.3f} of that (limit {TOLERANCE})"
        large = step.memory_limit is not None and peak_ratio > step.memory_limit
        missed |= late or large
        print(
            f"{step.name:44} {took:7.2f} {time_ratio:7.3f} {step.time_limit or '-':>6} "
            f"{peak:7.0f} {peak_ratio:7.3f} {step.memory_limit or '-':>6}"
            + told
            + ("  MISSED" if late or large else "")
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

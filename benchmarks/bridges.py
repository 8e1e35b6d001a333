"""Reading one large PyTorch trace: lanescope, json.load, and the peers where they are installed.

    python -m benchmarks.bridges [--megabytes 100] [--rounds 3] [--peer-python PYTHON]

Every step runs in a process of its own, and is timed once its modules are imported. Steps take
turns, and each ratio is taken within a round. The peers: HolisticTraceAnalysis (`pip install
HolisticTraceAnalysis`) and TraceLens (github.com/AMD-AGI/TraceLens), in this Python or in another
one that `--peer-python` names, because they ask for older packages. Exit code 1 when a median
misses its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.foundation import program
from benchmarks.make_kineto import write

LEAST_SPEED_UP = 5.0
"""Times faster than each peer that an import must be."""
MOST_MEMORY = 0.6
"""Of json.load's peak memory that an import may take."""


@dataclass(frozen=True)
class Step:
    """What is measured; a peer's step is left out where its package is not installed."""

    name: str
    body: str
    package: str = ""


_JSON = Step("json.load", "with open(sys.argv[1]) as file:\n    loaded = json.load(file)\n")
_FLOOR = Step(
    "floor: read the bytes, count commas",
    'with open(sys.argv[1], "rb") as file:\n    while block := file.read(1 << 20):\n'
    '        block.count(b",")\n',
)
_IMPORT = Step(
    "lanescope: import",
    "from lanescope.formats import import_trace\ntrace = import_trace(sys.argv[1])\n",
)
_REPORT = Step(
    "lanescope: import and whole report",
    "from lanescope.formats import import_trace\nfrom lanescope.reports import build_report\n"
    "text = build_report(import_trace(sys.argv[1])).text()\n",
)
_PEERS = (
    Step(
        "HolisticTraceAnalysis: parse",
        "from hta.trace_analysis import TraceAnalysis\n"
        "analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir='/')\n",
        "hta",
    ),
    Step(
        "TraceLens: parse",
        "from TraceLens import TreePerfAnalyzer\n"
        "analysis = TreePerfAnalyzer.from_file(sys.argv[1])\n",
        "TraceLens",
    ),
)


def measure(step: Step, python: str, file: Path) -> tuple[float, float]:
    """Seconds and peak MiB of one step in a fresh process; its last line of output tells."""
    command = [python, "-c", program(step.body), str(file)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, stderr=None)
    took, peak = json.loads(done.stdout.splitlines()[-1])
    return took, peak


def installed(step: Step, python: str) -> bool:
    """Whether the step's package can be imported by that Python."""
    look = (
        f"import importlib.util, sys; sys.exit(importlib.util.find_spec({step.package!r}) is None)"
    )
    return subprocess.run([python, "-c", look], check=False).returncode == 0


def main() -> int:
    """Measure, print the table, and say whether the limits hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/bridges"))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    file = args.folder.resolve() / "big.json"
    write(file, args.megabytes)
    peers = [step for step in _PEERS if installed(step, args.peer_python)]
    steps = [(step, sys.executable) for step in (_JSON, _FLOOR, _IMPORT, _REPORT)]
    steps += [(step, args.peer_python) for step in peers]
    rounds = [[measure(step, python, file) for step, python in steps] for _ in range(args.rounds)]
    size = file.stat().st_size / 1e6
    print(f"{size:.0f} MB, Python {platform.python_version()}, {os.cpu_count()} cores\n")
    return table([step for step, _ in steps], rounds)


def table(steps: list[Step], rounds: list[list[tuple[float, float]]]) -> int:
    """Medians over the rounds; returns 1 when a limit is missed."""
    mine = steps.index(_IMPORT)
    missed = False
    print(f"{'step':38} {'s':>7} {'× import':>9} {'MiB':>7} {'× json':>7}")
    for k, step in enumerate(steps):
        took, peak = (statistics.median(one[k][part] for one in rounds) for part in (0, 1))
        slower = statistics.median(one[k][0] / one[mine][0] for one in rounds)
        memory = statistics.median(one[k][1] / one[0][1] for one in rounds)
        told = ""
        if step.package:
            told = f"  at least {LEAST_SPEED_UP:g}"
            missed |= slower < LEAST_SPEED_UP
            told += "  MISSED" if slower < LEAST_SPEED_UP else ""
        if step is _IMPORT:
            told = f"  memory at most {MOST_MEMORY:g}"
            missed |= memory > MOST_MEMORY
            told += "  MISSED" if memory > MOST_MEMORY else ""
        print(f"{step.name:38} {took:7.2f} {slower:9.2f} {peak:7.0f} {memory:7.3f}{told}")
    for step in _PEERS:
        if step not in steps:
            print(f"{step.name:38} not installed, so not compared")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

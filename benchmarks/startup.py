"""How long lanescope takes to begin: an import, `--version`, and the report of 1,024 tasks.

    python -m benchmarks.startup [--python PYTHON] [--rounds 15] [--json]

Each row is the least of some rounds, of wall-clock time and of processor time, and the latter as a
multiple of what a bare Python takes, or Python with numpy and Parquet. All are measured in turn, so
that a busy machine disturbs all alike. `--python` is that of another environment, such as one into
which a wheel was installed. Python's compiled code (.pyc) is there, as it is for a user from the
second command on.

`report` is the page of text with its suggestions, behind which stand hundreds of replays.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NUMPY = "numpy, pyarrow"
REPORT = ("-m", "lanescope", "report", "paged_attention.lanes")
COMMANDS = {
    "python": ("-c", "pass"),
    "import lanescope": ("-c", "import lanescope"),
    "lanescope --version": ("-m", "lanescope", "--version"),
    NUMPY: ("-c", "import numpy, pyarrow.parquet"),
    "report --json": (*REPORT, "--json"),
    "report": REPORT,
    "run": ("-m", "lanescope", "run", "paged_attention", "-o", "again"),
}
BASES = {
    "import lanescope": "python",
    "lanescope --version": "python",
    **dict.fromkeys(("report --json", "report", "run"), NUMPY),
}
"""What each is held against."""
MOST = {
    "import lanescope": 0.030,
    "lanescope --version": 0.060,
    "report --json": 0.200,
    "report": 0.200,
}
"""Seconds of processor time that a row may take."""


def main() -> int:
    """Prints a row per command; returns 1 where one takes more than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = [args.python, "-m", "lanescope", "run", "paged_attention", "-o", folder, "--quiet"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        wall, processor = measured(args.python, Path(folder), args.rounds)
    rows = [
        {
            "command": name,
            "wall_ms": round(1e3 * wall[name], 1),
            "processor_ms": round(1e3 * processor[name], 1),
            "against": BASES.get(name, ""),
            "times": round(processor[name] / processor[BASES.get(name, name)], 2),
        }
        for name in COMMANDS
    ]
    print(json.dumps(rows) if args.json else table(rows))
    return 1 if any(processor[name] > most for name, most in MOST.items()) else 0


def measured(python: str, folder: Path, rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Least wall-clock and least processor seconds of every command."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    wall = dict.fromkeys(COMMANDS, float("inf"))
    processor = dict(wall)
    for _ in range(rounds + 1):  # the first one writes the bytecode
        for name, words in COMMANDS.items():
            command = [python, *words]
            before, began = _children_s(), time.perf_counter()
            subprocess.run(command, check=True, cwd=folder, env=env, stdout=subprocess.DEVNULL)
            wall[name] = min(wall[name], time.perf_counter() - began)
            processor[name] = min(processor[name], _children_s() - before)
    return wall, processor


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rows: list[dict[str, object]]) -> str:
    """The rows for people."""
    lines = [f"{'command':<22}{'wall ms':>10}{'CPU ms':>10}  against"]
    for row in rows:
        times = f"{row['times']} x {row['against']}" if row["against"] else ""
        lines.append(
            f"{row['command']!s:<22}{row['wall_ms']!s:>10}{row['processor_ms']!s:>10}  {times}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

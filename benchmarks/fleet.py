"""Indexing a fleet of small traces: cost per trace beside the analysis, re-index, memory.

    python -m benchmarks.fleet [--traces 10000] [--workers 2]

The traces are links to a few simulated runs. The analysis is clocked inside the workers, in the
same run: what the workers' time has beside it is the index's own cost. On a machine with other work
that time contains waiting for a core, so CPU time is shown as well. Indexing again is the best of
five. Exit code 1 when a figure misses its limit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from lanescope.analyze.compare import measures as measures_module
from lanescope.fleet import indexing, measuring
from lanescope.fleet.fleet import open_fleet
from lanescope.fleet.measured import NANOSECONDS, Measured

RUNS = 20
LIMIT_MS = 5.0
"""Most that a trace may cost per worker beside its analysis."""
LIMIT_AGAIN_S = 2.0
LIMIT_MB = 300.0

ROUNDS = 5
"""How often the unchanged fleet is indexed again."""


class Analysis:
    """Time that one process spends in reading traces and measuring them."""

    spent_s = 0.0
    cpu_s = 0.0

    @classmethod
    def clocked(cls, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function, whose time is added up."""

        def timed(given: Any) -> Any:
            started, used = time.perf_counter(), time.process_time()
            try:
                return function(given)
            finally:
                cls.spent_s += time.perf_counter() - started
                cls.cpu_s += time.process_time() - used

        return timed


def measure_with_time(root: str, trace: str) -> Measured:
    """What the index calls for a trace, and beside it how long the analysis took."""
    if not Analysis.spent_s:
        measuring.load = Analysis.clocked(measuring.load)
        measures_module.measures = Analysis.clocked(measures_module.measures)
    before = Analysis.spent_s, Analysis.cpu_s
    measured = MEASURE(root, trace)
    spent = {"clock": Analysis.spent_s - before[0], "cpu": Analysis.cpu_s - before[1]}
    rows = [("benchmark", name, 1e9 * s, NANOSECONDS, None) for name, s in spent.items()]
    return replace(measured, measures=[*measured.measures, *rows])


MEASURE = measuring.measure


def make(folder: Path, count: int) -> Path:
    """The traces, once: a folder that has as many is taken as it is."""
    many = folder / f"traces-{count}"
    if many.exists():
        return many
    base = folder / "base"
    base.mkdir(parents=True, exist_ok=True)
    for seed in range(1, RUNS + 1):
        if not (base / f"r{seed}.lanes").exists():
            command = [sys.executable, "-m", "lanescope", "run", "random_dag", "--platform", "a2a3"]
            command += ["--set", "tasks=200", "--set", f"seed={seed}"]
            target = str(base / f"r{seed}.lanes")
            subprocess.run([*command, "-o", target], check=True, stdout=subprocess.DEVNULL)
    files = {seed: list((base / f"r{seed + 1}.lanes").iterdir()) for seed in range(RUNS)}
    growing = folder / "growing"
    shutil.rmtree(growing, ignore_errors=True)
    for number in range(count):
        target_folder = growing / f"{number // 1000:02}" / f"t{number:05}.lanes"
        target_folder.mkdir(parents=True)
        for file in files[number % RUNS]:
            os.link(file, target_folder / file.name)
    return growing.rename(many)


def again_s(many: Path, fleet: Path) -> float:
    """Seconds of the whole command on a fleet that has not changed."""
    command = [sys.executable, "-m", "lanescope", "fleet", "index", str(many), "-o", str(fleet)]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def peak_mb() -> float:
    """The most memory that this process ever had."""
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/fleet"))
    args = parser.parse_args()
    many = make(args.folder, args.traces)
    fleet = args.folder / "fleet"
    shutil.rmtree(fleet, ignore_errors=True)
    indexing.measure = measure_with_time  # type: ignore[attr-defined]
    started = time.perf_counter()
    indexed = indexing.index_fleet(many, fleet, workers=args.workers)
    took_s, memory_mb = time.perf_counter() - started, peak_mb()
    used_s = sum(os.times()[:4])
    sql = (
        "select name, avg(value) / 1e6 as ms from measures where \"group\" = 'benchmark' group by 1"
    )
    analysis = {row["name"]: row["ms"] for row in open_fleet(fleet).query(sql).to_pylist()}
    trace_ms = 1e3 * took_s * args.workers / indexed.good
    cpu_ms = 1e3 * used_s / indexed.good
    size = sum(file.stat().st_size for file in (fleet / "index").iterdir()) / 1e6
    print(f"{indexed.good:,} of {indexed.found:,} traces, {args.workers} workers")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"index {took_s:.1f} s, {indexed.good / took_s:.0f} traces/s, {size:.1f} MB on disk")
    print(
        f"a trace and worker: {trace_ms:.2f} ms, of which its analysis {analysis['clock']:.2f} ms; "
        f"CPU {cpu_ms:.2f} ms, of which its analysis {analysis['cpu']:.2f} ms"
    )
    again = min(again_s(many, fleet) for _ in range(ROUNDS))
    rows = (
        ("beside the analysis, ms a trace and worker", trace_ms - analysis["clock"], LIMIT_MS),
        ("index again, nothing changed, s", again, LIMIT_AGAIN_S),
        ("memory of the driver, MB", memory_mb, LIMIT_MB),
    )
    missed = False
    for what, figure, limit in rows:
        missed |= figure > limit
        print(f"{what:44} {figure:8.2f}  limit {limit:g}{'  MISSED' if figure > limit else ''}")
    return int(missed or indexed.good != args.traces)


if __name__ == "__main__":
    sys.exit(main())

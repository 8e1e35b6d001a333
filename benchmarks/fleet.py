"""Indexing a fleet of small traces: cost per trace beside the analysis, re-index, memory.

    python -m benchmarks.fleet [--traces 10000] [--workers 2]

The traces are links to a few simulated runs. The analysis alone is the same function over a part of
the same traces, in as many processes at once, before and after the index is made, because these
machines are noisy. Exit code 1 when a figure misses its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

RUNS = 20
LIMIT_MS = 5.0
"""Most that a trace may cost per worker beside its analysis."""
LIMIT_AGAIN_S = 2.0
LIMIT_MB = 300.0

_ALONE = """
import json, sys, time
from pathlib import Path
from lanescope.analyze.compare.measures import measures
from lanescope.trace import load
paths = sys.argv[1:]
measures(load(paths[0]))
started, used = time.perf_counter(), time.process_time()
for path in paths:
    measures(load(path))
print(json.dumps([time.perf_counter() - started, time.process_time() - used]))
"""

_INDEX = """
import json, os, sys, time
from lanescope.fleet.indexing import index_fleet
if __name__ == "__main__":
    started = time.perf_counter()
    indexed = index_fleet(sys.argv[1], sys.argv[2], workers=int(sys.argv[3]))
    took = time.perf_counter() - started
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    times = os.times()
    used = times.user + times.system + times.children_user + times.children_system
    print(json.dumps([took, used, peak / 1024, indexed.good]))
"""


def make(folder: Path, count: int) -> Path:
    """The traces, once: a folder that has as many is taken as it is."""
    many = folder / f"traces-{count}"
    if many.exists():
        return many
    base = folder / "base"
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


def alone(paths: list[Path], workers: int) -> tuple[float, float]:
    """Seconds per trace of the analysis in `workers` processes at once, by clock and by CPU."""
    parts = [paths[number::workers] for number in range(workers)]
    running = [
        subprocess.Popen([sys.executable, "-c", _ALONE, *map(str, part)], stdout=subprocess.PIPE)
        for part in parts
    ]
    figures = [json.loads(one.communicate()[0]) for one in running]
    took, used = (sum(one[k] for one in figures) for k in (0, 1))
    return took / len(paths), used / len(paths)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("build/bench/fleet"))
    args = parser.parse_args()
    many = make(args.folder, args.traces)
    paths = sorted(many.glob("*/*.lanes"))
    sample = paths[:: max(len(paths) // 1000, 1)]
    fleet = args.folder / "fleet"
    shutil.rmtree(fleet, ignore_errors=True)
    script = args.folder / "index.py"
    script.write_text(_INDEX)
    before = alone(sample, args.workers)
    command = [sys.executable, str(script), str(many), str(fleet), str(args.workers)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    took, used, peak, good = json.loads(done.stdout)
    after = alone(sample, args.workers)
    started = time.perf_counter()
    again = [sys.executable, "-m", "lanescope", "fleet", "index", str(many), "-o", str(fleet)]
    subprocess.run(again, check=True, stdout=subprocess.DEVNULL)
    again_s = time.perf_counter() - started
    clock, cpu = ((before[k] + after[k]) / 2 for k in (0, 1))
    per_trace = took * args.workers / len(paths)
    size = sum(file.stat().st_size for file in (fleet / "index").iterdir()) / 1e6
    print(f"{good:,} of {len(paths):,} traces, {args.workers} workers, {os.cpu_count()} cores")
    print(f"index {took:.1f} s, {len(paths) / took:.0f} traces/s, {size:.1f} MB on disk")
    print(
        f"a trace per worker: {1e3 * per_trace:.2f} ms; its analysis alone {1e3 * clock:.2f} ms "
        f"({1e3 * before[0]:.2f} before, {1e3 * after[0]:.2f} after)"
    )
    print(f"by CPU: {1e3 * used / len(paths):.2f} ms a trace, alone {1e3 * cpu:.2f} ms")
    rows = (
        ("beside the analysis, ms a trace and worker", 1e3 * (per_trace - clock), LIMIT_MS),
        ("index again, nothing changed, s", again_s, LIMIT_AGAIN_S),
        ("memory of the driver, MB", peak, LIMIT_MB),
    )
    missed = False
    for what, figure, limit in rows:
        missed |= figure > limit
        print(f"{what:44} {figure:8.2f}  limit {limit:g}{'  MISSED' if figure > limit else ''}")
    return int(missed or good != len(paths))


if __name__ == "__main__":
    sys.exit(main())

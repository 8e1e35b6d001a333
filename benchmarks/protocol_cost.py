"""What the protocols cost when core and controller are two threads on two processors.

    python -m benchmarks.protocol_cost [--rounds 31] [--tasks 20000] [--json]

Empty tasks through the thread platform, one core and one scheduler: every nanosecond is
dispatching and recording. The region holds all records and its pages are touched beforehand, so no
drain runs and nothing waits: this is the price of writing, counting and copying alone. Runs take
turns within a round. Exit code 1 when the order of the protocols is not what it should be.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lanescope.device.region import clock_hz, create_region
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import ThreadMachine, run_graph
from lanescope.platforms.threads.recorded import region_config
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
LEVELS = (1, 2, 3, 4)
NOISE = 1.03
"""Ratios closer to 1 than this are the same: two threads on a virtual machine are not steadier."""
MACHINE = ThreadMachine(cores=("aiv",), schedulers=1, pre_dispatch=1)


@dataclass(frozen=True)
class Case:
    workload: str
    level: int
    protocol: str


def main() -> int:
    args = _parser().parse_args()
    graphs = {
        "chain": build_workload("chain", {"tasks": str(args.tasks), "spin_ns": "0"}),
        "fan": build_workload("fan", {"width": str(args.tasks - 2), "spin_ns": "0"}),
    }
    cases = [Case(name, 0, "") for name in graphs]
    cases += [Case(n, level, p) for n in graphs for level in LEVELS for p in PROTOCOLS]
    times: dict[Case, list[float]] = {case: [] for case in cases}
    rng = random.Random(1)
    for number in range(args.rounds + 1):
        for case in rng.sample(cases, len(cases)):
            ns = run_once(graphs[case.workload], case) / args.tasks
            if number:
                times[case].append(ns)
    verdicts = [verdict(times, n, level) for n in graphs for level in LEVELS]
    if args.json:
        rows = [{**vars(case), "ns_per_task": values} for case, values in times.items()]
        print(json.dumps({"cases": rows, "verdicts": verdicts}))
    else:
        _print(times, verdicts)
    return 0 if all(v["met"] for v in verdicts) else 1


def run_once(graph: TaskGraph, case: Case) -> float:
    """The makespan in ns."""
    if case.level == 0:
        return run_graph(graph, MACHINE, clock_hz=clock_hz()).makespan_ns
    recording = Recording(
        chip_swimlane=case.level,
        protocol=case.protocol,
        buffer_records=len(graph) + 1,
        buffers=4,
    )
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="lanescope-", dir=folder) as place:
        region = create_region(Path(place) / "region", region_config(graph, MACHINE, recording))
        region.memory[int(region.head.header["prefix_bytes"]) :: 4096] |= 0
        done = run_graph(graph, MACHINE, region_address=region.address, clock_hz=clock_hz())
        lanes = region.lanes
        if lanes["dropped"].any() or int(lanes["recorded"][0]) != len(graph):
            raise SystemExit("a record is missing")
        region.close()
    return done.makespan_ns


def verdict(times: dict[Case, list[float]], workload: str, level: int) -> dict[str, object]:
    """Producer-rotated ≤ controller-rotated ≤ staging, by the median of each round's ratio.

    After-finish is shown beside controller-rotated, of which it is a variant, without a target.
    """
    staging, controller, producer, late = (times[Case(workload, level, p)] for p in PROTOCOLS)
    first = statistics.median(a / b for a, b in zip(producer, controller, strict=True))
    second = statistics.median(a / b for a, b in zip(controller, staging, strict=True))
    return {
        "workload": workload,
        "level": level,
        "producer_to_controller": first,
        "controller_to_staging": second,
        "after_finish_to_controller": statistics.median(
            a / b for a, b in zip(late, controller, strict=True)
        ),
        "met": first <= NOISE and second <= NOISE,
    }


def _print(times: dict[Case, list[float]], verdicts: list[dict[str, object]]) -> None:
    print("ns per empty task: median (quartiles)")
    for case, values in times.items():
        low, middle, high = statistics.quantiles(values, n=4)
        name = (
            f"{case.workload} {case.level} {case.protocol}"
            if case.level
            else f"{case.workload} off"
        )
        print(f"  {name:32} {middle:8.1f}  ({low:.1f} to {high:.1f})")
    for v in verdicts:
        print(
            f"{'met   ' if v['met'] else 'MISSED'}  {v['workload']} level {v['level']}: "
            f"producer / controller {v['producer_to_controller']:.3f}, "
            f"controller / staging {v['controller_to_staging']:.3f}, at most {NOISE}; "
            f"after-finish / controller {v['after_finish_to_controller']:.3f}"
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())

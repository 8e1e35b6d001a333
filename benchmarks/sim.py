"""How fast a simulated chip runs, and how its memory grows with the run.

    python -m benchmarks.sim [--json] [--tasks 1000,10000,100000] [--rounds 3]

random_dag on a2a3: with nothing recorded; at level 4, recorded into a region and drained into a
spool; and the same with the Trace built from it. Each run is a process of its own. Time and memory
count from the graph on: neither making the graph nor imports are in them. Memory is the growth of
RssAnon to its peak, seen by a thread every few milliseconds. The fastest round is taken, because
these machines are noisy. Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from lanescope.capture import SessionNote, create_session
from lanescope.device.flags import level_features
from lanescope.platforms.recording import Recording, plan_of
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.machine import SimSetup
from lanescope.platforms.sim.run import region_config, simulate
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

CHIP = "a2a3"
MODES = {
    "off": "level 0",
    "recorded": "level 4 into a region, drained",
    "trace": "level 4 and the Trace built",
}
TASKS_PER_S = 50_000
"""That a run recorded at level 4 simulates at least; building the Trace is not in it."""
RECORDING_BYTES_PER_TASK = 8.0
"""What recording may add to a task's memory: nothing, give or take what the peak is uncertain."""
_LOOK_S = 0.002


# ---- one run, in a process of its own --------------------------------------------------------


class Peak:
    """Growth of this process's private memory to its highest, while in `with`."""

    def __enter__(self) -> Peak:
        self._over = threading.Event()
        self._before = self._highest = anonymous_bytes()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._highest = max(self._highest, anonymous_bytes())

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_S):
            self._highest = max(self._highest, anonymous_bytes())

    @property
    def bytes(self) -> int:
        return self._highest - self._before


def anonymous_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("this system does not say how much private memory a process has")


def run_once(mode: str, tasks: int) -> dict[str, Any]:
    """Seconds and bytes, the warming up of libraries left out."""
    work(mode, graph_of(100))
    graph = graph_of(tasks)
    with Peak() as peak:
        started = time.perf_counter()
        work(mode, graph)
        seconds = time.perf_counter() - started
    return {"mode": mode, "tasks": tasks, "seconds": seconds, "bytes": peak.bytes}


def graph_of(tasks: int) -> TaskGraph:
    return build_workload("random_dag", {"tasks": str(tasks)})


def work(mode: str, graph: TaskGraph) -> None:
    chip, recording = load_chip(CHIP), Recording()
    if mode == "off":
        simulate(graph, SimSetup(chip=chip, features=level_features(0)))
        return
    setup = SimSetup(chip=chip, features=level_features(4))
    plan = plan_of(graph) if mode == "trace" else None
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        session = create_session(
            Path(folder, "run.capture"),
            region_config(graph, setup, recording),
            note=SessionNote(graph.name, chip.name),
            plan=plan,
        )
        simulate(graph, setup, region_address=session.region.address, host_tick=session.tick)
        session.region.mark_stopped()
        session.stop()
        if mode == "trace" and len(session.reconcile().tasks) != len(graph):
            raise SystemExit("a record is missing")


# ---- all of them -----------------------------------------------------------------------------


def main() -> int:
    args = _parser().parse_args()
    if args.once:
        print(json.dumps(run_once(args.once, int(args.tasks))))
        return 0
    sizes = [int(size) for size in args.tasks.split(",")]
    runs = [[_child(mode, size) for mode in MODES for size in sizes] for _ in range(args.rounds)]
    rows = [fastest(same) for same in zip(*runs, strict=True)]
    verdicts = [speed_verdict(rows), memory_verdict(rows)]
    if args.json:
        print(json.dumps({"chip": CHIP, "rows": rows, "verdicts": verdicts}))
    else:
        _print(rows, verdicts)
    return 0 if all(verdict["met"] for verdict in verdicts) else 1


def _child(mode: str, tasks: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.sim", "--once", mode, "--tasks", str(tasks)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def fastest(same: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """The least time and the least memory of the rounds."""
    seconds, size = (min(run[key] for run in same) for key in ("seconds", "bytes"))
    tasks = same[0]["tasks"]
    return {
        **same[0],
        "seconds": seconds,
        "bytes": size,
        "tasks_per_s": tasks / seconds,
        "bytes_per_task": size / tasks,
    }


def speed_verdict(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The largest recorded run: small ones are mostly the making of the region."""
    row = _largest(rows, "recorded")
    return {
        "name": f"{row['tasks']:,} tasks, {MODES['recorded']}: tasks/s (no Trace built)",
        "found": row["tasks_per_s"],
        "target": f"at least {TASKS_PER_S:,}",
        "met": row["tasks_per_s"] >= TASKS_PER_S,
    }


def memory_verdict(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What recording adds to the graph's own state, per task of a longer run."""
    off, on = (_slope(rows, mode) for mode in ("off", "recorded"))
    return {
        "name": "memory that recording adds per task of a longer run, bytes",
        "found": on - off,
        "target": f"at most {RECORDING_BYTES_PER_TASK:g}",
        "met": on - off <= RECORDING_BYTES_PER_TASK,
        "off_bytes_per_task": off,
        "recorded_bytes_per_task": on,
    }


def _slope(rows: list[dict[str, Any]], mode: str) -> float:
    """Bytes per task between the shortest and the longest run; of one run, its own."""
    mine = sorted((row for row in rows if row["mode"] == mode), key=lambda row: row["tasks"])
    first, last = mine[0], mine[-1]
    if first is last:
        return float(last["bytes_per_task"])
    return float((last["bytes"] - first["bytes"]) / (last["tasks"] - first["tasks"]))


def _largest(rows: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    return max((row for row in rows if row["mode"] == mode), key=lambda row: row["tasks"])


def _print(rows: list[dict[str, Any]], verdicts: list[dict[str, Any]]) -> None:
    print(f"random_dag on {CHIP}; memory: growth of RssAnon to its peak")
    print(f"  {'':32} {'tasks':>9} {'s':>8} {'tasks/s':>9} {'MiB':>8} {'bytes/task':>10}")
    for row in rows:
        print(
            f"  {MODES[row['mode']]:32} {row['tasks']:9,} {row['seconds']:8.3f} "
            f"{row['tasks_per_s']:9,.0f} {row['bytes'] / 2**20:8.2f} {row['bytes_per_task']:10.0f}"
        )
    for v in verdicts:
        print(
            f"{'met   ' if v['met'] else 'MISSED'}  {v['name']}: {v['found']:,.1f}, {v['target']}"
        )
    print(
        "What grows: the graph as lists (function, kind, length, edges, counts of what each task\n"
        "waits for), recorded or not; records go to the spool on disk. A Trace holds them all."
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", default="1000,10000,100000", metavar="N,…")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--once", choices=tuple(MODES), help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())

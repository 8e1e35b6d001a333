"""How fast a simulated chip runs, and how its memory grows with the run.

    python -m benchmarks.sim [--json] [--tasks 100000,1000000] [--large 10000000] [--rounds 3]

random_dag on a2a3: with nothing recorded; at level 4, recorded into a region and drained into a
spool; and the same with the Trace built from it. Each run is a process of its own. Time and memory
count from the graph on: neither making the graph nor imports are in them. Memory is the growth of
RssAnon to its peak, seen by a thread every few milliseconds in a run that is not timed. Of the
timed rounds the fastest is taken, because these machines are noisy. The large run is made once,
recorded at level 4; `--large 0` leaves it out. Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import ctypes
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
from lanescope.platforms.sim.run import region_config, simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

CHIP = "a2a3"
MODES = {
    "off": "level 0",
    "recorded": "level 4 into a region, drained",
    "trace": "level 4 and the Trace built",
}
TASKS_PER_S = {"off": 1_000_000, "recorded": 500_000}
"""That a run of each size simulates at least; building the Trace is not in it."""
BYTES_PER_TASK = 200
"""That a run may take for each task, recorded or not, beside the graph."""
RECORDING_MIB = 16.0
"""What recording may add to a run's memory, however long it is: the drain has a room of 4 MiB,
lanes keep records back, and two peaks of the same run differ by a few MiB. Seen: 5 to 9."""
_LOOK_S = 0.002


# ---- one run, in a process of its own --------------------------------------------------------


class Peak:
    """Growth of this process's private memory to its highest, while in `with`."""

    def __enter__(self) -> Peak:
        # What making the graph left free inside the process would hide what the run takes.
        ctypes.CDLL(None).malloc_trim(0)
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


def timed(mode: str, tasks: int) -> dict[str, Any]:
    work(mode, graph_of(100))
    graph = graph_of(tasks)
    started, used = time.perf_counter(), time.process_time()
    spool = work(mode, graph)
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "spool_bytes": spool,
    }


def watched(mode: str, tasks: int) -> dict[str, Any]:
    work(mode, graph_of(100))
    graph = graph_of(tasks)
    with Peak() as peak:
        started, used = time.perf_counter(), time.process_time()
        spool = work(mode, graph)
    return {
        "bytes": peak.bytes,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "spool_bytes": spool,
    }


def graph_of(tasks: int) -> TaskGraph:
    return build_workload("random_dag", {"tasks": str(tasks)})


def work(mode: str, graph: TaskGraph) -> int:
    """Run once; returns the bytes that went to the spool."""
    chip, recording = load_chip(CHIP), Recording()
    if mode == "off":
        simulate(graph, SimSetup(chip=chip, features=level_features(0)))
        return 0
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
        return session.spool_bytes


# ---- all of them -----------------------------------------------------------------------------


def main() -> int:
    args = _parser().parse_args()
    if args.once:
        kind, mode = args.once
        print(json.dumps({"timed": timed, "watched": watched}[kind](mode, int(args.tasks))))
        return 0
    sizes = [int(size) for size in args.tasks.split(",")]
    rows = [measured(mode, size, args.rounds) for mode in MODES for size in sizes]
    verdicts = [*speed_verdicts(rows), *size_verdicts(rows), memory_verdict(rows)]
    if args.large:
        rows.append(row_of("recorded", args.large, _child("watched", "recorded", args.large)))
    if args.json:
        print(json.dumps({"chip": CHIP, "rows": rows, "verdicts": verdicts}))
    else:
        _print(rows, verdicts)
    return 0 if all(verdict["met"] for verdict in verdicts) else 1


def measured(mode: str, tasks: int, rounds: int) -> dict[str, Any]:
    runs = [_child("timed", mode, tasks) for _ in range(rounds)]
    best = min(runs, key=lambda run: float(run["seconds"]))
    return row_of(mode, tasks, {"bytes": _child("watched", mode, tasks)["bytes"], **best})


def row_of(mode: str, tasks: int, found: dict[str, Any]) -> dict[str, Any]:
    return {
        "mode": mode,
        "tasks": tasks,
        **found,
        "tasks_per_s": tasks / found["seconds"],
        "bytes_per_task": found["bytes"] / tasks,
    }


def _child(kind: str, mode: str, tasks: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.sim", "--once", kind, mode, "--tasks", str(tasks)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def speed_verdicts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{row['tasks']:,} tasks, {MODES[row['mode']]}: tasks/s (no Trace built)",
            "found": row["tasks_per_s"],
            "target": f"at least {TASKS_PER_S[row['mode']]:,}",
            "met": row["tasks_per_s"] >= TASKS_PER_S[row["mode"]],
        }
        for row in rows
        if row["mode"] in TASKS_PER_S
    ]


def size_verdicts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the largest runs: a small one is mostly what every run takes."""
    return [
        {
            "name": f"{row['tasks']:,} tasks, {MODES[row['mode']]}: bytes/task",
            "found": row["bytes_per_task"],
            "target": f"at most {BYTES_PER_TASK:,}",
            "met": row["bytes_per_task"] <= BYTES_PER_TASK,
        }
        for row in (_largest(rows, mode) for mode in TASKS_PER_S)
    ]


def memory_verdict(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What recording adds to the longest run, beside what its records take on disk."""
    off, on = (_largest(rows, mode) for mode in ("off", "recorded"))
    added = (on["bytes"] - off["bytes"]) / 2**20
    spool = on["spool_bytes"] / 2**20
    return {
        "name": f"MiB that recording adds to {on['tasks']:,} tasks, whose records are {spool:.1f}",
        "found": added,
        "target": f"at most {RECORDING_MIB:g}",
        "met": added <= RECORDING_MIB,
    }


def _largest(rows: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    return max((row for row in rows if row["mode"] == mode), key=lambda row: row["tasks"])


def _print(rows: list[dict[str, Any]], verdicts: list[dict[str, Any]]) -> None:
    print(f"random_dag on {CHIP}; memory: growth of RssAnon to its peak")
    heads = ("tasks", "s", "cpu s", "tasks/s", "MiB", "bytes/task")
    print(f"  {'':32} " + " ".join(f"{head:>10}" for head in heads))
    for row in rows:
        print(
            f"  {MODES[row['mode']]:32} {row['tasks']:10,} {row['seconds']:10.3f} "
            f"{row['cpu_seconds']:10.3f} {row['tasks_per_s']:10,.0f} {row['bytes'] / 2**20:10.2f} "
            f"{row['bytes_per_task']:10.0f}"
        )
    for v in verdicts:
        print(
            f"{'met   ' if v['met'] else 'MISSED'}  {v['name']}: {v['found']:,.1f}, {v['target']}"
        )
    print(
        "What grows: the graph's successors, and counts of what each task waits for, recorded or\n"
        "not; records go to the spool on disk. A Trace holds them all. Where s is much more than\n"
        "cpu s, other programs used the machine."
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", default="100000,1000000", metavar="N,…")
    parser.add_argument("--large", type=int, default=10_000_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())

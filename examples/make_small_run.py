"""Writes examples/small_run: a small paged-attention run as a runtime leaves it on disk.

Not a measurement: a time-stepped toy of four clusters (one cube and two vector cores each), two
scheduler threads that poll, and an orchestrator. Seeded, so the files never change by themselves.

    python examples/make_small_run.py examples/small_run
    python examples/make_small_run.py examples/slow_core 6    # core 6 takes 1.5 times as long
"""

from __future__ import annotations

import argparse
import json
import random
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CLUSTERS, THREADS, CLOCK_HZ = 4, 2, 50_000_000
KINDS = ["aic"] * CLUSTERS + ["aiv"] * 2 * CLUSTERS
NAMES = ["QK", "SOFTMAX", "PV", "UPDATE", "MERGE_CUBE", "MERGE_VECTOR"]
CYCLES = {0: (190, 320), 1: (110, 180), 2: (170, 300), 3: (40, 80), 4: (210, 260), 5: (90, 120)}
FIRST_CYCLE = 77_045_249_000
HEADS, BLOCKS = 6, 5


@dataclass
class Task:
    """A node of the graph; `kernels` is the function on [cube, vector 0, vector 1]."""

    id: int
    kernels: tuple[int, int, int]
    preds: list[int] = field(default_factory=list)
    waiting: int = 0
    parts: int = 0

    @property
    def queue(self) -> int:
        cube, vector, _ = self.kernels
        return 2 if cube >= 0 and vector >= 0 else int(vector >= 0)


def graph() -> tuple[list[Task], list[int]]:
    """Per head an alloc, then QK, SOFTMAX, PV, UPDATE per block; a barrier; a MIX merge."""
    tasks: list[Task] = []
    allocs: list[int] = []
    last: list[int] = []
    number = 0
    for _ in range(HEADS):
        allocs.append(number)
        update = number
        number += 1
        for _ in range(BLOCKS):
            chain = [(0, -1, -1), (-1, 1, -1), (2, -1, -1), (-1, 3, -1)]
            for step, kernels in enumerate(chain):
                preds = [] if step == 0 else [number - 1]
                preds += [update] if step == 3 else []
                tasks.append(Task(number, kernels, preds))
                number += 1
            update = number - 1
        last.append(update)
    tasks.append(Task(number, (-1, -1, -1), last))
    tasks.append(Task(number + 1, (4, 5, -1), [number]))
    return tasks, allocs


def thread_of(core: int) -> int:
    """The scheduler thread that serves the core's cluster."""
    cluster = core if core < CLUSTERS else (core - CLUSTERS) // 2
    return cluster % THREADS


class Runtime:
    """Two scheduler threads that loop over complete and dispatch, one after the other in time."""

    def __init__(self, slow_core: int = -1) -> None:
        self.random = random.Random(7)
        self.slow_core = slow_core
        self.tasks, self.allocs = graph()
        self.by_id = {task.id: task for task in self.tasks}
        self.after: dict[int, list[int]] = {}
        for task in self.tasks:
            task.waiting = sum(pred not in self.allocs for pred in task.preds)
            for pred in task.preds:
                self.after.setdefault(pred, []).append(task.id)
        self.ready: list[deque[Task]] = [deque(), deque(), deque()]
        self.running: dict[int, tuple[Task, int, int, int]] = {}
        self.tokens = [0] * len(KINDS)
        self.core_rows: list[list[int]] = []
        self.controller_rows: list[list[int]] = []
        self.phases: list[list[dict[str, Any]]] = [[] for _ in range(THREADS)]
        self.submits: list[dict[str, int]] = []
        self.left = len(self.tasks)
        self.submitted: deque[tuple[int, int]] = deque()

    def orchestrate(self) -> None:
        now = FIRST_CYCLE
        for index in range(len(self.tasks) + len(self.allocs)):
            cost = self.random.randint(14, 26)
            row = {"submit_idx": index, "task_id": index, "start_cycles": now}
            self.submits.append({**row, "end_cycles": now + cost})
            now += cost + 2
            self.submitted.append((now, index))

    def run(self) -> None:
        self.orchestrate()
        clock = [FIRST_CYCLE + 30, FIRST_CYCLE + 47]
        loop = [0, 0]
        while self.left:
            thread = clock.index(min(clock))
            loop[thread] += 1
            now = self.admit(clock[thread])
            now = self.complete(thread, now, loop[thread])
            now = self.dispatch(thread, now, loop[thread])
            clock[thread] = now + self.random.randint(8, 20)

    def admit(self, now: int) -> int:
        while self.submitted and self.submitted[0][0] <= now:
            task = self.by_id.get(self.submitted.popleft()[1])
            if task is not None and task.waiting == 0 and any(k >= 0 for k in task.kernels):
                self.ready[task.queue].append(task)
        return now

    def depths(self) -> list[int]:
        return [len(queue) for queue in self.ready]

    def phase(self, thread: int, kind: str, start: int, end: int, **more: Any) -> None:
        row = {"kind": kind, "start_cycles": start, "end_cycles": end, **more}
        self.phases[thread].append({**row, "shared_at_end": self.depths()})

    def complete(self, thread: int, now: int, loop: int) -> int:
        mine = [core for core, (*_, end) in self.running.items() if end <= now]
        mine = [core for core in mine if thread_of(core) == thread]
        if not mine:
            return now + 6
        start, before = now, self.depths()
        for core in mine:
            task, token, dispatched, _ = self.running.pop(core)
            now += 7
            self.controller_rows.append([core, token, dispatched, now])
            task.parts -= 1
            if task.parts == 0:
                now = self.resolve(thread, task, now, loop)
        more = {"loop_iter": loop, "tasks_processed": len(mine), "shared_at_start": before}
        self.phase(thread, "complete", start, now, **more)
        return now

    def resolve(self, thread: int, task: Task, now: int, loop: int) -> int:
        start, before = now, self.depths()
        self.left -= 1
        for number in self.after.get(task.id, []):
            follower = self.by_id[number]
            follower.waiting -= 1
            now += 3
            if follower.waiting == 0 and follower.kernels == (-1, -1, -1):
                more = {"loop_iter": loop, "tasks_processed": 1, "task_id": follower.id}
                self.phase(thread, "dummy_task", now, now, **more, shared_at_start=before)
                now = self.resolve(thread, follower, now, loop)
            elif follower.waiting == 0:
                self.ready[follower.queue].append(follower)
        more = {"loop_iter": loop, "tasks_processed": 1, "shared_at_start": before}
        self.phase(thread, "resolve", start, now, **more)
        return now

    def dispatch(self, thread: int, now: int, loop: int) -> int:
        start, before, sent, misses = now, self.depths(), 0, 0
        for cluster in range(thread, CLUSTERS, THREADS):
            cores = [cluster, CLUSTERS + 2 * cluster, CLUSTERS + 2 * cluster + 1]
            if all(core not in self.running for core in cores[:2]) and self.ready[2]:
                now = self.send(self.ready[2].popleft(), cores[:2], now)
                sent += 1
            for core in cores:
                queue = self.ready[KINDS[core] == "aiv"]
                if core in self.running:
                    continue
                if queue:
                    now = self.send(queue.popleft(), [core], now)
                    sent += 1
                else:
                    misses += 1
                    now += 1
        if sent:
            more = {"loop_iter": loop, "tasks_processed": sent, "pop_hit": sent}
            more |= {"pop_miss": misses, "shared_at_start": before}
            self.phase(thread, "dispatch", start, now, **more)
        return now

    def send(self, task: Task, cores: list[int], now: int) -> int:
        task.parts = len(cores)
        for core in cores:
            now += 11
            self.tokens[core] += 1
            kernel = task.kernels[0 if KINDS[core] == "aic" else 1]
            setup = self.random.randint(4, 16)
            begin = now + self.random.randint(9, 22) + setup
            length = self.random.randint(*CYCLES[kernel])
            end = begin + (length * 3 // 2 if core == self.slow_core else length)
            self.running[core] = (task, self.tokens[core], now, end)
            self.core_rows.append([core, task.id, self.tokens[core], begin, end, setup])
        return now


def write(runtime: Runtime, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    threads = [thread_of(core) for core in range(len(KINDS))]
    records = {
        "chip_swimlane_level": 4,
        "metadata": {
            "clock_freq_hz": CLOCK_HZ,
            "num_cores": len(KINDS),
            "core_types": KINDS,
            "core_to_thread": threads,
        },
        "aicore_tasks": sorted(runtime.core_rows, key=lambda row: (row[0], row[2])),
        "aicpu_tasks": sorted(runtime.controller_rows, key=lambda row: (row[0], row[1])),
        "aicpu_scheduler_phases": [*runtime.phases, []],
        "aicpu_orchestrator_phases": [runtime.submits],
    }
    dump(folder / "chip_swimlane_records.json", records)
    tasks = [
        {
            "task_id": str(task.id),
            "scope": "auto",
            "early_dispatch": False,
            "kernel_ids": list(task.kernels),
            "block_num": 1,
            "args": [],
        }
        for task in runtime.tasks
    ]
    edges = [
        {"pred": str(p), "succ": str(t.id), "arg": 0, "source": "creator", "flags": ["wait"]}
        for t in runtime.tasks
        for p in t.preds
    ]
    dump(folder / "deps.json", {"tasks": tasks, "tensors": [], "edges": edges})
    names = {str(number): name for number, name in enumerate(NAMES)}
    mapping = {"level": 2, "orchestrator_name": None, "callable_id_to_name": names}
    dump(folder / f"name_map_{folder.name}.json", mapping)


def dump(path: Path, value: dict[str, Any]) -> None:
    """One line per row: small, and readable in a diff."""
    text = json.dumps(value, separators=(",", ":"))
    path.write_text(text.replace("],[", "],\n[").replace("},{", "},\n{") + "\n")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("folder", type=Path)
    asked.add_argument("slow_core", type=int, nargs="?", default=-1)
    words = asked.parse_args()
    runtime = Runtime(words.slow_core)
    runtime.run()
    write(runtime, words.folder)

"""A synthetic run of N tasks as a runtime would leave it on disk: records, deps and names.

    python -m benchmarks.make_run 1000000 [--generation G10] -o build/bench/run

24 cube and 48 vector cores, three scheduler threads and an orchestrator, level 4. Tasks follow
each other on every core with random lengths and gaps; edges lead from earlier to later tasks; a
hundredth of the tasks is dispatched before the one before it has ended. Same N and seed, same
bytes. Of the two shapes, G8 is that of August 2026 and G10 that of September, with the same numbers
in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CUBES, VECTORS, THREADS = 24, 48, 3
FUNCTIONS = ("QK", "SF", "PV", "UP", "NORM", "ROPE", "GATE", "MOE")
CLOCK_HZ = 50_000_000
FIRST_CYCLE = 89_736_344_647_184_172
"""Above 2^53, as counters that follow the wall clock are."""
EPOCH = 7
"""Number of the only run, where the shape has one."""
_CHUNK = 1 << 16


def make_run(tasks: int, folder: Path, *, seed: int = 1, generation: str = "G8") -> Path:
    """Write the run's files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    run = _tasks(tasks, rng)
    with (folder / "chip_swimlane_records.json").open("w") as file:
        if generation == "G10":
            _write_records_today(file, run, rng)
        else:
            _write_records(file, run, rng)
    with (folder / "deps.json").open("w") as file:
        _write_deps(file, run, rng)
    names = ", ".join(f'"{k}": "{name}"' for k, name in enumerate(FUNCTIONS))
    text = f'{{"level": 2, "orchestrator_name": null, "callable_id_to_name": {{{names}}}}}\n'
    (folder / f"name_map_{folder.name}.json").write_text(text)
    return folder


def _tasks(count: int, rng: np.random.Generator) -> dict[str, Array]:
    cores = CUBES + VECTORS
    core = np.sort(np.arange(count) % cores)
    per_core = np.bincount(core, minlength=cores)
    first = np.concatenate([[0], np.cumsum(per_core)[:-1]])
    token = np.arange(count) - np.repeat(first, per_core) + 1
    length = rng.integers(60, 3400, count)
    gap = rng.integers(20, 400, count)
    end = np.cumsum(length + gap)
    start_of_core = np.concatenate([[0], end[:-1]])[np.minimum(first, count - 1)]
    end = end - np.repeat(start_of_core, per_core) + FIRST_CYCLE + 5000
    start = end - length
    setup = rng.integers(4, 19, count)
    early = rng.random(count) < 0.01
    dispatch = start - setup - np.where(early, gap + 40, np.minimum(gap // 2, 200)) - 1
    order = np.argsort(start, kind="stable")
    task = np.empty(count, np.int64)
    task[order] = np.arange(count)
    return {
        "core": core,
        "token": token,
        "task": task + (1 << 32),
        "start": start,
        "end": end,
        "setup": setup,
        "dispatch": dispatch,
        "finish": end + rng.integers(10, 300, count),
        "func": rng.integers(0, len(FUNCTIONS), count),
    }


def _rows(template: str, columns: list[Array]) -> Iterator[str]:
    """Rows of a %-template, joined by commas, in chunks."""
    for first in range(0, len(columns[0]), _CHUNK):
        lists = [column[first : first + _CHUNK].tolist() for column in columns]
        rows = zip(*lists, strict=True)
        yield (",\n" if first else "") + ",\n".join([template % row for row in rows])


def _write_records(file: IO[str], run: dict[str, Array], rng: np.random.Generator) -> None:
    types = ", ".join(['"aic"'] * CUBES + ['"aiv"'] * VECTORS)
    threads = ", ".join(str(core % THREADS) for core in range(CUBES + VECTORS))
    file.write('{\n  "chip_swimlane_level": 4,\n  "metadata": {\n')
    file.write(f'    "clock_freq_hz": {CLOCK_HZ},\n    "num_cores": {CUBES + VECTORS},\n')
    file.write(f'    "core_types": [{types}],\n    "core_to_thread": [{threads}]\n  }},\n')
    keys = ("core", "task", "token", "start", "end", "setup")
    file.write('  "aicore_tasks": [\n')
    file.writelines(_rows("    [%d, %d, %d, %d, %d, %d]", [run[key] for key in keys]))
    file.write('\n  ],\n  "aicpu_tasks": [\n')
    keys = ("core", "token", "dispatch", "finish")
    file.writelines(_rows("    [%d, %d, %d, %d]", [run[key] for key in keys]))
    file.write('\n  ],\n  "aicpu_scheduler_phases": [\n')
    for thread in range(THREADS):
        file.write("    [\n")
        file.writelines(_scheduler_rows(len(run["core"]), thread, run, rng))
        file.write("\n    ],\n")
    file.write('    []\n  ],\n  "aicpu_orchestrator_phases": [\n    [\n')
    file.writelines(_orchestrator_rows(run, rng))
    file.write("\n    ]\n  ]\n}\n")


def _write_records_today(file: IO[str], run: dict[str, Array], rng: np.random.Generator) -> None:
    """The shape of September 2026: run epochs, schedulers as streams, metrics apart."""
    types = ", ".join(['"aic"'] * CUBES + ['"aiv"'] * VECTORS)
    threads = ", ".join(str(core % THREADS) for core in range(CUBES + VECTORS))
    file.write('{\n  "chip_swimlane_level": 4,\n  "metadata": {\n')
    file.write('    "runtime": "tensormap_and_ringbuffer",\n')
    file.write(f'    "clock_freq_hz": {CLOCK_HZ},\n    "num_cores": {CUBES + VECTORS},\n')
    file.write(f'    "core_types": [{types}],\n    "core_to_thread": [{threads}]\n  }},\n')
    keys = ("core", "task", "token", "start", "end", "setup")
    file.write('  "aicore_tasks": [\n')
    file.writelines(_rows(f"    [%d, %d, %d, %d, %d, %d, {EPOCH}]", [run[key] for key in keys]))
    file.write('\n  ],\n  "scheduler_tasks": {"producer": "aicpu", "records": [\n')
    keys = ("core", "token", "dispatch", "finish")
    file.writelines(_rows(f"    [%d, %d, %d, %d, {EPOCH}]", [run[key] for key in keys]))
    file.write('\n  ]},\n  "scheduler_records": {"streams": [\n')
    for thread in range(THREADS):
        records, metrics = _stream(len(run["core"]), thread, run, rng)
        count = len(run["core"]) // THREADS + (thread < len(run["core"]) % THREADS)
        file.write(
            f'{"," if thread else ""}    {{"platform": "a2a3", "producer": "aicpu", '
            f'"scheduler_id": {thread}, "worker_id": {thread}, "core_type": "aicpu", '
            f'"physical_core_id": null, "capture": {{"committed": {count}, "dropped": 0, '
            '"truncated": false}, "records": [\n'
        )
        file.writelines(records)
        file.write('\n    ], "metrics": [\n')
        file.writelines(metrics)
        file.write("\n    ]}\n")
    file.write('  ]},\n  "aicpu_orchestrator_phases": [\n    [\n')
    rows = _orchestrator_rows(run, rng)
    file.writelines(row.replace("}", f', "run_epoch": {EPOCH}}}') for row in rows)
    file.write("\n    ]\n  ]\n}\n")


def _stream(
    tasks: int, thread: int, run: dict[str, Array], rng: np.random.Generator
) -> tuple[Iterator[str], Iterator[str]]:
    """The same loops as records and metrics of a stream."""
    columns, step = _loops(tasks, thread, run, rng)
    kinds = [f'"{kind}"' for kind in ("resolve", "complete", "dispatch")]

    def records() -> Iterator[str]:
        head = (
            f'      {{"start_cycles": %d, "end_cycles": %d, "run_epoch": {EPOCH}, '
            '"loop_iter": %d, "kind": %s, "tasks_processed": %d, "task_id": null}'
        )
        for first in range(0, len(step), _CHUNK):
            a, b, loop, done = (column[first : first + _CHUNK].tolist() for column in columns[:4])
            kind = [kinds[one] for one in step[first : first + _CHUNK].tolist()]
            rows = zip(a, b, loop, kind, done, strict=True)
            yield (",\n" if first else "") + ",\n".join(head % row for row in rows)

    def metrics() -> Iterator[str]:
        depths = '"shared_at_start": [%d,%d,%d], "shared_at_end": [%d,%d,%d]}'
        plain = f'      {{"record_index": %d, {depths}'
        popping = f'      {{"record_index": %d, "pop_hit": %d, "pop_miss": %d, {depths}'
        for first in range(0, len(step), _CHUNK):
            lists = [column[first : first + _CHUNK].tolist() for column in columns[4:]]
            rows = enumerate(zip(*lists, strict=True), first)
            kind = step[first : first + _CHUNK].tolist()
            lines = [
                popping % (at, *row) if one == 2 else plain % (at, *row[2:])
                for one, (at, row) in zip(kind, rows, strict=True)
            ]
            yield (",\n" if first else "") + ",\n".join(lines)

    return records(), metrics()


def _scheduler_rows(
    tasks: int, thread: int, run: dict[str, Array], rng: np.random.Generator
) -> Iterator[str]:
    """The loops as one list of phases."""
    columns, step = _loops(tasks, thread, run, rng)
    count = len(step)
    times = '"start_cycles": %d, "end_cycles": %d, "loop_iter": %d, "tasks_processed": %d'
    depths = '"shared_at_start": [%d,%d,%d], "shared_at_end": [%d,%d,%d]}'
    pops = ', "pop_hit": %d, "pop_miss": %d, '
    plain, popping = f"{times}, ", f"{times}{pops}"
    heads = [
        f'      {{"kind": "resolve", {plain}{depths}',
        f'      {{"kind": "complete", {plain}{depths}',
        f'      {{"kind": "dispatch", {popping}{depths}',
    ]
    for first in range(0, count, _CHUNK):
        lists = [column[first : first + _CHUNK].tolist() for column in columns]
        lines = []
        for kind, row in zip(step[first : first + _CHUNK], zip(*lists, strict=True), strict=True):
            lines.append(heads[kind] % (row if kind == 2 else row[:4] + row[6:]))
        yield (",\n" if first else "") + ",\n".join(lines)


def _loops(
    tasks: int, thread: int, run: dict[str, Array], rng: np.random.Generator
) -> tuple[list[Array], Array]:
    """Loops of resolve (inside complete), complete and dispatch: inner phases come first.

    The threads take turns, and the queues they share change twice per loop: resolve pushes,
    dispatch pops. In real captures a queue in use changes 0.7 times per phase; here it is 0.67.
    """
    count = tasks // THREADS + (thread < tasks % THREADS)
    step = np.arange(count) % 3
    loop = np.arange(count) // 3 + 1
    span = max(int(run["finish"].max()) - FIRST_CYCLE, count)
    length = max(span // max(int(loop.max(initial=1)), 1), 30 * THREADS)
    begin = FIRST_CYCLE + (loop - 1) * length + thread * (length // THREADS)
    offset, width = np.array([4, 0, 14])[step], np.array([6, 12, 10])[step]
    turn = 2 * (loop * THREADS + thread)
    before, after = np.array([0, 0, 1])[step] + turn, np.array([1, 1, 2])[step] + turn
    depth = np.random.default_rng(tasks).integers(0, 200, (2, 2 * tasks + 4 * THREADS))
    none = np.zeros(count, np.int64)
    start = begin + offset
    columns = [
        start,
        start + width,
        loop,
        rng.integers(0, 4, count),
        rng.integers(0, 4, count),
        rng.integers(0, 9, count),
        *(depth[queue][before] for queue in range(2)),
        none,
        *(depth[queue][after] for queue in range(2)),
        none,
    ]
    return columns, step


def _orchestrator_rows(run: dict[str, Array], rng: np.random.Generator) -> Iterator[str]:
    count = len(run["core"])
    start = FIRST_CYCLE + np.cumsum(rng.integers(4, 20, count))
    task = np.arange(count) + (1 << 32)
    template = '      {"submit_idx": %d, "task_id": %d, "start_cycles": %d, "end_cycles": %d}'
    return _rows(template, [np.arange(count), task, start, start + 3])


def _write_deps(file: IO[str], run: dict[str, Array], rng: np.random.Generator) -> None:
    count = len(run["core"])
    order = np.argsort(run["task"])
    cube = run["core"][order] < CUBES
    func = run["func"][order]
    argument = (
        '{"idx":0,"type":"INPUT","tensor_id":"16518468590633224559","dtype":"FLOAT32",'
        '"shape":[16384],"start_offset":"0","strides":[1]}'
    )
    head = '{"task_id":"%d","scope":"auto","early_dispatch":false,"kernel_ids":'
    tail = f',"block_num":1,"args":[{argument}]}}'
    ids = np.arange(count) + (1 << 32)
    columns = [ids, np.where(cube, func, -1), np.where(cube, -1, func)]
    file.write('{"tasks":[')
    file.writelines(_rows(f"{head}[%d,%d,-1]{tail}", columns))
    file.write('],"tensors":[],"edges":[')
    file.writelines(_edge_rows(count, rng))
    file.write("]}\n")


def _edge_rows(tasks: int, rng: np.random.Generator) -> Iterator[str]:
    """About 1.5 edges per task, each from a task at most 200 earlier."""
    if tasks < 2:
        return iter(())
    succ = np.sort(rng.integers(1, tasks, tasks + tasks // 2))
    pred = np.maximum(succ - rng.integers(1, 200, len(succ)), 0)
    template = (
        '{"pred":"%d","succ":"%d","arg":0,"source":"creator","flags":["wait"],'
        '"tensor_id":"16518468590633224559","consumer_dtype":"FLOAT32","consumer_shape":[16384],'
        '"consumer_start_offset":"0","consumer_strides":[1]}'
    )
    return _rows(template, [pred + (1 << 32), succ + (1 << 32)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", type=int)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/bench/run"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generation", choices=("G8", "G10"), default="G8")
    args = parser.parse_args()
    made = make_run(args.tasks, args.output, seed=args.seed, generation=args.generation)
    print(made)


if __name__ == "__main__":
    main()

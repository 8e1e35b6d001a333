"""Kanata logs: read back by the rules of the format, they say what the trace says."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from lanescope.formats.kanata import write_kanata
from lanescope.trace import MISSING, Meta, Table, Trace, Words


def small() -> Trace:
    """Task 7 waits 2 cycles on core 0, task 8 starts at once on core 1 and needs 7; 9 never ran."""
    words = Words()
    return Trace(
        meta=Meta(name="small", tool="test", origin="predicted"),
        tasks=Table.build(
            "tasks",
            {
                "task": [7, 8, 9],
                "core": np.array([0, 1, -1], np.int32),
                "func": np.array([0, 1, 1], np.int32),
                "dispatch_cycles": [100, MISSING, MISSING],
                "start_cycles": [102, 110, MISSING],
                "end_cycles": [110, 110, MISSING],
                "start_ns": [1, 5, MISSING],
                "end_ns": [5, 5, MISSING],
            },
        ),
        edges=Table.build("edges", {"pred": [7, 7], "succ": [8, 9]}),
        cores=Table.build(
            "cores",
            {"core": np.array([0, 1], np.int32), "name": words.codes(["matrix", "vec\ttor"])},
        ),
        functions=Table.build(
            "functions",
            {"func": np.array([0, 1], np.int32), "name": words.codes(["M_MM", "evil\nR\t0"])},
        ),
        words=words.freeze(),
    )


def test_the_log_line_by_line(tmp_path: Path) -> None:
    found = write_kanata(small(), tmp_path / "small.kanata")
    assert (tmp_path / "small.kanata").read_text().splitlines() == [
        "Kanata\t0004",
        "C=\t100",
        "I\t0\t7\t0",
        "L\t0\t0\tM_MM",
        "L\t0\t1\ttask 7 on matrix",
        "S\t0\t0\tW",
        "C\t2",
        "S\t0\t0\tX",
        "C\t8",
        "I\t1\t8\t1",
        "L\t1\t0\tevil R�0",
        "L\t1\t1\ttask 8 on vec�tor",
        "S\t1\t0\tW",
        "W\t1\t0\t0",
        "S\t1\t0\tX",
        "E\t0\t0\tX",
        "R\t0\t0\t0",
        "E\t1\t0\tX",
        "R\t1\t1\t0",
    ]
    assert (found.slices, found.lanes, found.arrows, found.arrows_not_drawn) == (2, 2, 1, 1)
    assert found.bytes == (tmp_path / "small.kanata").stat().st_size


def test_a_trace_without_tasks_is_a_header(tmp_path: Path) -> None:
    empty = Trace(meta=Meta(name="empty", tool="test", origin="predicted"))
    write_kanata(empty, tmp_path / "empty.kanata.gz")
    assert gzip.decompress((tmp_path / "empty.kanata.gz").read_bytes()) == b"Kanata\t0004\n"


def read_back(text: str) -> dict[int, tuple[int, int]]:
    """Start and end of each task by its number, following the clock of the log."""
    now = 0
    task: dict[int, int] = {}
    found: dict[int, tuple[int, int]] = {}
    for line in text.splitlines()[1:]:
        command, *fields = line.split("\t")
        match command:
            case "C=":
                now = int(fields[0])
            case "C":
                assert int(fields[0]) > 0
                now += int(fields[0])
            case "I":
                assert int(fields[0]) == len(task)
                task[int(fields[0])] = int(fields[1])
            case "S" if fields[2] == "X":
                found[task[int(fields[0])]] = (now, now)
            case "R":
                number = task[int(fields[0])]
                found[number] = (found[number][0], now)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_random_traces_read_back(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 500, 60)
    end = start + rng.integers(0, 30, 60)
    columns = {"task": np.arange(60), "core": np.zeros(60, np.int32), "start_ns": start}
    trace = Trace(
        meta=Meta(name="random", tool="test", origin="predicted"),
        tasks=Table.build("tasks", columns | {"end_ns": end, "func": np.zeros(60, np.int32)}),
    )
    write_kanata(trace, tmp_path / "random.kanata")
    found = read_back((tmp_path / "random.kanata").read_text())
    expected = zip(start.tolist(), end.tolist(), strict=True)
    assert found == dict(enumerate(expected))

